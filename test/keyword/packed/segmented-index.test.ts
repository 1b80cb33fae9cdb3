import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CompletionOptions, KeywordDocument, KeywordIndex } from '../../../src/keyword/keyword-index.js';
import { collectKeywords } from '../../../src/keyword/packed/build/collect-keywords.js';
import { PackedIndex } from '../../../src/keyword/packed/packed-index.js';
import { SegmentedIndex } from '../../../src/keyword/packed/segmented-index.js';
import { readQuestion } from '../../../src/keyword/question.js';
import { Work } from '../../../src/keyword/work.js';
import { catalogueOf, picks, questionFor, sourceOf } from '../arbitrary-catalogue.js';
import { describeKeywordIndex } from '../keyword-index-contract.js';
import { type Split, splitIntoSegments } from './split-into-segments.js';

const WEIGHTS = { name: 1, author: 0.1, labels: 0.2, description: 1, files: 0.3 };

const document = { name: 'x', author: 'somebody', labels: [], description: '', files: [] };

const segmented = (documents: readonly KeywordDocument[], split: Split): KeywordIndex =>
  new SegmentedIndex(splitIntoSegments(documents, split), sourceOf(documents));

const packed = (documents: readonly KeywordDocument[]): KeywordIndex =>
  new PackedIndex(collectKeywords(sourceOf(documents)), sourceOf(documents));

/** A split that is another for each catalogue, and the same each time: the contract knows of no segments. */
function splitOf(documents: readonly KeywordDocument[]): Split {
  const seed = JSON.stringify(documents).length;
  const numbers = Array.from({ length: 13 }, (_, i) => (seed * (i + 3) * 7919) % 31);
  const gone = numbers.map((n, i) => {
    const one = documents[n % documents.length];
    if (n % 3 === 0 || one === undefined) return undefined;
    const description = `${one.name} ${one.description} kubernetes tset testings 数据 ${'deploy '.repeat(i)}`;
    return n % 3 === 1 ? one : { ...one, name: `${one.name} react`, description };
  });
  return { count: 1 + (seed % 5), owners: numbers, gone };
}

describeKeywordIndex('SegmentedIndex', async (documents) => {
  const all = [...documents.all()];
  return segmented(all, splitOf(all));
});

const split = (documents: readonly KeywordDocument[]): fc.Arbitrary<Split> =>
  fc.record({
    count: fc.integer({ min: 1, max: 5 }),
    owners: fc.array(fc.nat(9), { minLength: 1, maxLength: 30 }),
    gone: fc.array(
      fc.option(
        fc.oneof(
          catalogueOf(3).map(([one]) => one ?? document),
          fc.constantFrom(document, ...documents),
        ),
        {
          nil: undefined,
        },
      ),
      { minLength: 1, maxLength: 12 },
    ),
  });

const splitCatalogue = catalogueOf(30).chain((documents) => fc.tuple(fc.constant(documents), split(documents)));

describe('an index over several segments', () => {
  test('answers exactly as one index over the documents that are left', { timeout: 300_000 }, () => {
    fc.assert(
      fc.property(
        splitCatalogue,
        fc.array(fc.tuple(picks, fc.option(fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }))), {
          minLength: 6,
          maxLength: 6,
        }),
        ([documents, one], asked) => {
          const [index, whole] = [segmented(documents, one), packed(documents)];
          const all = Uint32Array.from(documents.keys());
          for (const [wanted, kept] of asked) {
            const text = questionFor(documents, wanted);
            const question = readQuestion(text);
            const filter = kept === null ? undefined : Uint8Array.from(all, (i) => (kept[i] === true ? 1 : 0));
            const [found, expected] = [index, whole].map((each) => each.match(question, { filter, scored: true }));
            expect([text, found!.step, [...found!.documents]]).toEqual([
              text,
              expected!.step,
              [...expected!.documents],
            ]);
            expect([text, found!.scores]).toEqual([text, expected!.scores]);
            expect([text, found!.corrected()]).toEqual([text, expected!.corrected()]);

            const [best, expectedBest] = [index, whole].map((each) =>
              each.rank(question, { weights: WEIGHTS, limit: 4, filter }),
            );
            expect([text, best!.documents, best!.scores, best!.highest]).toEqual([
              text,
              expectedBest!.documents,
              expectedBest!.scores,
              expectedBest!.highest,
            ]);
            expect([text, best!.scoresOf(all)]).toEqual([text, expectedBest!.scoresOf(all)]);
            for (const method of ['named', 'beginning'] as const) {
              expect([text, index[method](question)]).toEqual([text, whole[method](question)]);
            }
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  test('completes words and names exactly as one index over the documents that are left', { timeout: 300_000 }, () => {
    const typed = fc.record({
      wanted: picks,
      length: fc.integer({ min: 1, max: 6 }),
      limit: fc.integer({ min: 1, max: 8 }),
      leftOut: fc.nat(3),
    });
    fc.assert(
      fc.property(splitCatalogue, fc.array(typed, { minLength: 6, maxLength: 6 }), ([documents, one], asked) => {
        const [index, whole] = [segmented(documents, one), packed(documents)];
        for (const { wanted, length, limit, leftOut } of asked) {
          const text = questionFor(documents, wanted);
          const letters = text.toLowerCase().split(' ').at(-1)!.slice(0, length);
          const { words } = readQuestion(text);
          const options: CompletionOptions = {
            limit,
            isLeftOut: (term) => term.length % 4 === leftOut,
            words: leftOut === 0 ? [] : words.slice(0, 1),
          };
          expect([letters, index.wordsBeginning(letters, options)]).toEqual([
            letters,
            whole.wordsBeginning(letters, options),
          ]);
          for (const name of [text.slice(0, length), documents[length]?.name.slice(0, limit) ?? '']) {
            expect([name, index.namesBeginning(name, limit)]).toEqual([name, whole.namesBeginning(name, limit)]);
          }
        }
      }),
      { numRuns: 400 },
    );
  });

  test('keeps a bound on the work of a question, and what it cuts has nothing wrong', { timeout: 300_000 }, () => {
    let cut = 0;
    fc.assert(
      fc.property(splitCatalogue, picks, fc.nat(100), ([documents, one], wanted, percent) => {
        const question = readQuestion(questionFor(documents, wanted));
        const unbounded = new Work();
        const exact = segmented(documents, one).match(question, { scored: true, work: unbounded });
        const work = new Work(Math.floor((unbounded.spent * percent) / 80));
        const answer = segmented(documents, one).match(question, { scored: true, work });
        expect(work.spent).toBeLessThanOrEqual(work.limit);
        if (work.truncated) cut += 1;
        else
          expect([answer.step, answer.documents, answer.scores]).toEqual([exact.step, exact.documents, exact.scores]);
        expect([...exact.documents]).toEqual(expect.arrayContaining([...answer.documents]));

        const again = new Work(work.limit);
        const { documents: found } = segmented(documents, one).match(question, { scored: true, work: again });
        expect([found, again.spent, again.truncated]).toEqual([answer.documents, work.spent, work.truncated]);
      }),
      { numRuns: 300 },
    );
    expect(cut).toBeGreaterThan(50);
  });
});
