import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { areNear, joinNearCopies, type SignedDocuments } from '../../src/store/near-copies.js';
import { SKETCH_BYTES } from '../../src/store/text-signature.js';

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
  test('are put together as by comparing each with each', () => {
    fc.assert(
      fc.property(fc.array(given, { minLength: 100, maxLength: 100 }), fc.integer(), (all, seed) => {
        const { groupOf, documents, preference } = documentsOf(all, seed);
        expect([...joinNearCopies(groupOf, preference, documents)]).toEqual(naive(groupOf, preference, documents));
      }),
    );
  });

  test('are put together the same way in whatever order they are numbered', () => {
    fc.assert(
      fc.property(fc.array(given, { minLength: 2, maxLength: 60 }), fc.integer(), (all, seed) => {
        const { groupOf, documents, preference } = documentsOf(all, seed);
        const last = all.length - 1;
        const mirrored = mirror(documents);
        const groups = Array.from(groupOf, (_, i) => groupOf.lastIndexOf(groupOf[last - i] as number));
        const backwards = joinNearCopies(
          Uint32Array.from(groups, (group) => last - group),
          (a, b) => preference(last - a, last - b),
          mirrored,
        );
        const forwards = joinNearCopies(groupOf, preference, documents);
        for (let a = 0; a <= last; a++) {
          for (let b = 0; b < a; b++) {
            expect(backwards[last - a] === backwards[last - b]).toBe(forwards[a] === forwards[b]);
          }
        }
      }),
    );
  });

  test('are found among thousands of one name and one text', () => {
    const size = 20_000;
    const all = Array.from({ length: size }, (_, key) => ({
      key,
      name: 0,
      base: 0,
      changed: key % 2,
      words: 90,
      stars: 0,
    }));
    const { groupOf, documents, preference } = documentsOf(all, 1);
    expect(new Set(joinNearCopies(groupOf, preference, documents)).size).toBe(1);
  });
});

/** In the order of preference each group takes all groups near it that are not taken: over all pairs. */
function naive(
  groupOf: Uint32Array,
  preference: (a: number, b: number) => number,
  documents: SignedDocuments,
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
): { groupOf: Uint32Array; documents: SignedDocuments; preference: (a: number, b: number) => number } {
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

function mirror({ names, texts, words, sketches }: SignedDocuments): SignedDocuments {
  const mirrored = new Uint8Array(sketches.length);
  for (let number = 0; number < names.length; number++) {
    const at = (names.length - 1 - number) * SKETCH_BYTES;
    mirrored.set(sketches.subarray(number * SKETCH_BYTES, (number + 1) * SKETCH_BYTES), at);
  }
  return { names: names.toReversed(), texts: texts.toReversed(), words: words.toReversed(), sketches: mirrored };
}
