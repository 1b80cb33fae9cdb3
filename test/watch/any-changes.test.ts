import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contentOf } from '../catalogue-file.js';
import { temporaryFolder } from '../sources/folder/temporary-folder.js';
import { eventually, freshContent, skillText, watching } from './watching.js';

/** Folders that operations work on: some lie in others. */
const FOLDERS = ['a', 'b', 'a/inner', 'group/c', 'group/d', 'group/d/deep/e', 'node_modules/f', '.hidden/g'] as const;
const NAMES = ['SKILL.md', 'skill.md', 'notes.md', 'scripts/run.py', '.env'] as const;

type Operation = (root: string) => Promise<unknown>;

const folder = fc.constantFrom(...FOLDERS);
const name = fc.constantFrom(...NAMES);
const text = fc.integer({ min: 0, max: 99 });

async function write(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

function contentFor(file: string, which: number): string {
  return file.toLowerCase() === 'skill.md' ? skillText(`skill-${which}`) : `text ${which}`;
}

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(folder, name, text).map(
      ([at, file, which]): Operation =>
        (root) =>
          write(join(root, at, file), contentFor(file, which)),
    ),
  },
  // As some editors save.
  fc.tuple(folder, name, text).map(
    ([at, file, which]): Operation =>
      async (root) => {
        await write(join(root, at, `.${which}.tmp`), contentFor(file, which));
        await mkdir(dirname(join(root, at, file)), { recursive: true });
        await rename(join(root, at, `.${which}.tmp`), join(root, at, file));
      },
  ),
  fc.tuple(folder, text).map(
    ([at, which]): Operation =>
      async (root) => {
        await write(join(root, at, 'SKILL.md'), '');
        await appendFile(join(root, at, 'SKILL.md'), skillText(`skill-${which}`));
      },
  ),
  fc.tuple(folder, name).map(
    ([at, file]): Operation =>
      (root) =>
        rm(join(root, at, file), { force: true, recursive: true }),
  ),
  {
    weight: 2,
    arbitrary: folder.map(
      (at): Operation =>
        (root) =>
          rm(join(root, at), { force: true, recursive: true }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(folder, folder).map(
      ([from, to]): Operation =>
        async (root) => {
          if (!existsSync(join(root, from)) || existsSync(join(root, to)) || to.startsWith(`${from}/`)) return;
          await mkdir(dirname(join(root, to)), { recursive: true });
          await rename(join(root, from), join(root, to));
        },
    ),
  },
  fc.tuple(folder, fc.integer({ min: 0, max: 200 })).map(
    ([, pause]): Operation =>
      () =>
        new Promise((resolve) => setTimeout(resolve, pause)),
  ),
);

describe.each([
  ['told by the system', {}],
  ['polled', { polling: true, pollInterval: 50 }],
])('after any changes of a folder that is watched, %s,', (_, how) => {
  test('the catalogue is that of a new load', { timeout: 240_000 }, async () => {
    const root = await temporaryFolder({ 'skills/stays/SKILL.md': skillText('stays') });
    const source = join(root, 'skills');
    const { database, problems } = await watching({ ...how, sources: [source], database: join(root, 'skills.db') });
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 12 }), async (operations) => {
        for (const operate of operations) await operate(source);
        const expected = await freshContent(database, [source]);
        await eventually(() => expect(contentOf(database)).toEqual(expected));
      }),
      { numRuns: 12, endOnFailure: true },
    );
    expect(problems).toEqual([]);
    expect(await readdir(source)).toContain('stays');
  });
});
