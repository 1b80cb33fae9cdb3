import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { MAX_DESCRIPTION, MAX_FILE_BYTES, MAX_ID, MAX_NAME } from '../../../src/core/index.js';
import { catalogueSearchOf } from '../../../src/search/index.js';
import { row } from '../../rows.js';
import { type CatalogueStore, CatalogueUnderTest, counts, countsOf } from './catalogue-under-test.js';

/** Characters that databases, encodings and shells are known to lose. */
const AWKWARD = [
  '\u0001\u001b[31m\u007f\u0080\u009f',
  "'; DROP TABLE skill; --",
  '\\x00 \\u0000 \\000 $1 %s $(x) {{x}}',
  'e\u0301 é ﬁ ß ẞ İ ı ǆ',
  '\ufeff\u200b\u200d\u202e\u2066\u2028\u2029',
  '\ufffe\uffff\ufffd',
  '👩‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 \u{10ffff}\u{1f600}',
  '日本語 العربية עברית ไทย',
  '\t\v\f\r\n \u00a0\u3000',
];

/** U+0000 and lone surrogates, which UTF-8 and SQLite cannot carry: they are left out. */
const UNSTORABLE = 'a\0b\ud800c\udc00d\ud83d';

/** What becomes of texts that others lose, or take for orders. */
export function keepsAwkwardTexts(store: CatalogueStore): void {
  describe('awkward texts', () => {
    test('come back as they were, in every field that keeps them', async () => {
      const catalogue = await CatalogueUnderTest.of(store);
      const rows = AWKWARD.map((text, i) => ({
        ...row(`awkward-${i}`),
        description: `It is (${text}).`,
        license: `L ${text}`,
        metadata: { [`key ${text}`]: [`value ${text}`] },
        frontMatter: { [text]: text, deep: { [text]: [text] } },
        files: [
          { filename: `${i}.md`, text },
          {
            filename: `x ${text.replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069/\\]/gu, '')}.md`,
            text: `b ${text}`,
          },
          whole('bytes.bin', Buffer.from(`\xff${text}`, 'utf16le')),
          whole('SKILL.md', Buffer.from(text)),
        ],
      }));
      expect(countsOf(await catalogue.load(rows))).toEqual(counts({ added: rows.length }));
      const skills = await catalogue.skills();
      for (const [i, text] of AWKWARD.entries()) {
        const { skill, files, bytes } = skills.get(`awkward-${i}`)!;
        expect(skill?.metadata, text).toEqual({ [`key ${text}`]: [`value ${text}`] });
        expect(skill?.frontMatter, text).toEqual({ [text]: text, deep: { [text]: [text] } });
        expect(files.slice(0, 2).map((file) => file.text)).toEqual([text, `b ${text}`]);
        expect(Buffer.from(bytes['bytes.bin']!, 'base64')).toEqual(Buffer.from(`\xff${text}`, 'utf16le'));
        expect(Buffer.from(bytes['SKILL.md']!, 'base64').toString()).toBe(text);
      }
      await catalogue.staysDuring(() => catalogue.load(rows));
      expect(await catalogue.remove(rows.map(({ id }) => id!))).toBe(rows.length);
    });

    test('lose U+0000 and lone surrogates, and nothing else', async () => {
      const catalogue = await CatalogueUnderTest.of(store);
      const rows = [
        {
          id: `id-${UNSTORABLE}`,
          name: `name ${UNSTORABLE}`,
          description: `description ${UNSTORABLE}`,
          author: `author ${UNSTORABLE}`,
          categories: [`category ${UNSTORABLE}`],
          occupations: [`occupation ${UNSTORABLE}`],
          tags: [`tag ${UNSTORABLE}`],
          license: `license ${UNSTORABLE}`,
          metadata: { [`key ${UNSTORABLE}`]: `value ${UNSTORABLE}` },
          frontMatter: { [`key ${UNSTORABLE}`]: `value ${UNSTORABLE}` },
          files: [{ filename: `file ${UNSTORABLE}.md`, text: `text ${UNSTORABLE}` }],
        },
      ];
      expect(countsOf(await catalogue.load(rows))).toEqual(counts({ added: 1 }));
      const skills = await catalogue.skills();
      expect([...skills.keys()]).toEqual(['id-abcd']);
      const { skill, files } = skills.get('id-abcd')!;
      expect(skill).toMatchObject({ name: 'name abcd', description: 'description abcd', author: 'author abcd' });
      // Keys of objects are kept as JSON has them, escaped.
      const members = { [`key ${UNSTORABLE}`]: 'value abcd' };
      expect(skill).toMatchObject({ license: 'license abcd', metadata: members, frontMatter: members });
      expect(files).toMatchObject([{ filename: 'file abcd.md', text: 'text abcd' }]);
      await catalogue.staysDuring(() => catalogue.load(rows));
    });

    test('may be names of sources', async () => {
      const catalogue = await CatalogueUnderTest.of(store);
      const all = AWKWARD.join('|');
      const names = [all, `${all} `, UNSTORABLE, 'ä', 'a\u0308'];
      for (const [i, name] of names.entries()) await catalogue.prune(name, [row(`own-${i}`), row('shared')]);
      expect(await catalogue.ids()).toHaveLength(names.length + 1);
      for (const name of names.slice(1)) await catalogue.prune(name, [row('own-0')]);
      expect(await catalogue.ids()).toEqual(['own-0', 'shared']);
      await catalogue.prune(names[0]!, [row('own-0')]);
      expect(await catalogue.ids()).toEqual(['own-0']);
    });
  });

  describe('ids', () => {
    test('that differ by case, by accent, by composition or by width alone are of different skills', async () => {
      const ids = [
        'a',
        'A',
        'ä',
        'a\u0308',
        'Ä',
        'ａ',
        'ss',
        'ß',
        'fi',
        'ﬁ',
        'i',
        'İ',
        'ı',
        'a-',
        'a.',
        '_a',
        '\u{1f600}',
        '\uffee',
      ];
      const catalogue = await CatalogueUnderTest.of(store);
      const rows = ids.map((id) => ({ ...row(id), files: [whole('SKILL.md', Buffer.from(id))] }));
      expect(countsOf(await catalogue.load(rows))).toEqual(counts({ added: ids.length }));
      await catalogue.searching((search) => {
        for (const id of ids) {
          expect(search.get(id)?.description).toBe(`description of ${id}`);
          expect(Buffer.from(search.read(id, 'SKILL.md')!).toString()).toBe(id);
        }
        const inOrder = [...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        expect(catalogueSearchOf(search).completeIds({ limit: 50 })).toEqual(inOrder);
      });
      expect(await catalogue.update([row('A', { stars: 5 })])).toMatchObject({ added: 0, updated: 1 });
      expect(await catalogue.remove(['a', 'ß', 'a\u0308'])).toBe(3);
      expect(await catalogue.load(rows.filter(({ id }) => id !== 'A'))).toMatchObject({ added: 3, updated: 0 });
      expect((await catalogue.skills()).get('A')?.skill?.stars).toBe(5);
    });
  });

  describe('a skill as large as one may be', () => {
    test('comes back as it was', async () => {
      const id = '\u{1f600}'.repeat(MAX_ID);
      const large = (letter: string): string => `${letter} `.repeat(MAX_FILE_BYTES / 2);
      const files = ['a', 'b', 'c', 'd'].map((letter) => ({ filename: `${letter}.md`, text: large(letter) }));
      const bytes = Buffer.from(Array.from({ length: 3 * 1024 * 1024 }, (_, i) => (i * i * 7919) >> 3));
      const skill = {
        ...row(id),
        name: '\u{1f600}'.repeat(MAX_NAME),
        description: '\u{1f600}'.repeat(MAX_DESCRIPTION),
        files: [...files, whole('large.bin', bytes)],
      };
      const catalogue = await CatalogueUnderTest.of(store);
      const report = await catalogue.load([skill]);
      expect([countsOf(report), report.warnings]).toEqual([counts({ added: 1 }), []]);
      await catalogue.searching((search) => {
        expect(search.get(id)).toMatchObject({ name: skill.name, description: skill.description });
        expect(search.files(id).map(({ text }) => text)).toEqual(files.map(({ text }) => text));
        expect(Buffer.compare(Buffer.from(search.read(id, 'large.bin')!), bytes)).toBe(0);
      });
    });
  });
}

function whole(filename: string, bytes: Buffer): object {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { filename, base64: bytes.toString('base64'), complete: true, sha256 };
}
