import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { generatedRows, writeGeneratedCatalogue } from '../../bench/generated-catalogue.js';
import { scratchFolder } from '../scratch-folder.js';

test('the same seed gives the same bytes, another seed others', async () => {
  const folder = scratchFolder();
  const write = async (name: string, seed: number): Promise<string> => {
    await writeGeneratedCatalogue(join(folder, name), 300, seed);
    return readFileSync(join(folder, name), 'utf8');
  };
  const first = await write('first', 7);
  expect(await write('again', 7)).toBe(first);
  expect(await write('other', 8)).not.toBe(first);
  expect(first.split('\n')).toHaveLength(301);
});

test('rows have the lengths of real catalogues, and words by the law of Zipf', () => {
  const rows = [...generatedRows(3000, 1, { fileText: false })];
  const lengths = rows.map(({ description }) => description.split(' ').length).sort((a, b) => a - b);
  expect(lengths[1500]).toBeGreaterThan(20);
  expect(lengths[1500]).toBeLessThan(32);
  expect(rows.every(({ files }) => files.length === 0)).toBe(true);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);

  const words = rows.flatMap(({ description }) => description.split(' '));
  const share = (word: string): number => words.filter((one) => one === word).length / words.length;
  expect(share('and')).toBeGreaterThan(0.025);
  expect(share('and')).toBeLessThan(0.04);
  expect(new Set(words).size).toBeGreaterThan(3000);
});
