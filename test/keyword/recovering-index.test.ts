import { describe, expect, test } from 'vitest';
import { allPieces, DamagedArrayFileError } from '../../src/core/index.js';
import { type KeywordIndex, RecoveringIndex, readQuestion, Work } from '../../src/keyword/index.js';
import { sourceOf } from './arbitrary-catalogue.js';

const DOCUMENTS = sourceOf([
  { name: 'react', author: 'ada', labels: [], description: 'tests', files: [] },
  { name: 'rust-tools', author: 'ada', labels: [], description: 'cargo', files: [] },
]);

/** An index that fails with an error, whatever it is asked. */
function failing(error: Error): KeywordIndex {
  const fail = (): never => {
    throw error;
  };
  return { size: 2, match: fail, rank: fail, named: fail, beginning: fail, wordsBeginning: fail, namesBeginning: fail };
}

describe('an index whose file turns out to be damaged', () => {
  test('answers from the documents, whatever it is asked first', () => {
    const weights = { name: 1, author: 1, labels: 1, description: 1, files: 1 };
    const asked = [
      (index: KeywordIndex) => [...index.match(readQuestion('cargo')).documents],
      (index: KeywordIndex) => [...allPieces(index.rank(readQuestion('cargo'), { weights, limit: 5 })).documents],
      (index: KeywordIndex) => index.named(readQuestion('Rust tools')),
      (index: KeywordIndex) => index.beginning(readQuestion('Rust')),
      (index: KeywordIndex) =>
        index.wordsBeginning('carg', { limit: 5, isLeftOut: () => false, words: [] }).map(({ count }) => count),
      (index: KeywordIndex) => index.namesBeginning('rust', 5).map(({ count }) => count),
    ];
    for (const ask of asked) {
      const index = new RecoveringIndex(failing(new DamagedArrayFileError('bad')), DOCUMENTS);
      expect(ask(index)).toEqual([1]);
      expect(ask(index)).toEqual([1]);
    }
  });

  test('says of terms what the documents say, when that is asked late', () => {
    const late: KeywordIndex = {
      ...failing(new DamagedArrayFileError('bad')),
      match: () => ({
        step: 'all-words',
        documents: Uint32Array.of(1),
        best: undefined,
        accepting: () => {
          throw new DamagedArrayFileError('bad');
        },
        words: [],
        corrected: () => [],
      }),
    };
    const { accepting } = new RecoveringIndex(late, DOCUMENTS).match(readQuestion('cargo'));
    for (const accepts of [accepting(), accepting()]) expect(['cargo', 'react'].map(accepts)).toEqual([true, false]);
  });

  test('keeps count of the work that the question took before', () => {
    const weights = { name: 1, author: 1, labels: 1, description: 1, files: 1 };
    const work = new Work(1000);
    work.affords(600);
    const bad = failing(new DamagedArrayFileError('bad'));
    const rank: KeywordIndex['rank'] = (question, options) => {
      // Found damaged in the middle.
      options.work?.affords(300);
      options.work?.hold(0.1);
      options.work?.truncate();
      return bad.rank(question, options);
    };
    const index = new RecoveringIndex({ ...bad, rank }, DOCUMENTS);
    allPieces(index.rank(readQuestion('cargo'), { weights, limit: 5, work }));
    expect(work.spent).toBeGreaterThan(600);
    expect(work.spent).toBeLessThan(700);
    expect([work.truncated, work.left]).toEqual([false, 1000 - work.spent]);
  });

  test('hides no other failure', () => {
    const index = new RecoveringIndex(failing(new RangeError('a mistake')), DOCUMENTS);
    expect(() => index.named(readQuestion('rust'))).toThrow('a mistake');
  });
});
