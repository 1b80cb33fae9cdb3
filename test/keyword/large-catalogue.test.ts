import { expect, test } from 'vitest';
import { allPieces } from '../../src/core/index.js';
import { FIELD_WEIGHTS, type KeywordDocument, readQuestion } from '../../src/keyword/index.js';
import { documentOf, packed } from './build-indexes.js';
import { NaiveBm25f } from './naive-keyword-search.js';

/** More documents than two bytes can number, twice. */
const SIZE = 140_000;

/** The words of a document: some are in every other one, some in few, also around the ends of the blocks. */
function textOf(document: number): string {
  const words = ['alpha', 'beta', 'gamma', 'delta'].filter((_, i) => (document * (2 * i + 1)) % (3 * i + 2) === 0);
  if ([0, 65_535, 65_536, 131_071, 131_072, SIZE - 1].includes(document)) words.push('rare rare');
  if (document % 9973 === 0) words.push('seldom');
  return words.join(' ');
}

test('ranks the same documents as adding up the scores of all, in a catalogue of any size', () => {
  const documents: KeywordDocument[] = Array.from({ length: SIZE }, (_, i) => {
    const text = textOf(i);
    return documentOf({ name: i % 11 === 0 ? text : 'x', author: '', description: `${text} ${'x '.repeat(i % 7)}` });
  });
  const index = packed(documents);
  for (const text of ['alpha beta gamma delta', 'seldom rare alpha']) {
    const question = readQuestion(text);
    const naive = new NaiveBm25f(documents, question.looseWords);
    const scores = Float64Array.from(documents, (_, number) => naive.scoreOf(number, FIELD_WEIGHTS));
    const best = scores.toSorted().reverse().slice(0, 30);
    const ranked = allPieces(index.rank(question, { weights: FIELD_WEIGHTS, limit: 30 }));
    expect([text, ...ranked.scores]).toEqual([
      text,
      ...[...best].filter((s) => s > 0).map((s) => expect.closeTo(s, 8)),
    ]);
    for (const [i, document] of ranked.documents.entries()) expect(scores[document]).toBeCloseTo(ranked.scores[i]!, 8);
  }
}, 120_000);
