import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Access, openAccess } from '../../src/access/index.js';
import { Database } from '../../src/store/sqlite.js';
import { traceOf } from '../catalogue-file.js';
import { codeOf } from '../error-code.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { loadItems, storeItem } from '../store/store-items.js';
import { startStateFileProcess } from './state-file-processes.js';

describe('a state file', () => {
  test('is made where there is none, and is all that remains when it is closed', () => {
    const folder = scratchFolder();
    const access = opened(join(folder, 'access.db'));
    expect(access.listKeys()).toEqual([]);
    access.check();
    access.close();
    expect(readdirSync(folder)).toEqual(['access.db']);
  });

  test('is made out of an empty file', () => {
    const state = scratchFile('access.db');
    writeFileSync(state, '');
    expect(opened(state).createKey().id).toBe(1);
  });

  test('says of itself what it is and in which format', () => {
    const state = scratchFile('access.db');
    opened(state).close();
    const database = new Database(state, { readonly: true });
    expect(database.pragma('application_id', { simple: true })).toBe(0x534b4143);
    expect(database.pragma('user_version', { simple: true })).toBe(1);
    database.close();
  });

  test('may be held in memory only', () => {
    const access = opened(':memory:');
    const { key } = access.createKey();
    expect(access.identify(`Bearer ${key}`, undefined).name).toBe('key:1');
    expect(existsSync(':memory:')).toBe(false);
    expect(opened(':memory:').listKeys()).toEqual([]);
  });

  test('may be open in several places of one process', () => {
    const state = scratchFile('access.db');
    const [one, other] = [opened(state), opened(state)];
    one.createKey();
    one.close();
    expect(other.createKey().id).toBe(2);
    expect(opened(state).listKeys()).toHaveLength(2);
  });

  test('that is closed is told as such; closing again and again does no harm', async () => {
    const state = scratchFile('access.db');
    const access = opened(state);
    const { key } = access.createKey();
    const client = access.identify(undefined, '192.0.2.1');
    const { giveBack } = access.admit(client);
    access.close();
    access.close();
    for (const call of [
      () => access.createKey(),
      () => access.listKeys(),
      () => access.revokeKey(1),
      () => access.identify(`Bearer ${key}`, undefined),
      () => access.admit(client),
      () => access.check(),
      giveBack,
    ]) {
      expect(await codeOf(call)).toBe('SERVICE_UNAVAILABLE');
    }
    access.close();
  });
});

/** What stands at a path and is no state file of this format, and the code that says so. */
const REFUSED: Record<string, { code: string; make: (path: string) => void }> = {
  'a catalogue': { code: 'NOT_A_STATE_FILE', make: (path) => loadItems(path, [storeItem('a')], false) },
  'a catalogue of another format': {
    code: 'NOT_A_STATE_FILE',
    make: (path) => {
      loadItems(path, [storeItem('a')], false);
      alter(path, 'PRAGMA user_version = 1');
    },
  },
  'a database of another program': {
    code: 'NOT_A_STATE_FILE',
    make: (path) => alter(path, 'CREATE TABLE notes (text)'),
  },
  'a database of another program without tables': {
    code: 'NOT_A_STATE_FILE',
    make: (path) => alter(path, 'PRAGMA application_id = 252006674'),
  },
  'a database without tables that has a version': {
    code: 'NOT_A_STATE_FILE',
    make: (path) => alter(path, 'PRAGMA user_version = 1'),
  },
  'a database of another program with a write-ahead log': {
    code: 'NOT_A_STATE_FILE',
    make: (path) => alter(path, 'PRAGMA journal_mode = WAL; CREATE TABLE notes (text)'),
  },
  'a text file': { code: 'NOT_A_STATE_FILE', make: (path) => writeFileSync(path, 'Dear diary,\n'.repeat(100)) },
  'a short text file': { code: 'NOT_A_STATE_FILE', make: (path) => writeFileSync(path, 'no') },
  'a file of a later format': {
    code: 'UNSUPPORTED_FORMAT',
    make: (path) => {
      openAccess({ state: path }).close();
      alter(path, 'PRAGMA user_version = 2');
    },
  },
  'a file of a format before the first': {
    code: 'UNSUPPORTED_FORMAT',
    make: (path) => {
      openAccess({ state: path }).close();
      alter(path, 'PRAGMA user_version = 0');
    },
  },
};

describe.each(Object.entries(REFUSED))('%s', (_, { code, make }) => {
  test('is refused and stays as it was', async () => {
    const folder = scratchFolder();
    const path = join(folder, 'skills.db');
    make(path);
    const before = traceOf(path);
    const beside = readdirSync(folder);

    expect(await codeOf(() => openAccess({ state: path }))).toBe(code);
    expect(traceOf(path)).toEqual(before);
    expect(readdirSync(folder)).toEqual(beside);
    expect(() => openAccess({ state: path })).toThrow(
      expect.objectContaining({ path, message: expect.stringContaining(path) }),
    );
  });
});

describe('a path', () => {
  test('in a folder that does not exist cannot be written, and no folder is made', async () => {
    const folder = join(scratchFolder(), 'missing');
    expect(await codeOf(() => openAccess({ state: join(folder, 'access.db') }))).toBe('DATABASE_NOT_WRITABLE');
    expect(existsSync(folder)).toBe(false);
  });

  test('below a file cannot be written', async () => {
    const file = scratchFile('file');
    writeFileSync(file, 'text');
    expect(await codeOf(() => openAccess({ state: join(file, 'access.db') }))).toBe('DATABASE_NOT_WRITABLE');
    expect(readFileSync(file, 'utf8')).toBe('text');
  });

  test('of a folder cannot be written, and nothing is put into it', async () => {
    const folder = join(scratchFolder(), 'access.db');
    mkdirSync(folder);
    expect(await codeOf(() => openAccess({ state: folder }))).toBe('DATABASE_NOT_WRITABLE');
    expect(readdirSync(folder)).toEqual([]);
    expect(readdirSync(join(folder, '..'))).toEqual(['access.db']);
  });

  test.each([[''], ['a\0b'], [5], [undefined], [null]])('%j is none', async (state) => {
    expect(await codeOf(() => openAccess({ state: state as string }))).toBe('INVALID_OPTION');
  });
});

describe('a file that another process has locked', () => {
  test('is waited for once, and then refused at once until it is free', async () => {
    const state = scratchFile('access.db');
    const access = opened(state);
    const { key } = access.createKey();
    const client = access.identify(`Bearer ${key}`, undefined);
    const other = new Database(state);
    onTestFinished(() => void other.close());
    other.exec('BEGIN IMMEDIATE');
    // Each waited for a second before: more than this test may take.
    for (let i = 0; i < 30; i++) {
      expect(await codeOf(() => access.admit(client))).toBe('DATABASE_NOT_READABLE');
      // Reading works, and is no sign that the file can be written again.
      access.check();
      expect(access.identify(`Bearer ${key}`, undefined)).toEqual(client);
    }
    other.exec('ROLLBACK');
    expect(access.admit(client).dailyRemaining).toBe(499);
  });
});

describe('a request that is given back while another process has the file locked', () => {
  test.each(['by the next request', 'when it is closed'])('is so %s', (when) => {
    const state = scratchFile('access.db');
    const access = opened(state);
    const client = access.identify(undefined, '192.0.2.1');
    const daily = access.admit(client).dailyLimit;
    const [second, third] = [access.admit(client), access.admit(client)];
    const other = new Database(state);
    onTestFinished(() => void other.close());
    other.exec('BEGIN IMMEDIATE');
    second.giveBack();
    third.giveBack();
    other.exec('ROLLBACK');
    if (when === 'when it is closed') access.close();
    const next = when === 'when it is closed' ? opened(state) : access;
    expect(next.admit(client).dailyRemaining).toBe(daily - 2);
  });
});

describe('a file that was damaged while it was closed', () => {
  test.each([
    ['in its tables', (bytes: Buffer) => bytes.fill(0x5a, 4096)],
    ['in its schema', (bytes: Buffer) => bytes.fill(0x5a, 100, 4096)],
    ['at its beginning', (bytes: Buffer) => bytes.fill(0x5a, 0, 100)],
  ])('%s is told with a code, and admits nobody', async (_, damage) => {
    const state = scratchFile('access.db');
    const before = openAccess({ state });
    const { key } = before.createKey();
    before.admit(before.identify(`Bearer ${key}`, undefined));
    before.admit(before.identify(undefined, '192.0.2.1'));
    before.close();
    const bytes = readFileSync(state);
    damage(bytes);
    writeFileSync(state, bytes);

    const codes = await Promise.all(
      [`Bearer ${key}`, undefined].map((header) =>
        codeOf(() => {
          const access = opened(state);
          access.admit(access.identify(header, '192.0.2.1'));
        }),
      ),
    );
    for (const code of codes) expect(['DATABASE_NOT_READABLE', 'NOT_A_STATE_FILE', 'DATABASE_DAMAGED']).toContain(code);
  });
});

describe('limits that make no sense', () => {
  test.each([
    ['anonymous', 'daily', -1],
    ['anonymous', 'perMinute', 0.5],
    ['key', 'daily', Number.NaN],
    ['key', 'perMinute', 2 ** 31],
  ])('%s.%s = %d are refused before a file is made', async (who, which, limit) => {
    const state = scratchFile('access.db');
    expect(() => openAccess({ state, [who]: { [which]: limit } })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringContaining(`${who}.${which}`) }),
    );
    expect(existsSync(state)).toBe(false);
  });
});

describe('a file that does not exist yet', () => {
  test('may be opened by three processes at the same moment, and all can use it', async () => {
    const processes = await Promise.all([1, 2, 3].map(() => startStateFileProcess({ times: 1 })));
    const folder = scratchFolder();
    for (let round = 0; round < 60; round++) {
      const state = join(folder, `${round}.db`);
      for (const one of processes) one.tell(`count ${state}`);
      const answers = await Promise.all(processes.map((one) => one.answer()));
      expect(answers, `round ${round}`).toEqual([['admitted'], ['admitted'], ['admitted']]);
      const access = openAccess({ state });
      expect(access.createKey().id).toBe(1);
      access.close();
    }
  });
});

function opened(state: string): Access {
  const access = openAccess({ state });
  onTestFinished(() => access.close());
  return access;
}

/** Has a database do something, as another program would. */
function alter(path: string, sql: string): void {
  const database = new Database(path);
  database.exec(sql);
  database.close();
}
