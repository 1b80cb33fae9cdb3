import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Database, NativeHandles } from '../../src/store/sqlite.js';

/** Kept before the first sweep, in these tests. */
const FIRST_SWEEP = 100;

describe('native objects of SQLite', () => {
  test('are kept as long as they may be used, and do not pile up', async () => {
    const handles = new NativeHandles(true, FIRST_SWEEP);
    const open = (): Database => {
      const connection = new Database(':memory:');
      handles.keep(connection);
      return connection;
    };
    const used = open();
    const statement = used.prepare<[], number>('SELECT 1').pluck();
    for (let i = 0; i < 100; i++) {
      const other = open();
      for (let j = 0; j < 10; j++) expect([...other.prepare('SELECT 2').iterate()]).toHaveLength(1);
      other.close();
      await turn();
    }
    expect(handles.size).toBeGreaterThan(1);
    expect(handles.size).toBeLessThan(5 * FIRST_SWEEP);
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
