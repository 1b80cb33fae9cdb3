import { copyFileSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  buildCatalogue,
  checkCatalogue,
  copyCatalogue,
  followCatalogue,
  openSkillSearch,
  removeSkills,
  updateSkills,
  writeSnapshot,
} from '../../src/index.js';
import { filesBeside } from '../../src/store/files.js';
import { Database } from '../../src/store/sqlite.js';
import { CatalogueWriter } from '../../src/store/write/catalogue-writer.js';
import { contentOf } from '../catalogue-file.js';
import { row } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { LIES, lie } from './foreign.js';
import { loadItems, storeItem } from './store-items.js';

/** What may be given the file of somebody else. */
const CALLS: Readonly<Record<string, (database: string) => unknown>> = {
  openSkillSearch: (database) => openSkillSearch({ database }),
  followCatalogue: (database) => followCatalogue({ database }),
  checkCatalogue: (database) => checkCatalogue({ database, repair: true }),
  buildCatalogue: (database) => buildCatalogue({ database, sources: [[row('a')]], semantic: false }),
  updateSkills: (database) => updateSkills({ database, rows: [row('a')], semantic: false }),
  removeSkills: (database) => removeSkills({ database, ids: ['a'] }),
  copyCatalogue: (from) => copyCatalogue({ from, to: scratchFile('copy.db') }),
  writeSnapshot: (database) => writeSnapshot({ database, to: scratchFolder() }),
};

describe('a catalogue that somebody gave a schema of their own', () => {
  test.each(LIES)('with %s is refused by every call, which names %s, and stays as it is', async (_, named, sql) => {
    const path = scratchFile('skills.db');
    loadItems(path, [storeItem('a')], false);
    lie(path, sql);
    const before = readFileSync(path);
    for (const [name, call] of Object.entries(CALLS)) {
      const refused = await (async () => call(path))().catch((error: unknown) => error);
      expect(refused, name).toMatchObject({ code: 'NOT_A_CATALOGUE', message: expect.stringContaining(named) });
    }
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test.each(LIES)('as the working copy of a killed load, with %s, is thrown away', (_, __, sql) => {
    const path = scratchFile('skills.db');
    loadItems(path, [storeItem('a')], false);
    const killed = new CatalogueWriter(path, undefined, true);
    killed.put(storeItem('b'), 'source');
    killed.close();
    lie(filesBeside(path).loading, sql);
    expect(loadItems(path, [storeItem('c')], true)).toMatchObject({ added: 1 });
    expect([...contentOf(path).keys()]).toEqual(['a', 'c']);
  });
});

test('a connection trusts no function in a schema, and writes to no table that SQLite keeps for itself', () => {
  const path = scratchFile('skills.db');
  loadItems(path, [storeItem('a')], false);
  const copy = scratchFile('copy.db');
  copyFileSync(path, copy);
  const connection = new Database(copy);
  expect(connection.pragma('trusted_schema', { simple: true })).toBe(0);
  connection.pragma('writable_schema = ON');
  expect(() => connection.exec("UPDATE sqlite_schema SET sql = '' WHERE name = 'meta'")).toThrow(/may not be modified/);
  connection.close();
});
