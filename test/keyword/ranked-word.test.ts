import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allPieces } from '../../src/core/index.js';
import { rankAnyWord } from '../../src/keyword/any-word-ranking.js';
import { inverseDocumentFrequency, LengthNorms, saturation } from '../../src/keyword/bm25.js';
import {
  byteOf,
  type RankedWord,
  RankingSpace,
  readingOf,
  readRankedWord,
  recentWords,
} from '../../src/keyword/ranked-word.js';
import { SCORED_FIELDS } from '../../src/result.js';

/** More documents than two bytes can number, twice. */
const SIZE = 150_000;
const WEIGHTS = { name: 1, author: 0, labels: 0.2, description: 1, files: 0.3 };
const NORMS = SCORED_FIELDS.map(
  (_, field) =>
    new LengthNorms(
      Uint32Array.from({ length: SIZE }, (_, i) => 1 + ((i * (field + 3)) % 9)),
      5 * SIZE,
      9,
    ),
);
const READING = readingOf(NORMS, WEIGHTS);
const SPACE = new RankingSpace(SIZE);

/** By scored field some posting lists, each with frequencies by document. */
type Lists = readonly (readonly ReadonlyMap<number, number>[])[];

const posting = fc.tuple(
  fc.oneof(fc.nat(SIZE - 1), fc.constantFrom(0, 65_535, 65_536, 131_071, 131_072, SIZE - 1)),
  fc.integer({ min: 1, max: 300 }),
);
const list = fc.array(posting, { minLength: 1, maxLength: 20 }).map((postings) => new Map(postings));
const lists: fc.Arbitrary<Lists> = fc.tuple(...SCORED_FIELDS.map(() => fc.array(list, { maxLength: 3 })));

/** All documents of some field, with their frequencies. */
function frequent(every: number): Lists {
  const all = new Map(Array.from({ length: Math.ceil(SIZE / every) }, (_, i) => [i * every, 1 + (i % 5)]));
  return SCORED_FIELDS.map((field) => (field === 'description' ? [all] : []));
}

function read(word: Lists): RankedWord {
  return allPieces(readRankedWord(word, READING, SPACE));
}

/** The saturation of each document that has a word in a field that counts. */
function saturations(word: Lists): Map<number, number> {
  const amounts = new Map<number, number>();
  for (const [field, ofField] of word.entries()) {
    for (const one of ofField) {
      for (const [document, frequency] of one) {
        const amount = (READING.weights[field]! * frequency) / NORMS[field]!.of(document);
        amounts.set(document, (amounts.get(document) ?? 0) + amount);
      }
    }
  }
  return new Map([...amounts].filter(([, amount]) => amount > 0).map(([one, amount]) => [one, saturation(amount)]));
}

describe('a word that was read for ranking', () => {
  test('has for each document at least its saturation and at most a scale more, and nothing for all others', () => {
    fc.assert(
      fc.property(fc.oneof(lists, fc.integer({ min: 2, max: 9 }).map(frequent)), (word) => {
        const expected = saturations(word);
        const ranked = read(word);
        expect(ranked.size).toBe(expected.size);
        expect(ranked.documentFrequency).toBe(new Set(word.flat().flatMap((one) => [...one.keys()])).size);
        const wrong: number[] = [];
        for (let document = 0; document < SIZE; document++) {
          const exact = expected.get(document);
          const told = byteOf(ranked, document) * ranked.scale;
          const isRight =
            exact === undefined ? told === 0 : told >= exact - 1e-12 && told <= exact + ranked.scale + 1e-12;
          if (!isRight) wrong.push(document);
        }
        expect(wrong).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });

  test('ranks the same documents as adding up all saturations, in catalogues of any size', () => {
    const words = fc.array(fc.oneof(lists, fc.integer({ min: 2, max: 9 }).map(frequent)), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 30 }), (asked, limit) => {
        const sums = new Map<number, number>();
        for (const word of asked) {
          const found = saturations(word);
          const documents = new Set(word.flat().flatMap((one) => [...one.keys()])).size;
          const idf = inverseDocumentFrequency(SIZE, documents);
          for (const [document, part] of found) sums.set(document, (sums.get(document) ?? 0) + idf * part);
        }
        const ranked = allPieces(
          rankAnyWord(
            asked.map(read),
            asked.map(() => 1),
            READING,
            { limit },
            SPACE,
            SIZE,
          ),
        );
        const best = [...sums.values()].sort((a, b) => b - a).slice(0, limit);
        expect([...ranked.scores]).toEqual(best.map((score) => expect.closeTo(score, 8)));
        for (const [i, document] of ranked.documents.entries()) {
          expect(sums.get(document)).toBeCloseTo(ranked.scores[i]!, 8);
        }
      }),
      { numRuns: 25 },
    );
  });

  test('is remembered with those asked last, as far as there is room', () => {
    const words = recentWords(SIZE);
    const common = read(frequent(2));
    for (let i = 0; i < 1000; i++) words.get(`word ${i}`, () => common);
    const kept = Array.from({ length: 1000 }, (_, i) => words.peek(`word ${i}`) !== undefined);
    expect(kept.at(-1)).toBe(true);
    expect(kept[0]).toBe(false);
    // A byte for each document of the catalogue.
    expect(kept.filter((is) => is).length * SIZE).toBeLessThanOrEqual(40_000_000);
  });
});
