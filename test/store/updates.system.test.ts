import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { MAX_CHANGED_IN_PLACE } from '../../src/core/index.js';
import { buildCatalogue, checkCatalogue, openSkillSearch, removeSkills, updateSkills } from '../../src/index.js';
import { FileLock } from '../../src/store/locks.js';
import { MAX_SUPERSEDED } from '../../src/store/revisions.js';
import { CatalogueWriter, OpenLoad } from '../../src/store/writing.js';
import { contentOf, filesBeside, inDatabase } from '../catalogue-file.js';
import { codeOf } from '../error-code.js';
import { row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { finished, storeItem } from './store-items.js';

describe('superseding.system', () => {
  function countIn(path: string, table: string): number {
    return inDatabase(path, (database) => database.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get()!);
  }

  test('what small changes leave for readers forgets the oldest beyond so many skills', async () => {
    const database = scratchFile('skills.db');
    const rows = (stars: number) => Array.from({ length: 500 }, (_, i) => row(`a${i}`, { stars }));
    await buildCatalogue({ database, sources: [{ name: 'rows', rows: rows(0) }], semantic: false });
    await using first = await openSkillSearch({ database });
    const update = (stars: number) => updateSkills({ database, rows: rows(stars), source: 'rows', semantic: false });
    await update(1);
    await using second = await openSkillSearch({ database });
    for (let stars = 2; stars * 500 <= MAX_SUPERSEDED; stars++) await update(stars);
    expect(countIn(database, 'revision WHERE gone > 0')).toBe(MAX_SUPERSEDED);
    expect(first.get('a7')?.stars).toBe(0);

    await update(99);
    expect(countIn(database, 'revision WHERE gone > 0')).toBe(MAX_SUPERSEDED);
    expect(countIn(database, 'file WHERE skill IN (SELECT number FROM revision WHERE gone > 0)')).toBe(MAX_SUPERSEDED);
    expect(await codeOf(() => first.get('a7'))).toBe('SERVICE_UNAVAILABLE');
    expect(await codeOf(() => first.ids())).toBe('SERVICE_UNAVAILABLE');
    expect(second.get('a7')?.stars).toBe(1);
    await using last = await openSkillSearch({ database });
    expect(last.get('a7')?.stars).toBe(99);
    expect((await checkCatalogue({ database })).problems).toEqual([]);
  });

  test.each([
    ['small changes', MAX_CHANGED_IN_PLACE],
    ['one load', 2000],
  ])(
    'removing many skills by %s leaves index files that fit, and the answers of a catalogue without them',
    async (_, atOnce) => {
      // Each has a twin with the same text.
      const rows = Array.from({ length: 2500 }, (_, i) =>
        row(`a${i}`, { name: `n ${i % 1200}`, description: `alpha ${i % 1200}`, stars: i % 7, updatedAt: i % 11 }),
      );
      const [database, whole] = [scratchFile('skills.db'), scratchFile('whole.db')];
      const embedder = new StandInEmbedder();
      await buildCatalogue({ database, sources: [{ name: 'rows', rows }], embedder });
      await using before = await openSkillSearch({ database });
      for (let done = 0; done < 2000; done += atOnce) {
        const ids = rows.slice(done, done + atOnce).map(({ id }) => id!);
        expect(await removeSkills({ database, ids })).toBe(ids.length);
      }
      expect(await checkCatalogue({ database })).toMatchObject({ problems: [], outdated: [] });
      expect(before.get('a7')?.stars).toBe(0);
      await buildCatalogue({ database: whole, sources: [{ name: 'rows', rows: rows.slice(2000) }], embedder });
      await using search = await openSkillSearch({ database, embedder });
      await using expected = await openSkillSearch({ database: whole, embedder });
      for (const copies of ['keep', 'collapse'] as const) {
        const query = { q: 'alpha', sortBy: 'recent', limit: 50, copies } as const;
        expect(search.keyword(query)).toEqual(expected.keyword(query));
      }
    },
  );
});

const MODULE = new URL('../../src/store/locks.ts', import.meta.url).href;

/** Whether another process gets the lock. */
async function isFreeElsewhere(path: string): Promise<boolean> {
  const program = `const { FileLock } = await import(process.argv[1]);
const lock = FileLock.take(process.argv[2]);
lock?.release();
process.stdout.write(lock === undefined ? 'taken' : 'free');`;
  const args = ['--import', 'tsx', '--input-type=module', '-e', program, MODULE, path];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return stdout === 'free';
}

test('a lock on a file keeps other processes out, also after somebody in its own process was refused', {
  timeout: 120_000,
}, async () => {
  const path = scratchFile('lock');
  const lock = FileLock.take(path)!;
  expect(FileLock.take(path)).toBeUndefined();
  expect(await isFreeElsewhere(path)).toBe(false);
  lock.release();
  expect(await isFreeElsewhere(path)).toBe(true);
});

test('one load at a time a second writer of the same catalogue is refused while the first works', async () => {
  const path = scratchFile('skills.db');
  const first = new CatalogueWriter(new OpenLoad(path, false));
  first.put(storeItem('a'), 'source');

  expect(await codeOf(() => new CatalogueWriter(new OpenLoad(path, false)))).toBe('LOAD_IN_PROGRESS');
  expect(await codeOf(() => new CatalogueWriter(new OpenLoad(path, false)))).toBe('LOAD_IN_PROGRESS');

  first.put(storeItem('b'), 'source');
  expect(finished(first)).toEqual({ added: 2, updated: 0, unchanged: 0, removed: 0 });
  expect([...contentOf(path).keys()]).toEqual(['a', 'b']);
  expect(filesBeside(path)).toEqual([]);
});
