import { expect, test } from 'vitest';
import type { VectorSet } from '../../../src/semantic/nearest/vector-codes.js';
import { buildVectorFiles } from '../../../src/semantic/nearest/vector-files.js';
import { VectorIndex } from '../../../src/semantic/nearest/vector-index.js';
import { filesBeside } from '../../../src/store/files.js';
import { scratchFile } from '../../scratch-folder.js';
import { exactNearest, questionNear, randomVectors, recallOf } from './random-vectors.js';

test('the graph of another catalogue that stood in the same place is not gone on with', async () => {
  const catalogue = scratchFile('skills.db');
  await build(catalogue, 'first', randomVectors(3000, 48, 1));
  const vectors = randomVectors(3000, 48, 2);
  expect(await build(catalogue, 'second', vectors)).toBe(3000);
  expect(await recallOfGraph(catalogue, 'second', vectors)).toBeGreaterThanOrEqual(0.99);
});

test('vectors that were deleted and are back, as in a copy that was put back, are found', async () => {
  const catalogue = scratchFile('skills.db');
  const all = randomVectors(3000, 48);
  await build(catalogue, 'all', all);
  const keys = [...all.keys].filter((key) => key % 10 !== 0);
  await build(catalogue, 'fewer', randomVectors(keys, 48));
  await build(catalogue, 'all', all);
  expect(await recallOfGraph(catalogue, 'all', all)).toBeGreaterThanOrEqual(0.99);
});

/** @returns how many vectors were put into the graph */
async function build(catalogue: string, stamp: string, vectors: VectorSet): Promise<number> {
  let added = 0;
  const onProgress = (_: number, total: number): void => {
    added = total;
  };
  await buildVectorFiles({
    files: filesBeside(catalogue),
    stamp,
    model: 'model',
    vectors,
    graphFrom: 1000,
    onProgress,
  });
  return added;
}

async function recallOfGraph(catalogue: string, stamp: string, vectors: VectorSet): Promise<number> {
  const index = await VectorIndex.open({ files: filesBeside(catalogue), stamp, model: 'model' });
  expect(index?.hasGraph).toBe(true);
  let recall = 0;
  // Ten divides the step, so that all of them are near to vectors that were gone for a while.
  for (let i = 0; i < 30; i++) {
    const query = questionNear(vectors, i * 100 + 9);
    recall += recallOf((await index?.nearest(query, 100)) ?? [], exactNearest(vectors, query, 10)) / 30;
  }
  return recall;
}
