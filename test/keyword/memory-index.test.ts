import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allPieces } from '../../src/core/index.js';
import {
  FIELD_WEIGHTS,
  GONE,
  type KeywordDocument,
  type KeywordIndex,
  readQuestion,
  Work,
} from '../../src/keyword/index.js';
import { MemoryIndex } from '../../src/keyword/memory-index.js';
import { catalogueOf, picks, questionFor, scoresOf, sourceOf } from './arbitrary-catalogue.js';
import { documentOf, packed } from './build-indexes.js';

function answersOf(index: KeywordIndex, text: string): unknown[] {
  const question = readQuestion(text);
  const matches = index.match(question, { scored: true });
  const best = allPieces(index.rank(question, { weights: FIELD_WEIGHTS, limit: 4 }));
  const letters = text.slice(0, 2).toLowerCase();
  const options = { limit: 5, isLeftOut: () => false, words: question.words.slice(1) };
  return [
    ...[matches.step, [...matches.documents], [...(scoresOf(matches) ?? [])].map((score) => Number(score.toFixed(9)))],
    ...[matches.corrected(), [...best.documents].sort(), index.named(question), index.beginning(question)],
    ...[index.wordsBeginning(letters, options), index.namesBeginning(letters, 5)],
  ];
}

/** One change: by former document whether it goes, and the documents that come, each with the place that it gets. */
const change = fc.tuple(
  fc.array(fc.boolean(), { maxLength: 10 }),
  catalogueOf(4),
  fc.array(fc.nat(20), { minLength: 4 }),
);

test('an index of many revisions answers in each as one of its documents, also after the next change', async () => {
  await fc.assert(
    fc.asyncProperty(catalogueOf(8), fc.array(change, { maxLength: 6 }), picks, async (first, changes, wanted) => {
      const index = await MemoryIndex.build(sourceOf(first));
      let documents: readonly KeywordDocument[] = first;
      for (const [goes, coming, places] of changes) {
        const [former, before] = [index.current, documents];
        const kept = documents.map((one, i) => ({ one, former: i })).filter(({ former: i }) => goes[i] !== true);
        const next: { readonly one: KeywordDocument; readonly former?: number }[] = kept;
        for (const [i, one] of coming.entries()) next.splice(places[i]! % (next.length + 1), 0, { one });
        const numbers = new Uint32Array(documents.length).fill(GONE);
        for (const [number, { former: i }] of next.entries()) if (i !== undefined) numbers[i] = number;
        documents = next.map(({ one }) => one);
        const came = Uint32Array.from(next.flatMap(({ former: i }, number) => (i === undefined ? [number] : [])));
        index.change(sourceOf(documents), { numbers, came });

        for (const [one, all] of [
          [index.current, documents],
          [former, before],
        ] as const) {
          const text = questionFor(all, wanted);
          expect([text, ...answersOf(one, text)]).toEqual([text, ...answersOf(packed(all), text)]);
        }
      }
    }),
    { numRuns: 15 },
  );
});

test('a word that only documents of former revisions have is not near a typing error', async () => {
  const [short, long] = ['deploy', 'deploying'].map((name) => documentOf({ name }));
  const index = await MemoryIndex.build(sourceOf([short!, long!, documentOf({})]));
  index.change(sourceOf([long!, documentOf({})]), { numbers: Uint32Array.of(GONE, 0, 1), came: new Uint32Array() });
  expect([...index.current.match(readQuestion('depliy')).documents]).toEqual([]);
});

test('an index in memory is not built further when the signal is aborted', async () => {
  const documents = sourceOf(Array.from({ length: 500 }, () => documentOf({})));
  await expect(MemoryIndex.build(documents, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
});

test('a phrase that takes too much work is looked for in the first texts only', async () => {
  const documents = Array.from({ length: 100 }, () => documentOf({ description: 'write release notes '.repeat(100) }));
  const { current } = await MemoryIndex.build(sourceOf(documents));
  const work = new Work(30_000);
  const found = [...current.match(readQuestion('"release notes"'), { work }).documents];
  expect([found.length > 10, found.length < 90, work.truncated]).toEqual([true, true, true]);
  expect(found).toEqual(Array.from(found, (_, i) => i));
});
