import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { buildCatalogue, openSkillSearch } from '../../../src/index.js';
import { Database } from '../../../src/store/sqlite/connection.js';
import { NativeHandles, nativeHandles } from '../../../src/store/sqlite/native-handles.js';
import { row } from '../../rows.js';
import { scratchFile } from '../../scratch-folder.js';

/** Kept before the first sweep, in these tests. */
const FIRST_SWEEP = 100;

// As on the Node versions that need it, whatever this one is.
vi.mock(import('../../../src/store/sqlite/native-handles.js'), async (original) => {
  const actual = await original();
  return { ...actual, nativeHandles: new actual.NativeHandles(true, 100) };
});

describe('native objects of SQLite', () => {
  test('do not pile up over 200 reloads', async () => {
    const database = scratchFile('skills.db');
    await buildCatalogue({ database, sources: [[row('a'), row('b')]], semantic: false });
    let most = 0;
    for (let reload = 0; reload < 200; reload++) {
      const search = await openSkillSearch({ database });
      expect(search.keyword({ q: 'a' }).hits).not.toHaveLength(0);
      await search.close();
      most = Math.max(most, nativeHandles.size);
    }
    expect(most).toBeGreaterThan(10);
    expect(most).toBeLessThan(5 * FIRST_SWEEP);
  });

  test('are kept as long as somebody may use them', async () => {
    const used = new Database(':memory:');
    const statement = used.prepare<[], number>('SELECT 1').pluck();
    for (let i = 0; i < 20; i++) {
      const other = new Database(':memory:');
      for (let j = 0; j < 10; j++) expect([...other.prepare('SELECT 2').iterate()]).toHaveLength(1);
      other.close();
      await turn();
    }
    expect(nativeHandles.size).toBeGreaterThan(1);
    expect(nativeHandles.size).toBeLessThan(5 * FIRST_SWEEP);
    expect(statement.get()).toBe(1);
    used.close();
  });

  test('are not kept at all where nothing is wrong with them', () => {
    const handles = new NativeHandles(false);
    const connection = new Database(':memory:');
    handles.keep(connection);
    connection.prepare('SELECT 1');
    expect(handles.size).toBe(0);
  });
});
