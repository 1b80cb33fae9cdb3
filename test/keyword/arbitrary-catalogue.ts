import fc from 'fast-check';
import type { DocumentSource, KeywordDocument, KeywordMatches } from '../../src/keyword/index.js';

/** Words chosen to meet each other: forms of one stem, compounds and their parts, accents, edits, several scripts. */
const WORDS = `
  test tests testing react reactTesting react-testing react_testing ReactTesting reacttesting git hub GitHub
  github GitHub-Actions actions node.js nodejs Node js c++ c# c .net net asp.net résumé resume Résumé café
  cafe cafes über uber straße strasse deploy deployment deployments kubernetes kubernets kuberntes postgres
  postgresql the and how to end-to-end end release notes release-notes v1.2.3 3.12 2024 raect tset a 数据分析
  数据 分析 析 數據分析 數據 數 用react测试 用react測試 データ分析 テスト 테스트
  테스트자동화 ทดสอบ Привет ёлка елка
`
  .trim()
  .split(/\s+/);

const word = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...WORDS) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'e', 't', 's', 'é'), minLength: 1, maxLength: 5 }),
  },
);

const separator = fc.constantFrom(' ', ' ', ' ', ', ', '. ', '/', '\n');

function textOf(maxWords: number): fc.Arbitrary<string> {
  return fc.array(fc.tuple(word, separator), { maxLength: maxWords }).map((pairs) =>
    pairs
      .map(([one, between]) => one + between)
      .join('')
      .trim(),
  );
}

const label = fc.constantFrom('testing', 'git-workflows', 'data-analysis', 'frontend', 'software-developers-151252');

const fields: fc.Arbitrary<KeywordDocument> = fc.record({
  name: fc.oneof(word, textOf(3)),
  author: fc.constantFrom('ana', 'GitHub', 'react-team', 'bob'),
  labels: fc.uniqueArray(label, { maxLength: 2 }),
  description: textOf(10),
  files: fc.array(fc.record({ filename: fc.constant('SKILL.md'), text: textOf(12) }), { maxLength: 2 }),
});

/** Some have a file that repeats the description, as skills that came without files do. */
const document: fc.Arbitrary<KeywordDocument> = fc.tuple(fields, fc.nat(4)).map(([one, chance]) => {
  const { description, files } = one;
  return chance > 0 ? one : { ...one, files: [...files, { filename: 'SKILL.md', text: description }] };
});

export function catalogueOf(maxLength: number): fc.Arbitrary<KeywordDocument[]> {
  return fc.array(document, { maxLength });
}

export const catalogue: fc.Arbitrary<KeywordDocument[]> = catalogueOf(14);

const HOW = ['same', 'same', 'same', 'same', 'cut', 'changed', 'swapped'] as const;

/** A word of a question, yet to be picked: mostly one, or two in a row, of the catalogue's own. */
interface Pick {
  readonly document: number;
  readonly word: number;
  readonly own: boolean;
  readonly other: string;
  readonly how: (typeof HOW)[number];
  readonly quoted: 'no' | 'one' | 'pair';
}

const pick: fc.Arbitrary<Pick> = fc.record({
  document: fc.nat(1000),
  word: fc.nat(1000),
  own: fc.nat(9).map((n) => n > 0),
  other: word,
  how: fc.constantFrom(...HOW),
  quoted: fc.constantFrom('no', 'no', 'no', 'no', 'no', 'no', 'one', 'pair'),
});

/** Questions, to be made for a catalogue by {@link questionFor}. */
export function picksOf(maxLength: number): fc.Arbitrary<Pick[]> {
  return fc.array(pick, { minLength: 1, maxLength });
}

export const picks: fc.Arbitrary<Pick[]> = picksOf(4);

export function questionFor(documents: readonly KeywordDocument[], wanted: readonly Pick[]): string {
  return wanted.map((one) => askedWord(documents, one)).join(' ');
}

function askedWord(documents: readonly KeywordDocument[], { document, word, own, other, how, quoted }: Pick): string {
  const { name, author, description, files } = documents[document % (documents.length || 1)] ?? EMPTY;
  const words = [name, author, description, ...files.map((file) => file.text)]
    .join(' ')
    .split(/\s+/)
    .filter((w) => w !== '');
  const at = word % (words.length || 1);
  const first = own ? (words[at] ?? other) : other;
  if (quoted === 'pair') return `"${spoil(first, how, word)} ${words[at + 1] ?? ''}"`;
  return quoted === 'one' ? `"${spoil(first, how, word)}"` : spoil(first, how, word);
}

const EMPTY = { name: '', author: '', description: '', files: [] };

/** A word as it stands, cut short, with a letter changed, or with two swapped. */
function spoil(text: string, how: Pick['how'], at: number): string {
  const i = at % Math.max(1, text.length - 1);
  if (how === 'cut') return text.slice(0, Math.max(1, text.length - 1 - (at % 3)));
  if (how === 'changed') return `${text.slice(0, i)}x${text.slice(i + 1)}`;
  if (how === 'swapped') return text.slice(0, i) + (text[i + 1] ?? '') + (text[i] ?? '') + text.slice(i + 2);
  return text;
}

export function sourceOf(documents: readonly KeywordDocument[]): DocumentSource {
  return {
    size: documents.length,
    all: () => documents,
    read: (number) => documents[number] as KeywordDocument,
    nameOf: (number) => (documents[number] as KeywordDocument).name,
  };
}

/** The relevance beside each matching document; undefined if it was not requested, or nothing matches. */
export function scoresOf({ documents, best }: KeywordMatches): Float64Array | undefined {
  return best?.({ count: documents.length, isShown: () => true }).scores;
}
