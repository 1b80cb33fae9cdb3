import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LinkRoots } from '../../src/sources/folder/follow-link.js';
import { walkFolder } from '../../src/sources/folder/walk-folder.js';
import { temporaryFolder } from '../sources/folder/temporary-folder.js';

test('has as many folders as are entered, and one more', async () => {
  const folder = await temporaryFolder();
  for (const name of ['a', 'b', 'c']) await mkdir(join(folder, name));
  const problems = async (most: number): Promise<string[]> =>
    (await walkFolder(new LinkRoots(folder), '~', undefined, most)).problems.map((problem) =>
      problem.kind === 'remark' ? problem.message : problem.reason,
    );
  expect(await problems(4)).toEqual([]);
  expect(await problems(3)).toEqual(['more than 3 folders: the rest is not looked at']);
});
