import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type PairProgress, writePairs } from '../../src/tuning/index.js';
import { scratchFile } from '../scratch-folder.js';
import { catalogueOf, skillRow } from './catalogue.js';

describe('writePairs', () => {
  const rows = [skillRow('pears', 'prune my pear tree'), skillRow('plums', 'prune my plum tree')];

  test('writes a pair a line and leaves nothing else', async () => {
    const out = scratchFile('pairs.jsonl');
    const { pairs } = await writePairs(out, { database: await catalogueOf(rows, false), kinds: ['quote'] });
    expect(pairs).toBe(2);
    expect(readFileSync(out, 'utf8').trim().split('\n')).toHaveLength(2);
    expect(readdirSync(dirname(out))).toEqual(['pairs.jsonl']);
  });

  test('refuses a folder before it reads the catalogue', async () => {
    const out = scratchFile('pairs.jsonl');
    mkdirSync(out);
    const progress: PairProgress[] = [];
    const options = {
      database: await catalogueOf(rows, false),
      onProgress: (seen: PairProgress) => progress.push(seen),
    };
    await expect(writePairs(out, options)).rejects.toMatchObject({
      code: 'FILE_NOT_WRITABLE',
      message: `${out} cannot be written: it is a folder`,
    });
    expect(progress).toEqual([]);
    expect(readdirSync(dirname(out))).toEqual(['pairs.jsonl']);
  });

  test('refuses a file in a folder that is not there before it reads the catalogue', async () => {
    const writing = writePairs('nowhere/pairs.jsonl', { database: 'no-such.db' });
    await expect(writing).rejects.toMatchObject({ code: 'FILE_NOT_WRITABLE', path: 'nowhere/pairs.jsonl' });
  });

  test.skipIf(!existsSync('/dev/full'))('says that the file cannot be written when the disk is full', async () => {
    const out = scratchFile('pairs.jsonl');
    symlinkSync('/dev/full', `${out}.part`);
    await expect(writePairs(out, { database: await catalogueOf(rows, false) })).rejects.toMatchObject({
      code: 'FILE_NOT_WRITABLE',
      message: expect.stringMatching(/pairs\.jsonl cannot be written: ENOSPC/) as string,
    });
    expect(readdirSync(dirname(out))).toEqual([]);
  });

  test('does not take a file that is missing on reading for one that cannot be written', async () => {
    const out = scratchFile('pairs.jsonl');
    const missing = Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT', syscall: 'open' });
    const onProgress = (): never => {
      throw missing;
    };
    await expect(writePairs(out, { database: await catalogueOf(rows, false), onProgress })).rejects.toBe(missing);
    expect(readdirSync(dirname(out))).toEqual([]);
  });
});
