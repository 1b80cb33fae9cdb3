import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allPieces } from '../../src/core/index.js';
import {
  type DocumentScores,
  type DocumentSource,
  type FieldWeights,
  type KeywordDocument,
  type KeywordIndex,
  type Question,
  type RankedDocuments,
  readQuestion,
} from '../../src/keyword/index.js';
import { type FieldScores, SCORED_FIELDS } from '../../src/result.js';
import { catalogueOf, picksOf, questionFor, sourceOf } from './arbitrary-catalogue.js';
import { documentOf } from './build-indexes.js';
import { NaiveBm25f } from './naive-keyword-search.js';

const EVEN: FieldWeights = { name: 1, author: 1, labels: 1, description: 1, files: 1 };
const NAME_ONLY: FieldWeights = { name: 1, author: 0, labels: 0, description: 0, files: 0 };
const NO_SCORE = { name: 0, author: 0, labels: 0, description: 0, files: 0 };

/** What `rank` must do in every implementation of {@link KeywordIndex}. */
export function describeAnyWordRanking(
  name: string,
  build: (documents: DocumentSource) => Promise<KeywordIndex>,
): void {
  describe(`${name} ranks by any word as the contract says`, () => {
    async function rank(
      q: string,
      documents: readonly Partial<KeywordDocument>[],
      weights: FieldWeights = EVEN,
      limit = 10,
    ): Promise<RankedDocuments & { readonly fieldsOf: (number: number) => FieldScores }> {
      const index = await build(sourceOf(documents.map(documentOf)));
      const ranked = allPieces(index.rank(readQuestion(q), { weights, limit }));
      return { ...ranked, fieldsOf: (number) => scoresOfOne(ranked, number).fields };
    }

    async function found(
      q: string,
      documents: readonly Partial<KeywordDocument>[],
      weights: FieldWeights = EVEN,
      limit = 10,
    ): Promise<number[]> {
      return [...(await rank(q, documents, weights, limit)).documents];
    }

    test('finds nothing for a question without words', async () => {
      const { documents: numbers, highest, fieldsOf } = await rank('…', [{ name: 'react' }]);
      expect([numbers.length, highest, fieldsOf(0)]).toEqual([0, 0, NO_SCORE]);
    });

    test('finds documents that have only some of the words', async () => {
      const documents = [{ name: 'react' }, { name: 'vue' }, { name: 'react testing' }];
      expect(await found('react testing', documents)).toEqual([2, 0]);
    });

    test('finds the best of very many that score alike, in the order of their numbers', async () => {
      const alike = Array.from({ length: 9000 }, () => ({ description: 'react tests' }));
      const documents = [...alike, { description: 'react' }, ...alike, { description: 'react' }];
      const { documents: numbers, scores } = await rank('react', documents, EVEN, 5);
      expect([...numbers]).toEqual([9000, 18_001, 0, 1, 2]);
      expect(scores[2]).toBe(scores[4]);
    });

    test('finds nothing by a field of weight 0, and tells its score all the same', async () => {
      const documents = [{ name: 'react' }, { description: 'react' }];
      const { documents: numbers, fieldsOf } = await rank('react', documents, NAME_ONLY);
      expect([...numbers]).toEqual([0]);
      expect(fieldsOf(1).description).toBeGreaterThan(0);
      expect(await found('react', documents, NO_SCORE)).toEqual([]);
    });

    test('finds no beginnings of words and no words some edits away', async () => {
      expect(await found('kuber raect', [{ name: 'kubernetes' }, { name: 'react' }])).toEqual([]);
    });

    test('lowers what can be reached by words that occur nowhere', async () => {
      const documents = [{ name: 'pdf reader' }, { name: 'ocr' }];
      const known = await rank('pdf', documents);
      const unknown = await rank('pdf zzyzx', documents);
      expect([...unknown.scores]).toEqual([...known.scores]);
      expect(unknown.highest).toBeGreaterThan(2 * known.highest);
    });

    test('keeps telling the fields of one question after the next was asked', async () => {
      const index = await build(sourceOf([{ name: 'react' }, { name: 'vue' }].map(documentOf)));
      const both = Uint32Array.of(0, 1);
      const { scoresOf } = allPieces(index.rank(readQuestion('react'), { weights: EVEN, limit: 1 }));
      const before = scoresOf(both);
      allPieces(index.rank(readQuestion('vue'), { weights: EVEN, limit: 1 }));
      expect(scoresOf(both)).toEqual(before);
    });

    test('answers questions whose pieces of work alternate as if each were alone, also after one that was broken off', async () => {
      const names = ['react testing', 'vue testing', 'react vue', 'svelte'];
      const documents = sourceOf(names.map((name) => documentOf({ name, description: `${name} skill` })));
      const ranked = ({ documents: best, scores }: RankedDocuments): unknown => [[...best], [...scores]];
      const options = { weights: EVEN, limit: 3 };
      const questions = ['react testing skill', 'vue svelte', 'testing skill'].map((q) => readQuestion(q));
      const alone = await build(documents);
      const expected = questions.map((question) => ranked(allPieces(alone.rank(question, options))));
      const index = await build(documents);
      index.rank(questions[0]!, options).next();
      const left = index.rank(questions[1]!, options);
      for (let piece = 0; piece < 3; piece++) left.next();
      const answers: unknown[] = [];
      const running = [...questions.map((question) => index.rank(question, options)).entries()];
      while (running.length > 0) {
        const [number, pieces] = running.shift()!;
        const { done, value } = pieces.next();
        if (done === true) answers[number] = ranked(value);
        else running.push([number, pieces]);
      }
      expect(answers).toEqual(expected);
    });

    test('gives way at least once for each word that occurs', async () => {
      const words = ['react', 'vue', 'svelte', 'testing', 'cargo'];
      const index = await build(sourceOf(words.map((name) => documentOf({ name, description: words.join(' ') }))));
      for (const q of [words.join(' '), 'react']) {
        const pieces = index.rank(readQuestion(q), { weights: EVEN, limit: 1 });
        let count = 0;
        while (pieces.next().done !== true) count += 1;
        expect(count).toBeGreaterThanOrEqual(q.split(' ').length);
      }
    });

    const weight = fc.constantFrom(0, 0, 0.3, 1, 1, 2.5);
    const weights = fc.record({ name: weight, author: weight, labels: weight, description: weight, files: weight });
    const limit = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 100 }));
    const asked = fc.record({
      wanted: picksOf(12),
      weights,
      limit,
      kept: fc.option(fc.array(fc.boolean(), { minLength: 60, maxLength: 60 })),
    });

    test('ranks and scores as by going through all documents', { timeout: 300_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(
          catalogueOf(60),
          fc.array(asked, { minLength: 4, maxLength: 4 }),
          async (documents, questions) => {
            const index = await build(sourceOf(documents));
            for (const { wanted, weights, limit, kept } of questions) {
              const question = readQuestion(questionFor(documents, wanted));
              const naive = new NaiveBm25f(documents, question.looseWords);
              const filter =
                kept === null ? undefined : Uint8Array.from(documents, (_, i) => (kept[i] === true ? 1 : 0));
              const answer = allPieces(index.rank(question, { weights, limit, filter }));

              expect(answer.highest).toBeCloseTo(naive.highest, 9);
              const all = Uint32Array.from(documents.keys());
              expect(answer.scoresOf(all)).toEqual(
                Array.from(all, (number) => ({
                  score: expect.closeTo(naive.scoreOf(number, weights), 9),
                  fields: closeTo(naive.fieldsOf(number)),
                  coverage: expect.closeTo(naive.coverageOf(number), 9),
                  fileTerms: naive.fileTermsOf(number),
                })),
              );
              const found = answer.documents.slice().sort();
              expect(answer.scoresOf(found).map(({ score }) => score)).toEqual(
                Array.from(found, (number) => answer.scores[answer.documents.indexOf(number)]),
              );
              const expected = scoredBy(documents, question, weights).filter(({ number }) => filter?.[number] !== 0);
              expectBest(answer, expected, limit);
            }
          },
        ),
        { numRuns: 25 },
      );
    });
  });
}

function scoresOfOne({ scoresOf }: RankedDocuments, number: number): DocumentScores {
  return scoresOf(Uint32Array.of(number))[0] as DocumentScores;
}

function closeTo(fields: FieldScores): FieldScores {
  const entries = SCORED_FIELDS.map((field) => [field, expect.closeTo(fields[field], 9)] as const);
  return Object.fromEntries(entries) as FieldScores;
}

interface Scored {
  readonly number: number;
  readonly score: number;
}

function scoredBy(documents: readonly KeywordDocument[], question: Question, weights: FieldWeights): Scored[] {
  const naive = new NaiveBm25f(documents, question.looseWords);
  return [...documents.keys()]
    .map((number) => ({ number, score: naive.scoreOf(number, weights) }))
    .filter(({ score }) => score > 0);
}

/** Scores that differ by rounding only may come in either order. */
function expectBest({ documents: numbers, scores }: RankedDocuments, expected: readonly Scored[], limit: number): void {
  const scoreOf = new Map(expected.map(({ number, score }) => [number, score]));
  expect(numbers).toHaveLength(Math.min(limit, expected.length));
  expect(scores).toHaveLength(numbers.length);
  expect(new Set(numbers).size).toBe(numbers.length);
  for (const [i, number] of numbers.entries()) {
    const score = scores[i] as number;
    expect(score).toBeCloseTo(scoreOf.get(number) ?? Number.NaN, 9);
    const before = scores[i - 1] ?? Number.POSITIVE_INFINITY;
    expect(score).toBeLessThanOrEqual(before);
    if (score === before) expect(number).toBeGreaterThan(numbers[i - 1] as number);
  }
  const last = scores.at(-1) ?? 0;
  const left = expected.filter(({ number }) => !numbers.includes(number));
  for (const { score } of left) expect(score).toBeLessThanOrEqual(last + 1e-9);
}
