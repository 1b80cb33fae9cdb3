import crypto, { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { randomLetters } from '../../src/access/api-key.js';
import { type Access, type AccessOptions, openAccess, type Quota } from '../../src/access/index.js';
import type { SkillSearchError } from '../../src/core/index.js';
import { Database } from '../../src/store/sqlite.js';
import { traceOf } from '../catalogue-file.js';
import { codeOf } from '../error-code.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { loadItems, storeItem } from '../store/store-items.js';
import { openedFile, rowsOf } from './keys-and-quotas.js';

describe('state file', () => {
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
      for (const code of codes)
        expect(['DATABASE_NOT_READABLE', 'NOT_A_STATE_FILE', 'DATABASE_DAMAGED']).toContain(code);
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
});

describe('api keys', () => {
  const NOW = Date.UTC(2026, 2, 14, 12, 0, 0, 987);

  describe('a new key', () => {
    test('is `sk_live_` and 43 letters and digits', () => {
      const access = opened();
      for (let i = 0; i < 200; i++) expect(access.createKey().key).toMatch(/^sk_live_[A-Za-z0-9]{43}$/);
    });

    test('of the other form begins with `sk_live_skillsmp_`', () => {
      const access = opened();
      for (let i = 0; i < 50; i++) {
        expect(access.createKey({ form: 'skillsmp' }).key).toMatch(/^sk_live_skillsmp_[A-Za-z0-9]{43}$/);
      }
    });

    test('has 43 random characters of its own, each of 62 as often as any other: 256 bits', () => {
      expect(43 * Math.log2(62)).toBeGreaterThan(256);
      const secrets = Array.from({ length: 2000 }, () => randomLetters(43));
      expect(new Set(secrets).size).toBe(2000);
      const counts = new Map<string, number>();
      for (const letter of secrets.join('')) counts.set(letter, (counts.get(letter) ?? 0) + 1);
      expect(counts.size).toBe(62);
      // 86,000 letters, 1,387 of each: six standard deviations are 223.
      for (const count of counts.values()) expect(Math.abs(count - 86_000 / 62)).toBeLessThan(223);
      for (let at = 0; at < 43; at++) expect(new Set(secrets.map((secret) => secret[at])).size).toBe(62);
    });

    test.each(['plain', 'skillsmp'] as const)('of the form %s is in no file, only its SHA-256 is', (form) => {
      const state = scratchFile('access.db');
      const access = opened({ state });
      const { key } = access.createKey({ name: 'a name that can be found', form });
      clientOf(access, key);
      access.admit(clientOf(access, key));
      const secret = key.slice(-43);
      const raw = Buffer.from(secret, 'base64');
      const hash = createHash('sha256').update(key).digest();

      function look(): void {
        const bytes = Buffer.concat(filesOf(state));
        expect(bytes.includes('a name that can be found')).toBe(true);
        expect(bytes.includes(hash)).toBe(true);
        for (const trace of [key, secret, raw, raw.toString('hex'), raw.toString('base64'), secret.slice(0, 12)]) {
          expect(bytes.includes(trace)).toBe(false);
        }
      }
      look(); // while it is still in the write-ahead log
      access.revokeKey(key);
      look();
      access.close();
      expect(readdirSync(dirname(state))).toEqual(['access.db']);
      look();
    });
  });

  describe('the list of keys', () => {
    test('has all of them in the order in which they were made, without the keys', () => {
      const access = opened({ now: () => NOW });
      const made = ['b', 'a', 'b'].map((name) => access.createKey({ name }));
      access.revokeKey(2);

      const listed = access.listKeys();
      expect(listed.map(({ id, name }) => [id, name])).toEqual([
        [1, 'b'],
        [2, 'a'],
        [3, 'b'],
      ]);
      expect(listed.map(({ revokedAt }) => revokedAt)).toEqual([undefined, Math.floor(NOW / 1000), undefined]);
      for (const one of listed) {
        expect(Object.keys(one).toSorted()).toEqual(['createdAt', 'daily', 'id', 'name', 'perMinute', 'revokedAt']);
      }
      for (const { key } of made) expect(JSON.stringify(listed)).not.toContain(key.slice(-43));
    });

    test('is the same after closing and opening, and the keys are still accepted', () => {
      const state = scratchFile('access.db');
      const before = openAccess({ state });
      const { key } = before.createKey({ name: 'kept', daily: 3, perMinute: 0 });
      const listed = before.listKeys();
      before.close();

      const after = opened({ state });
      expect(after.listKeys()).toEqual(listed);
      expect(clientOf(after, key)).toEqual({ kind: 'key', name: 'key:1', quota: { daily: 3, perMinute: 0 } });
    });
  });

  describe('a key in a request', () => {
    test('is known by its header, in either form', () => {
      const access = opened();
      const keys = [access.createKey({ form: 'skillsmp' }).key, access.createKey().key];
      expect(keys.map((key) => clientOf(access, key))).toMatchObject([
        { kind: 'key', name: 'key:1' },
        { kind: 'key', name: 'key:2' },
      ]);
    });

    test.each(['sk_live_', 'sk_live_skillsmp_'])(
      'of an earlier version, with _ and -, is still accepted: %s',
      (prefix) => {
        const state = scratchFile('access.db');
        const access = opened({ state });
        const key = `${prefix}${'aB3_-'.repeat(8)}xyz`;
        const database = new Database(state);
        database
          .prepare("INSERT INTO api_key (hash, name, created_at) VALUES (?, 'old', 0)")
          .run(createHash('sha256').update(key).digest());
        database.close();
        expect(clientOf(access, key)).toMatchObject({ kind: 'key', name: 'key:1' });
      },
    );

    test('is compared by its SHA-256 as a whole, in the same time wherever it differs', async () => {
      const access = opened();
      const { key } = access.createKey();
      const compared = vi.spyOn(crypto, 'timingSafeEqual');
      syncBuiltinESMExports();
      onTestFinished(() => {
        compared.mockRestore();
        syncBuiltinESMExports();
      });
      const hash = createHash('sha256').update(key).digest();
      // Once read from the file, then remembered.
      for (let i = 1; i <= 2; i++) {
        clientOf(access, key);
        expect(compared).toHaveBeenCalledTimes(i);
        expect(compared.mock.lastCall?.map((side) => Buffer.from(side as Buffer))).toEqual([hash, hash]);
      }
      compared.mockReturnValue(false);
      expect(await codeOf(() => clientOf(access, key))).toBe('INVALID_API_KEY');
    });

    test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('may come with the scheme written %s', (scheme) => {
      const access = opened();
      const { key } = access.createKey();
      expect(access.identify(`${scheme} ${key}`, undefined)).toMatchObject({ kind: 'key' });
      expect(access.identify(` ${scheme}   ${key} `, undefined)).toMatchObject({ kind: 'key' });
    });

    test('has 500 requests a day and 30 a minute where nobody said otherwise', () => {
      const access = opened();
      expect(clientOf(access, access.createKey().key).quota).toEqual({ daily: 500, perMinute: 30 });
    });
    test('is not missed where there is no header', () => {
      expect(opened().identify(undefined, '192.0.2.1')).toEqual({
        kind: 'anonymous',
        name: '192.0.2.1',
        quota: { daily: 50, perMinute: 10 },
      });
    });
  });

  describe('a revoked key', () => {
    test('is worthless at once, also in another connection that knew it', async () => {
      const state = scratchFile('access.db');
      const [one, other] = [opened({ state }), opened({ state })];
      const { key } = one.createKey();
      const kept = one.createKey();
      expect(clientOf(other, key)).toMatchObject({ name: 'key:1' });

      one.revokeKey(1);
      for (const access of [one, other]) {
        expect(await codeOf(() => clientOf(access, key))).toBe('INVALID_API_KEY');
        expect(clientOf(access, kept.key)).toMatchObject({ name: 'key:2' });
        expect(access.listKeys()).toMatchObject([{ revokedAt: expect.any(Number) }, { revokedAt: undefined }]);
      }
    });

    test('is refused to a request that came after the file was last asked, and only then asked for again', async () => {
      const state = scratchFile('access.db');
      const [one, other] = [opened({ state }), opened({ state })];
      const header = `Bearer ${one.createKey().key}`;
      const before = performance.now();
      expect(other.identify(header, undefined, before)).toMatchObject({ name: 'key:1' });
      one.revokeKey(1);
      // It came before the file was asked, hence before the key was revoked.
      expect(other.identify(header, undefined, before)).toMatchObject({ name: 'key:1' });
      expect(await codeOf(() => other.identify(header, undefined, performance.now()))).toBe('INVALID_API_KEY');
      expect(await codeOf(() => other.identify(header, undefined, before))).toBe('INVALID_API_KEY');
    });

    test('is worthless in its own connection whenever the request came', async () => {
      const access = opened();
      const header = `Bearer ${access.createKey().key}`;
      const before = performance.now();
      expect(access.identify(header, undefined, before)).toMatchObject({ name: 'key:1' });
      access.revokeKey(1);
      expect(await codeOf(() => access.identify(header, undefined, before))).toBe('INVALID_API_KEY');
    });

    test('is known in another connection as soon as it is made', () => {
      const state = scratchFile('access.db');
      const [one, other] = [opened({ state }), opened({ state })];
      expect(clientOf(other, one.createKey().key)).toMatchObject({ name: 'key:1' });
      expect(clientOf(one, other.createKey().key)).toMatchObject({ name: 'key:2' });
    });

    test('does not give its id to another', () => {
      const state = scratchFile('access.db');
      const before = openAccess({ state });
      before.createKey();
      before.revokeKey(1);
      before.close();
      expect(opened({ state }).createKey().id).toBe(2);
    });
  });

  function opened(options: Partial<AccessOptions> = {}): Access {
    const access = openAccess({ state: scratchFile('access.db'), ...options });
    onTestFinished(() => access.close());
    return access;
  }

  function clientOf(access: Access, key: string) {
    return access.identify(`Bearer ${key}`, '192.0.2.1');
  }

  /** The bytes of a state file and of all that stands beside it. */
  function filesOf(state: string): Buffer[] {
    const folder = dirname(state);
    return readdirSync(folder).map((name) => readFileSync(join(folder, name)));
  }
});

describe('quota counters', () => {
  const NOON = Date.UTC(2026, 2, 14, 12);
  const MIDNIGHT = Date.UTC(2026, 2, 15);

  describe('clients', () => {
    test('are counted each for itself', async () => {
      const { access } = asking({ daily: 2, perMinute: 0 });
      const { key } = access.createKey({ daily: 1 });
      const other = access.createKey({ daily: 1 });
      const remaining = (authorization: string | undefined, address: string | undefined) =>
        access.admit(access.identify(authorization, address)).dailyRemaining;

      expect(remaining(undefined, '192.0.2.1')).toBe(1);
      expect(remaining(undefined, '192.0.2.2')).toBe(1);
      expect(remaining(undefined, '2001:db8::1')).toBe(1);
      expect(remaining(undefined, undefined)).toBe(1);
      expect(remaining(`Bearer ${key}`, '192.0.2.1')).toBe(0);
      expect(remaining(`Bearer ${other.key}`, '192.0.2.1')).toBe(0);
      expect(remaining(undefined, '192.0.2.1')).toBe(0);
      expect(await codeOf(() => remaining(undefined, '192.0.2.1'))).toBe('DAILY_QUOTA_EXCEEDED');
      expect(await codeOf(() => remaining(`Bearer ${key}`, '192.0.2.9'))).toBe('DAILY_QUOTA_EXCEEDED');
      expect(remaining(undefined, '192.0.2.2')).toBe(0);
    });

    test('with an IPv4 address share a counter with the same address inside IPv6', () => {
      const { askFrom } = asking({ daily: 9, perMinute: 0 });
      expect(askFrom('192.0.2.1').dailyRemaining).toBe(8);
      expect(askFrom('::ffff:192.0.2.1').dailyRemaining).toBe(7);
      expect(askFrom('::FFFF:c000:0201').dailyRemaining).toBe(6);
      expect(askFrom('::ffff:192.0.2.2').dailyRemaining).toBe(8);
    });
  });

  describe('a request given back', () => {
    test('late on its own day still counts', () => {
      const { ask, clock } = asking({ daily: 5, perMinute: 0 });
      const early = ask();
      clock.now = MIDNIGHT - 1;
      ask();
      early.giveBack();
      expect(ask().dailyRemaining).toBe(3);
    });
  });

  describe('counters', () => {
    test('of one client are one row, however often it asks', () => {
      const { ask, clock, state } = asking({ daily: 0, perMinute: 2000 });
      for (let i = 0; i < 300; i++) {
        ask();
        clock.now += 10_000;
      }
      expect(rowsOf(state)).toHaveLength(1);
    });
  });

  const CLIENT = '192.0.2.1';

  /** A client that asks, at a time that can be set. */
  function asking(anonymous: Quota | undefined, state = scratchFile('access.db')) {
    const clock = { now: NOON };
    const access = openedFile({ state, anonymous, now: () => clock.now });
    const askFrom = (address: string | undefined, fault?: SkillSearchError) =>
      access.admit(access.identify(undefined, address), fault);
    return { access, clock, state, askFrom, ask: (fault?: SkillSearchError) => askFrom(CLIENT, fault) };
  }
});
