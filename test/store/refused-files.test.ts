import { chmodSync, copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
import { CatalogueReader } from '../../src/store/read/catalogue-reader.js';
import { CatalogueWriter, OpenLoad } from '../../src/store/writing.js';
import { changeIn, contentOf, inDatabase, filesBeside as namesBeside, traceOf } from '../catalogue-file.js';
import { codeOf } from '../error-code.js';
import { row } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { LIES } from './foreign.js';
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
    changeIn(path, sql);
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
    const killed = new CatalogueWriter(new OpenLoad(path, true));
    killed.put(storeItem('b'), 'source');
    killed.close();
    changeIn(filesBeside(path).loading, sql);
    expect(loadItems(path, [storeItem('c')], true)).toMatchObject({ added: 1 });
    expect([...contentOf(path).keys()]).toEqual(['a', 'c']);
  });
});

test('a connection trusts no function in a schema, and writes to no table that SQLite keeps for itself', () => {
  const path = scratchFile('skills.db');
  loadItems(path, [storeItem('a')], false);
  const copy = scratchFile('copy.db');
  copyFileSync(path, copy);
  const change = "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = '' WHERE name = 'meta'";
  expect(inDatabase(copy, (database) => database.pragma('trusted_schema', { simple: true }))).toBe(0);
  expect(() => changeIn(copy, change)).toThrow(/may not be modified/);
});

/** Files that are no catalogue of this format, and the code that says so. */
const REFUSED: Record<string, { code: string; make: (path: string) => void }> = {
  'a catalogue of a later format': {
    code: 'UNSUPPORTED_FORMAT',
    make: (path) => alter(path, 'user_version = 3'),
  },
  'a catalogue of a format before the first': {
    code: 'UNSUPPORTED_FORMAT',
    make: (path) => alter(path, 'user_version = 0'),
  },
  'a database of another program': {
    code: 'NOT_A_CATALOGUE',
    make: (path) => alter(path, 'application_id = 252006674'),
  },
  'a database that says nothing of a program': {
    code: 'NOT_A_CATALOGUE',
    make: (path) => {
      writeFileSync(path, '');
      changeIn(path, 'CREATE TABLE skill (id TEXT)');
    },
  },
  'a text file': {
    code: 'NOT_A_CATALOGUE',
    make: (path) => writeFileSync(path, 'Dear diary,\n'.repeat(100)),
  },
  'a short text file': { code: 'NOT_A_CATALOGUE', make: (path) => writeFileSync(path, 'x') },
  'an empty file': { code: 'NOT_A_CATALOGUE', make: (path) => writeFileSync(path, '') },
  'the first half of a catalogue': {
    code: 'DATABASE_DAMAGED',
    make: (path) => {
      loadItems(path, manyItems(), false);
      writeFileSync(path, readFileSync(path).subarray(0, 40_960));
    },
  },
  'a catalogue with damaged pages': {
    code: 'DATABASE_DAMAGED',
    make: (path) => {
      loadItems(path, manyItems(), false);
      writeFileSync(path, readFileSync(path).fill(0xa5, 4096));
    },
  },
};

describe.each(Object.entries(REFUSED))('%s', (_, { code, make }) => {
  test('is refused for reading and stays as it was', async () => {
    const path = scratchFile('skills.db');
    make(path);
    const before = traceOf(path);

    expect(await codeOf(() => CatalogueReader.open(path))).toBe(code);
    expect(traceOf(path)).toEqual(before);
    expect(namesBeside(path)).toEqual([]);
  });

  test('is refused for writing and stays as it was', async () => {
    const path = scratchFile('skills.db');
    make(path);
    const before = traceOf(path);

    expect(await codeOf(() => loadItems(path, [storeItem('a')], true))).toBe(code);
    expect(traceOf(path)).toEqual(before);
  });
});

describe('a path', () => {
  test('of a folder is no catalogue', async () => {
    const folder = join(scratchFolder(), 'skills.db');
    mkdirSync(folder);

    expect(await codeOf(() => CatalogueReader.open(folder))).toBe('NOT_A_CATALOGUE');
    expect(await codeOf(() => new CatalogueWriter(new OpenLoad(folder, true)))).toBe('NOT_A_CATALOGUE');
    expect(namesBeside(folder)).toEqual([]);
  });

  test('below a file holds nothing to read and cannot be written', async () => {
    const file = scratchFile('file');
    writeFileSync(file, 'text');

    expect(await codeOf(() => new CatalogueWriter(new OpenLoad(join(file, 'skills.db'), false)))).toBe(
      'DATABASE_NOT_WRITABLE',
    );
    expect(await codeOf(() => CatalogueReader.open(join(file, 'skills.db')))).toBe('DATABASE_NOT_FOUND');
    expect(readFileSync(file, 'utf8')).toBe('text');
  });
});

function manyItems() {
  return Array.from({ length: 500 }, (_, i) => storeItem(`skill-${i}`, { description: 'word '.repeat(20) }));
}

/** A catalogue in which one pragma says something else. */
function alter(path: string, pragma: string): void {
  loadItems(path, [storeItem('a')], false);
  changeIn(path, `PRAGMA ${pragma}`);
}

test('replaced file a catalogue that may only be read is replaced all the same, and may only be read again', async () => {
  const database = scratchFile('skills.db');
  await buildCatalogue({ semantic: false, database, sources: [[{ name: 'a', description: 'first' }]] });
  chmodSync(database, 0o444);

  const report = await buildCatalogue({
    semantic: false,
    database,
    sources: [[{ name: 'b', description: 'second' }]],
  });

  expect(report.added).toBe(1);
  expect(statSync(database).mode & 0o777).toBe(0o444);
  await using search = await openSkillSearch({ database });
  expect(search.stats().skills).toBe(2);
});
