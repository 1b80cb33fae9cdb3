import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256Of } from '../../src/core/index.js';
import { CopiesAmong, collapseCopies, copyPreference } from '../../src/store/copies/collapse-copies.js';
import { areNear, type ComparedDocuments, joinNearCopies } from '../../src/store/copies/near-copies.js';
import { differingValues, SIGNATURE_RULES, SKETCH_BYTES, signatureOf } from '../../src/store/copies/text-signature.js';

const facts = (
  rows: readonly (readonly [stars: number, updatedAt: number])[],
): Parameters<typeof copyPreference>[0] => ({
  stars: rows.map(([stars]) => stars),
  updatedAt: rows.map(([, updatedAt]) => updatedAt),
  idRank: rows.map((_, i) => i),
});

test('copies keep one of each group, and count all of it, whatever the order of the list', () => {
  const documents = fc.array(fc.record({ group: fc.nat(5), stars: fc.nat(3), updatedAt: fc.nat(3) }), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(documents, (list) => {
      const rows = facts(list.map((d) => [d.stars, d.updatedAt]));
      // Named by a document, as those of a catalogue are.
      const groups = list.map(({ group }) => list.findIndex((d) => d.group === group));
      const preference = copyPreference(rows);
      const { documents: numbers, counts } = collapseCopies(
        [...list.keys()].reverse(),
        Uint32Array.from(groups),
        preference,
      );
      const expected = new Map<number, number[]>();
      for (const [i, group] of groups.entries()) expected.set(group, [...(expected.get(group) ?? []), i]);
      expect([...numbers].sort((a, b) => a - b)).toEqual(
        [...expected.values()].map((members) => members.sort(preference)[0] as number).sort((a, b) => a - b),
      );
      for (const members of expected.values()) expect(counts.get(members[0] as number) ?? 1).toBe(members.length);
    }),
  );
});

test('copies among copies among some documents are collapsed as by going through all of them', () => {
  const documents = fc.array(fc.record({ group: fc.nat(8), stars: fc.nat(3), isAmong: fc.boolean() }), {
    minLength: 1,
    maxLength: 80,
  });
  fc.assert(
    fc.property(documents, (list) => {
      // Named by a document, as those of a catalogue are.
      const groupOf = Uint32Array.from(list, ({ group }) => list.findIndex((one) => one.group === group));
      const preference = (a: number, b: number): number => list[b]!.stars - list[a]!.stars || a - b;
      const among = Uint32Array.from(list.keys()).filter((document) => list[document]!.isAmong);
      const copies = new CopiesAmong(among, groupOf, preference);
      const { documents: kept, counts } = collapseCopies(among, groupOf, preference);
      expect(copies.total).toBe(kept.length);
      expect([...among].filter((document) => copies.isKept(document))).toEqual([...kept].sort((a, b) => a - b));
      for (const document of kept) expect(copies.countOf(document)).toBe(counts.get(document) ?? 1);
    }),
  );
});

/** Has no divisor in common with the size of a sketch: values that change are spread over it. */
const STEP = 37;

interface Given {
  /** Group that a document is in already, from 0. */
  readonly key: number;
  readonly name: number;
  /** Sketch that its own goes back to, and how many values of it are others. */
  readonly base: number;
  readonly changed: number;
  readonly words: number;
  readonly stars: number;
}

const given: fc.Arbitrary<Given> = fc.record({
  key: fc.nat(200),
  name: fc.nat(1),
  base: fc.nat(1),
  changed: fc.oneof(fc.constant(0), fc.nat(30)),
  words: fc.constantFrom(-1, 8, 40, 90, 90, 300, 300, 300),
  stars: fc.nat(3),
});

describe('documents of nearly the same text', () => {
  test('are put together as by comparing each with each, up to a hundred of one name', () => {
    fc.assert(
      fc.property(fc.array(given, { minLength: 100, maxLength: 100 }), fc.integer(), (all, seed) => {
        const { groupOf, documents, preference } = documentsOf(all, seed);
        expect([...joinNearCopies(groupOf, preference, documents)]).toEqual(naive(groupOf, preference, documents));
      }),
    );
  });

  test('are found with work that grows with their number, though they share one template', () => {
    const readsFor = (size: number): number => {
      const { documents, reads } = counted(templateTexts(size));
      const groups = joinNearCopies(Uint32Array.from(documents.texts.keys()), (a, b) => a - b, documents);
      expect(new Set(groups).size).toBe(size);
      return reads();
    };
    expect(readsFor(4000) / readsFor(2000)).toBeLessThan(2.5);
  });
});

/** Texts of one name: 200 words that all have, and 80 of their own. */
function templateTexts(size: number): ComparedDocuments {
  const common = Array.from({ length: 200 }, (_, i) => `common${i}`).join(' ');
  const sketches = new Uint8Array(size * SKETCH_BYTES);
  const texts = new Float64Array(size);
  for (let number = 0; number < size; number++) {
    const own = Array.from({ length: 80 }, (_, i) => `own${number}x${i}`).join(' ');
    const { text, sketch } = signatureOf({ name: 'notes', description: '', text: `${common} ${own}` });
    texts[number] = text;
    sketches.set(sketch, number * SKETCH_BYTES);
  }
  return { names: new Uint32Array(size), texts, words: new Float64Array(size).fill(280), sketches };
}

/** Documents that count how often their sketches are asked for: once by every comparison of two texts. */
function counted(documents: ComparedDocuments): { documents: ComparedDocuments; reads: () => number } {
  let reads = 0;
  const { names, texts, words, sketches } = documents;
  const counting = {
    names,
    texts,
    words,
    get sketches() {
      reads += 1;
      return sketches;
    },
  };
  return { documents: counting, reads: () => reads };
}

/** In the order of preference each group takes all groups near it that are not taken: over all pairs. */
function naive(
  groupOf: Uint32Array,
  preference: (a: number, b: number) => number,
  documents: ComparedDocuments,
): number[] {
  const numbers = [...groupOf.keys()];
  const signed = (number: number): boolean => (documents.words[number] as number) >= 0;
  const leaderOf = new Map<number, number>();
  for (const first of numbers.toSorted(preference)) {
    const leader = groupOf[first] as number;
    if (leaderOf.has(leader)) continue;
    leaderOf.set(leader, leader);
    for (const a of numbers.filter((number) => groupOf[number] === leader && signed(number))) {
      for (const b of numbers.filter(signed)) {
        const other = groupOf[b] as number;
        if (!leaderOf.has(other) && areNear(documents, a, b)) leaderOf.set(other, leader);
      }
    }
  }
  return numbers.map((number) => leaderOf.get(groupOf[number] as number) as number);
}

/** Documents of one key have one name, and those that have the same sketch the same text, as hashes would have it. */
function documentsOf(
  all: readonly Given[],
  seed: number,
): { groupOf: Uint32Array; documents: ComparedDocuments; preference: (a: number, b: number) => number } {
  const firsts = new Map<number, number>();
  for (const [number, { key }] of all.entries()) if (!firsts.has(key)) firsts.set(key, number);
  const groupOf = Uint32Array.from(all, ({ key }) => firsts.get(key) as number);
  const sketches = new Uint8Array(all.length * SKETCH_BYTES);
  const hashes = new Map<string, number>();
  const texts = new Float64Array(all.length);
  for (const [number, { base, changed, words }] of all.entries()) {
    const sketch = sketches.subarray(number * SKETCH_BYTES, (number + 1) * SKETCH_BYTES).fill(base);
    // From the same beginning on, so that texts may be near each other where they are far from what they go back to.
    for (let i = 0; i < changed; i++) sketch[(i * STEP + seed) & (SKETCH_BYTES - 1)] = 2 + (number % 3);
    const key = `${words} ${sketch.join()}`;
    if (!hashes.has(key)) hashes.set(key, hashes.size);
    texts[number] = hashes.get(key) as number;
  }
  const documents = {
    names: Uint32Array.from(groupOf, (group) => (all[group] as Given).name),
    texts,
    words: Float64Array.from(all, ({ words }) => words),
    sketches,
  };
  const stars = (number: number): number => (all[number] as Given).stars;
  return { groupOf, documents, preference: (a, b) => stars(b) - stars(a) || a - b };
}

describe('the signature of a text', () => {
  test('estimates which share of the runs of three words two texts have in common', () => {
    const word = fc.nat(5000).map((number) => `w${number}`);
    const anyText = fc.array(word, { minLength: 150, maxLength: 400 });
    const kept = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(anyText, anyText, kept, (a, other, percent) => {
        const b = [...a.slice(0, (a.length * percent) / 100), ...other];
        // Five standard deviations of 128 draws.
        expect(Math.abs(similarity(a.join(' '), b.join(' ')) - jaccard(a, b))).toBeLessThan(0.23);
      }),
    );
  });

  test.each([
    ['case', 'Release Notes, from the log', 'release notes, from THE LOG'],
    ['punctuation and white space', '# Notes\n\n- from *the* log!', 'notes from the   log'],
    ['case outside ASCII', 'Über Ärger und ΣΑΣ', 'über ärger und σασ'],
    ['a mark that stands alone', 'one + two # three', 'one two three'],
  ])('does not depend on %s', (_, a, b) => {
    expect(of(a)).toEqual(of(b));
  });

  test.each([
    ['the order of words', 'one two three four', 'four three two one'],
    ['a language that ends with a mark', 'written in C today', 'written in C++ today'],
    ['a character of Chinese', '生成发布说明文档', '生成发布说明文件'],
    ['a character outside the basic plane', 'the 𠀀 of it', 'the 𠀁 of it'],
    ['a word more', 'one two three', 'one two three four'],
  ])('depends on %s', (_, a, b) => {
    expect(of(a).text).not.toBe(of(b).text);
    expect(of(a).sketch).not.toEqual(of(b).sketch);
  });

  test('belongs to the version of the rules that made it', () => {
    const texts = [
      "The user's guide: C, C++ and C# – issue#12, a + b; e-mail, RÉSUMÉ, ΣΑΣ, 3.5 🚀",
      '数据分析 データをテストする サーバー 데이터 분석 การวิเคราะห์ ພາສາລາວ ភាសាខ្មែរ မြန်မာဘာသာ၊ \u{20000}',
      'one two three four five six seven eight nine ten '.repeat(20),
      'one two',
      '',
    ];
    const names = ['pdf-forms', 'PDF  Forms', 'C++', 'Straße', 'हिन्दी', '数据分析'];
    const made = names.flatMap((name) =>
      texts.map((text) => {
        const signature = signatureOf({ name, description: 'Reads PDF forms.', text });
        return [signature.name, signature.text, signature.words, [...signature.sketch]];
      }),
    );
    const hash = sha256Of(JSON.stringify(made)).slice(0, 16);

    // Does this fail? Then the same texts have other signatures than before: raise SIGNATURE_RULES, and put both
    // values here.
    expect([SIGNATURE_RULES, hash]).toEqual([2, '50e847f504afdf0a']);
  });
});

function of(text: string): ReturnType<typeof signatureOf> {
  const signature = signatureOf({ name: 'n', description: text, text });
  return { ...signature, sketch: signature.sketch.slice() };
}

function similarity(a: string, b: string): number {
  const sketches = Uint8Array.from([...of(a).sketch, ...of(b).sketch]);
  return 1 - differingValues(sketches, 0, 1, SKETCH_BYTES) / SKETCH_BYTES;
}

function jaccard(a: readonly string[], b: readonly string[]): number {
  const [left, right] = [shingles(a), shingles(b)];
  return [...left].filter((one) => right.has(one)).length / new Set([...left, ...right]).size;
}

function shingles(words: readonly string[]): Set<string> {
  return new Set(words.slice(2).map((_, i) => words.slice(i, i + 3).join(' ')));
}
