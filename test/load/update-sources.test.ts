import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildCatalogue } from '../../src/index.js';
import { updateSources } from '../../src/load/writing.js';
import { contentOf } from '../catalogue-file.js';
import { scratchFolder } from '../scratch-folder.js';
import { lastChangeInPlace } from './last-change-in-place.js';

const OPTIONS = { semantic: false, git: false } as const;

function write(folder: string, path: string, text: string): void {
  const file = join(folder, path, 'SKILL.md');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `---\nname: ${path.replaceAll('/', ' ')}\ndescription: ${text}\n---\n${text}\n`);
}

/** A folder with skills, and a catalogue of it. */
async function loaded(paths: readonly string[]): Promise<{ readonly folder: string; readonly database: string }> {
  const folder = join(scratchFolder(), 'skills');
  for (const path of paths) write(folder, path, `It does ${path}.`);
  const database = join(dirname(folder), 'skills.db');
  await buildCatalogue({ ...OPTIONS, database, sources: [folder] });
  return { folder, database };
}

/** What a load of the whole folder would make. */
async function whole(folder: string): Promise<ReturnType<typeof contentOf>> {
  const database = join(dirname(folder), 'whole.db');
  rmSync(database, { force: true });
  await buildCatalogue({ ...OPTIONS, database, sources: [folder] });
  return contentOf(database);
}

test('folders that change, appear and vanish make the catalogue that a load of the whole source would make', async () => {
  const path = fc.constantFrom('a', 'b', 'b/c', 'd/e', 'd/f', 'a b');
  const step = fc.record({ path, text: fc.constantFrom('', 'One thing.', 'Another thing.') });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { maxLength: 4 }), async (changes) => {
      const { folder, database } = await loaded(['a', 'b', 'd/e', 'kept']);
      for (const steps of changes) {
        for (const { path: at, text } of steps) {
          if (text === '') rmSync(join(folder, at), { recursive: true, force: true });
          else write(folder, at, text);
        }
        const folders = steps.map(({ path: at }) => join(folder, at));
        await updateSources({ ...OPTIONS, database, changed: [{ source: folder, folders }] });
      }
      expect(contentOf(database)).toEqual(await whole(folder));
    }),
    { numRuns: 15 },
  );
}, 60_000);

test('a skill that vanished from one source stays as long as another has it', async () => {
  const { folder, database } = await loaded(['a', 'b']);
  await buildCatalogue({ ...OPTIONS, database, sources: [dirname(join(folder, 'a'))] });
  const inner = join(folder, 'a');
  await buildCatalogue({ ...OPTIONS, database, sources: [inner] });
  rmSync(inner, { recursive: true });
  await updateSources({ ...OPTIONS, database, changed: [{ source: folder, folders: [inner] }] });
  expect([...contentOf(database).keys()].length).toBe(2);
});

test('an unchanged folder changes nothing, and one change is written in place', async () => {
  const { folder, database } = await loaded(['a', 'b']);
  const changed = [{ source: folder, folders: [join(folder, 'a')] }];
  expect(await updateSources({ ...OPTIONS, database, changed })).toMatchObject({ unchanged: 1, updated: 0 });
  expect(lastChangeInPlace(database)).toBe(false);
  write(folder, 'a', 'Something else.');
  expect(await updateSources({ ...OPTIONS, database, changed })).toMatchObject({ updated: 1 });
  expect(lastChangeInPlace(database)).toBe(true);
});

test('with links the whole source is loaded', async () => {
  const { folder, database } = await loaded(['a', 'b']);
  symlinkSync(join(folder, 'b'), join(folder, 'a', 'link'));
  write(folder, 'a', 'Something else.');
  const changed = [{ source: folder, folders: [join(folder, 'a')] }];
  expect(await updateSources({ ...OPTIONS, database, changed })).toMatchObject({ updated: 1 });
  expect(lastChangeInPlace(database)).toBe(false);
  expect(contentOf(database)).toEqual(await whole(folder));
});

test('a folder that the system will not look at is not taken for removed: the whole source is read', async () => {
  const { folder, database } = await loaded(['a', 'b']);
  const changed = [{ source: folder, folders: [join(folder, 'a'.repeat(300))] }];
  expect(await updateSources({ ...OPTIONS, database, changed })).toMatchObject({ unchanged: 2, removed: 0 });
});
