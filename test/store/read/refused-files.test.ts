import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildCatalogue, openSkillSearch } from '../../../src/index.js';
import { CatalogueReader } from '../../../src/store/read/catalogue-reader.js';
import { Database } from '../../../src/store/sqlite.js';
import { CatalogueWriter } from '../../../src/store/write/catalogue-writer.js';
import { filesBeside, traceOf } from '../../catalogue-file.js';
import { codeOf } from '../../error-code.js';
import { scratchFile, scratchFolder } from '../../scratch-folder.js';
import { loadItems, storeItem } from '../store-items.js';

describe('refused files', () => {
  /** Files that are no catalogue of this format, and the code that says so. */
  const REFUSED: Record<string, { code: string; make: (path: string) => void }> = {
    'a catalogue of a later format': {
      code: 'UNSUPPORTED_FORMAT',
      make: (path) => alter(path, 'user_version = 2'),
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
        const database = new Database(path);
        database.exec('CREATE TABLE skill (id TEXT)');
        database.close();
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
      expect(filesBeside(path)).toEqual([]);
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
      expect(await codeOf(() => new CatalogueWriter(folder, undefined, true))).toBe('NOT_A_CATALOGUE');
      expect(filesBeside(folder)).toEqual([]);
    });

    test('with nothing there is told as such when it is read', async () => {
      expect(await codeOf(() => CatalogueReader.open(scratchFile('skills.db')))).toBe('DATABASE_NOT_FOUND');
    });

    test('below a file holds nothing to read and cannot be written', async () => {
      const file = scratchFile('file');
      writeFileSync(file, 'text');

      expect(await codeOf(() => new CatalogueWriter(join(file, 'skills.db'), undefined, false))).toBe(
        'DATABASE_NOT_WRITABLE',
      );
      expect(await codeOf(() => CatalogueReader.open(join(file, 'skills.db')))).toBe('DATABASE_NOT_FOUND');
      expect(readFileSync(file, 'utf8')).toBe('text');
    });

    test('in a folder that does not exist cannot be written', async () => {
      const path = join(scratchFolder(), 'missing', 'skills.db');

      expect(await codeOf(() => new CatalogueWriter(path, undefined, false))).toBe('DATABASE_NOT_WRITABLE');
    });
  });

  describe('an error', () => {
    test('about another format names the file and both formats', () => {
      const path = scratchFile('skills.db');
      alter(path, 'user_version = 7');

      expect(() => CatalogueReader.open(path)).toThrow(
        expect.objectContaining({ message: expect.stringMatching(/skills\.db.*format 7.*format 1/), path }),
      );
    });
  });

  function manyItems() {
    return Array.from({ length: 500 }, (_, i) => storeItem(`skill-${i}`, { description: 'word '.repeat(20) }));
  }

  /** A catalogue in which one pragma says something else. */
  function alter(path: string, pragma: string): void {
    loadItems(path, [storeItem('a')], false);
    const database = new Database(path);
    database.pragma(pragma);
    database.close();
  }
});

describe('replaced file', () => {
  test('a catalogue that may only be read is replaced all the same, and may only be read again', async () => {
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
});
