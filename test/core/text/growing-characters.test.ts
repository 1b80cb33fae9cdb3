import { describe, expect, onTestFinished, test } from 'vitest';
import { countTokens, formatSkills } from '../../../src/agents/formats/index.js';
import { keptSizes } from '../../../src/agents/formats/text-size.js';
import { foldAccents, foldCase, mapNormalised, nameKey, normaliseText, readWords } from '../../../src/core/index.js';
import { openSkillSearch } from '../../../src/index.js';
import { askedWords, makeSnippet, matchedTerms, matchFiles } from '../../../src/keyword/explain.js';
import { readQuestion } from '../../../src/keyword/question.js';
import { readableShare } from '../../../src/semantic/languages.js';
import { row } from '../../rows.js';

const FORMS: readonly ((character: string) => string)[] = [
  (character) => character.normalize('NFKC'),
  (character) => character.normalize('NFKD'),
  (character) => character.toLowerCase(),
  (character) => character.toUpperCase(),
];

/** Every character that becomes more than four times as long. */
const GROWING: readonly string[] = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).filter(
  (character) => FORMS.some((form) => form(character).length > 4 * character.length),
);

/** What is read of a text of this length at most. */
const most = (length: number): number => 2 * length + 64;

const LENGTH = 4000;
const TEXTS = GROWING.flatMap((character) => [
  character.repeat(LENGTH),
  `${character} `.repeat(LENGTH / 2),
  `kite ${character.repeat(LENGTH - 10)}kite`,
]);

test('characters grow, and some to eighteen', () => {
  expect(GROWING).toContain('\ufdfa');
  expect(GROWING.length).toBeGreaterThan(5);
});

describe('a text of characters that grow', () => {
  test('is normalised to twice its length at most, and 64, and no shorter', () => {
    // Three letters each.
    expect(normaliseText('\ufb03'.repeat(64))).toBe('ffi'.repeat(64));
    expect(normaliseText('\ufb03'.repeat(65))).toBe('ffi'.repeat(65).slice(0, most(65)));
    for (const text of TEXTS) expect(normaliseText(text).length).toBeLessThanOrEqual(most(text.length));
  });

  test('has the form of all of it where that is no longer, however long it is', () => {
    for (const [i, piece] of [
      'e\u0301 ',
      'caf\u00e9\u0301',
      '\u4f60\u597d\uff0c',
      '\ud83d\ude00\u0307',
      '\u1112\u1161\u11ab',
      '\ufb01n',
    ].entries()) {
      for (const length of [4000, 4096, 8191, 8192, 8193, 20_000]) {
        const text = `${'x'.repeat(i)}${piece.repeat(length)}`.slice(0, length);
        expect(normaliseText(text)).toBe(text.normalize('NFKC'));
      }
    }
  });

  // Sorting marks takes time by the square of a run: of this one a minute at once, tenths of a second in pieces.
  test('costs by its length where marks follow each other without end', () => {
    const before = process.cpuUsage().user;
    expect(normaliseText(`a${'\u0300\u0316'.repeat(200_000)}`).length).toBeGreaterThan(390_000);
    expect(process.cpuUsage().user - before).toBeLessThan(10_000_000);
  });

  test('keeps its offsets', () => {
    for (const text of TEXTS) {
      const { normalised, toOriginal } = mapNormalised(text);
      expect(normalised.length).toBeLessThan(most(text.length) + 20);
      expect(toOriginal(0)).toBe(0);
      expect(toOriginal(normalised.length)).toBeLessThanOrEqual(text.length);
    }
  });

  test('has no more words than its length allows, in questions, names and texts', () => {
    for (const text of TEXTS) {
      const lengthOf = (terms: readonly string[]): number => terms.reduce((sum, { length }) => sum + length, 0);
      expect(lengthOf(readWords(text).map(({ term }) => term))).toBeLessThanOrEqual(2 * most(text.length));
      const { looseWords, phrases } = readQuestion(`"${text.slice(0, 990)}" ${text.slice(0, 1000)}`);
      expect(looseWords.length).toBeLessThanOrEqual(64);
      expect(lengthOf(phrases.flatMap(({ tokens }) => tokens.map(({ term }) => term)))).toBeLessThanOrEqual(
        2 * most(text.length),
      );
      expect(nameKey(text).length).toBeLessThanOrEqual(most(text.length));
      expect(foldAccents(foldCase(normaliseText(text))).length).toBeLessThanOrEqual(2 * most(text.length));
      expect(readableShare(text, ['Latin'])).toBeLessThanOrEqual(1);
    }
  });

  test('is looked at in hits no further than its length allows', () => {
    for (const text of TEXTS) {
      let read = 0;
      const accepts = (term: string): boolean => {
        read += term.length;
        return term !== 'kite';
      };
      const document = { name: 'n', author: 'a', labels: [], description: text, files: [{ filename: 'f', text }] };
      const matcher = { step: 'some-words', accepts } as const;
      expect(makeSnippet(document, matcher).text.length).toBeLessThan(200);
      matchedTerms(document, matcher);
      // The description and the file, each for the snippet and for the terms; words of compounds count twice.
      expect(read).toBeLessThanOrEqual(8 * most(text.length));
      read = 0;
      const asked = askedWords(readQuestion('kite'));
      matchFiles(document.files, { wordOf: (term) => (accepts(term) ? -1 : asked.wordOf(term)) });
      expect(read).toBeLessThanOrEqual(2 * most(text.length));
    }
  });

  test('is counted in tokens once: the sizes of its parts are kept', () => {
    for (const character of GROWING) {
      const text = character.repeat(LENGTH);
      const first = countTokens(text);
      const kept = keptSizes();
      expect(countTokens(text)).toBe(first);
      expect(countTokens(`${text}${character.repeat(96)}`)).toBeGreaterThan(first);
      // The end of a text is another part.
      expect(keptSizes() - kept).toBeLessThanOrEqual(1);
    }
  });

  test('is searched, suggested, explained and written for a model like any other', async () => {
    const skills = TEXTS.map((text, i) => row(`s${i}`, { description: text, files: [{ filename: 'SKILL.md', text }] }));
    const search = await openSkillSearch({ skills });
    onTestFinished(() => search.close());
    for (const q of [
      'kite',
      'kyte',
      ...GROWING.filter((character) => /[\p{L}\p{N}]/u.test(character)).map((one) => one.repeat(200)),
    ]) {
      const { hits } = search.keyword({ q, copies: 'keep', limit: 50 });
      for (const { snippet, matches } of hits) {
        expect(snippet.text.length).toBeLessThan(200);
        expect(Object.values(matches).flat().join('').length).toBeLessThan(most(2 * LENGTH));
      }
      await search.semantic({ q: q.repeat(20), ranking: 'words', copies: 'keep' });
      expect(search.suggest(q).length).toBeLessThanOrEqual(8);
      expect(formatSkills(hits, { format: 'json', maxTokens: 500 }).tokens).toBeLessThanOrEqual(500);
    }
  });
});
