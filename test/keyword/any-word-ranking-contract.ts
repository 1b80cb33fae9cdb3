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

    test('finds nothing in an empty catalogue', async () => {
      const { documents: numbers, scores, highest } = await rank('anything', []);
      expect([numbers.length, scores.length]).toEqual([0, 0]);
      expect(highest).toBeGreaterThan(0);
    });

    test('finds nothing for a question without words', async () => {
      const { documents: numbers, highest, fieldsOf } = await rank('…', [{ name: 'react' }]);
      expect([numbers.length, highest, fieldsOf(0)]).toEqual([0, 0, NO_SCORE]);
    });

    test('finds documents that have only some of the words', async () => {
      const documents = [{ name: 'react' }, { name: 'vue' }, { name: 'react testing' }];
      expect(await found('react testing', documents)).toEqual([2, 0]);
    });

    test('ranks a rare word above a common one', async () => {
      const documents = [{ name: 'pdf' }, { name: 'pdf' }, { name: 'ocr' }, { name: 'pdf' }];
      expect(await found('pdf ocr', documents)).toEqual([2, 0, 1, 3]);
    });

    test('finds the best of very many that score alike, in the order of their numbers', async () => {
      const alike = Array.from({ length: 9000 }, () => ({ description: 'react tests' }));
      const documents = [...alike, { description: 'react' }, ...alike, { description: 'react' }];
      const { documents: numbers, scores } = await rank('react', documents, EVEN, 5);
      expect([...numbers]).toEqual([9000, 18_001, 0, 1, 2]);
      expect(scores[2]).toBe(scores[4]);
    });

    test('counts a word less in a longer text, and more where it is repeated', async () => {
      const documents = [
        { description: 'invoices and many other things that are not asked for' },
        { description: 'invoices' },
        { description: 'invoices, invoices' },
      ];
      expect(await found('invoices', documents)).toEqual([2, 1, 0]);
    });

    test('finds nothing by a field of weight 0, and tells its score all the same', async () => {
      const documents = [{ name: 'react' }, { description: 'react' }];
      const { documents: numbers, fieldsOf } = await rank('react', documents, NAME_ONLY);
      expect([...numbers]).toEqual([0]);
      expect(fieldsOf(1).description).toBeGreaterThan(0);
      expect(await found('react', documents, NO_SCORE)).toEqual([]);
    });

    test('takes a word in two fields for one that is repeated, not for two words', async () => {
      const documents = [{ name: 'pdf', description: 'pdf' }, { name: 'pdf ocr' }, { name: 'ocr' }, { name: 'x' }];
      const ranked = await rank('pdf ocr', documents);
      expect(ranked.documents[0]).toBe(1);
      const { score, fields } = scoresOfOne(ranked, 0);
      expect(score).toBeGreaterThan(fields.name);
      expect(score).toBeLessThan(fields.name + fields.description);
    });

    test('does not count a file that only repeats the description', async () => {
      const text = 'reads pdf forms';
      const repeated = { description: text, files: [{ filename: 'SKILL.md', text }] };
      const { scores, fieldsOf } = await rank('pdf', [{ description: text }, repeated]);
      expect(scores[1]).toBe(scores[0]);
      expect(fieldsOf(1)).toEqual(fieldsOf(0));
      const other = {
        description: 'forms',
        files: [
          { filename: 'SKILL.md', text },
          { filename: 'b', text: 'forms' },
        ],
      };
      expect(await found('pdf', [other])).toEqual([0]);
    });

    test('scores each field on its own', async () => {
      const documents = [
        { name: 'deploy', author: 'ana', labels: ['git-workflows'], description: 'release' },
        { files: [{ filename: 'SKILL.md', text: 'deploy' }] },
      ];
      const { fieldsOf } = await rank('deploy ana git', documents);
      const scored = (number: number): string[] => SCORED_FIELDS.filter((field) => fieldsOf(number)[field] > 0);
      expect(scored(0)).toEqual(['name', 'author', 'labels']);
      expect(scored(1)).toEqual(['files']);
    });

    test('finds the forms of a word by its stem, and adds them up', async () => {
      const descriptions = ['test', 'tests testing', 'tested', 'toast'];
      const documents = descriptions.map((description) => ({ description }));
      const { documents: numbers, fieldsOf } = await rank('testing', documents);
      expect([...numbers].sort()).toEqual([0, 1, 2]);
      expect(numbers[0]).toBe(1);
      expect(fieldsOf(0)).toEqual(fieldsOf(2));
    });

    test('finds no beginnings of words and no words some edits away', async () => {
      expect(await found('kuber raect', [{ name: 'kubernetes' }, { name: 'react' }])).toEqual([]);
    });

    test('finds the parts of words in PascalCase, with the description', async () => {
      const { documents: numbers, fieldsOf } = await rank('builder', [
        { name: 'PipelineBuilder' },
        { name: 'builder' },
      ]);
      expect([...numbers].sort()).toEqual([0, 1]);
      expect(fieldsOf(0)).toMatchObject({ name: 0, description: expect.closeTo(fieldsOf(1).name, 0) });
      expect(fieldsOf(0).description).toBeGreaterThan(0);
    });

    test('finds Chinese by pairs of characters, a single character inside its pairs', async () => {
      const documents = [{ name: '数据分析' }, { name: '数据' }, { name: '自动化测试' }, { name: '用于' }];
      expect(await found('分析数据', documents)).toEqual([0, 1]);
      expect(await found('用 测试', documents)).toEqual([3, 2]);
    });

    test('finds a single character that begins many pairs', async () => {
      const seconds = Array.from({ length: 60 }, (_, i) => String.fromCodePoint(0x4e00 + i));
      const documents = [...seconds.map((second) => ({ name: `用${second}` })), { name: '数据' }];
      const { documents: numbers, fieldsOf } = await rank('用', documents, EVEN, 100);
      expect([...numbers]).toEqual([...seconds.keys()]);
      expect(fieldsOf(59)).toEqual(fieldsOf(0));
      expect(fieldsOf(60)).toEqual(NO_SCORE);
    });

    test('reads quoted words as words', async () => {
      expect(await found('"release notes"', [{ name: 'notes' }, { name: 'of the release' }])).toEqual([0, 1]);
    });

    test('lowers what can be reached by words that occur nowhere', async () => {
      const documents = [{ name: 'pdf reader' }, { name: 'ocr' }];
      const known = await rank('pdf', documents);
      const unknown = await rank('pdf zzyzx', documents);
      expect([...unknown.scores]).toEqual([...known.scores]);
      expect(unknown.highest).toBeGreaterThan(2 * known.highest);
    });

    test('stays below what can be reached, and comes close to it', async () => {
      const { highest, fieldsOf } = await rank('pdf ocr', [
        { description: 'pdf ocr '.repeat(500) },
        { name: 'other', description: 'long text about many other things' },
      ]);
      expect(fieldsOf(0).description).toBeLessThan(highest);
      expect(fieldsOf(0).description / highest).toBeGreaterThan(0.99);
    });

    test('ranks equal documents by their numbers', async () => {
      const equal = { name: 'pdf', description: 'reads pdf and ocr' };
      const documents = [equal, { name: 'x' }, equal, { name: 'ocr ocr' }, equal];
      expect(await found('pdf ocr', documents, EVEN, 2)).toEqual([0, 2]);
      expect(await found('pdf ocr', documents)).toEqual([0, 2, 4, 3]);
    });

    test('gives each question the same answer however often and in whatever order they are asked', async () => {
      const documents = [{ name: 'react testing' }, { name: 'test' }, { description: 'react' }].map(documentOf);
      const index = await build(sourceOf(documents));
      const ask = (q: string, limit: number): number[] => [
        ...allPieces(index.rank(readQuestion(q), { weights: EVEN, limit })).documents,
      ];
      const questions = ['react', 'testing', 'react testing', 'nothing'];
      const first = questions.map((q) => ask(q, 10));
      ask('react testing', 1);
      expect(questions.toReversed().map((q) => ask(q, 10))).toEqual(first.toReversed());
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
        { numRuns: 100 },
      );
    });

    // Few words, most of them in many documents: here an index may stop reading long before the end.
    const common = fc.oneof(
      ...['pdf', 'git', 'ocr', 'api', 'css', 'sql'].map((one, i) => ({ weight: 2 ** i, arbitrary: fc.constant(one) })),
    );
    const texts = fc.record({
      name: fc.array(common, { maxLength: 2 }).map((words) => words.join(' ')),
      description: fc.array(common, { maxLength: 6 }).map((words) => words.join(' ')),
      files: fc.array(common, { maxLength: 6 }).map((words) => [{ filename: 'SKILL.md', text: words.join(' ') }]),
    });
    const crowd = fc.array(texts, { minLength: 40, maxLength: 120 });

    test('finds the best of many documents that share their words', { timeout: 300_000 }, async () => {
      const questions = fc.array(
        fc.tuple(fc.uniqueArray(common, { minLength: 1 }), weights, fc.integer({ min: 1, max: 4 })),
        {
          minLength: 12,
          maxLength: 12,
        },
      );
      await fc.assert(
        fc.asyncProperty(crowd, questions, async (partial, asked) => {
          const documents = partial.map(documentOf);
          const index = await build(sourceOf(documents));
          for (const [words, weights, limit] of asked) {
            const question = readQuestion(words.join(' '));
            expectBest(
              allPieces(index.rank(question, { weights, limit })),
              scoredBy(documents, question, weights),
              limit,
            );
          }
        }),
        { numRuns: 40 },
      );
    });

    test('ranks a copy right behind its original or after it', async () => {
      await fc.assert(
        fc.asyncProperty(catalogueOf(40), asked, async (documents, { wanted, weights, limit }) => {
          const index = await build(sourceOf([...documents, ...documents]));
          const question = readQuestion(questionFor(documents, wanted));
          const numbers = [...allPieces(index.rank(question, { weights, limit })).documents];
          for (const [place, number] of numbers.entries()) {
            const original = number % documents.length;
            expect(numbers.indexOf(original)).toBeLessThanOrEqual(place);
            expect(numbers).toContain(original);
          }
        }),
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
