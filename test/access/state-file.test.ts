import crypto, { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type Access,
  type AccessOptions,
  clientOfAddress,
  openAccess,
  shortenAddress,
} from '../../src/access/index.js';
import { Database } from '../../src/store/sqlite.js';
import { traceOf } from '../catalogue-file.js';
import { codeOf } from '../error-code.js';
import { closing, scratchFile, scratchFileWith, scratchFolder } from '../scratch-folder.js';
import { loadItems, storeItem } from '../store/store-items.js';
import { keepsKeysAndQuotas } from './keys-and-quotas.js';

describe('a state file', () => {
  test('is made where there is none, and is all that remains when it is closed', () => {
    const folder = scratchFolder();
    const access = opened({ state: join(folder, 'access.db') });
    expect(access.listKeys()).toEqual([]);
    access.check();
    access.close();
    expect(readdirSync(folder)).toEqual(['access.db']);
  });

  test('may be held in memory only', () => {
    const access = opened({ state: ':memory:' });
    const { key } = access.createKey();
    expect(access.identify(`Bearer ${key}`, undefined).name).toBe('key:1');
    expect(existsSync(':memory:')).toBe(false);
    expect(opened({ state: ':memory:' }).listKeys()).toEqual([]);
  });
});

/** What stands at a path and is no state file of this format, and the code that says so. */
const REFUSED: Record<string, { code: string; make: (path: string) => void }> = {
  'a catalogue': { code: 'NOT_A_STATE_FILE', make: (path) => loadItems(path, [storeItem('a')], false) },
  'a database of another program': {
    code: 'NOT_A_STATE_FILE',
    make: (path) => alter(path, 'CREATE TABLE notes (text)'),
  },
  'a database of another program without tables': {
    code: 'NOT_A_STATE_FILE',
    make: (path) => alter(path, 'PRAGMA application_id = 252006674'),
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
};

test.each(Object.entries(REFUSED))('%s is refused and stays as it was', async (_, { code, make }) => {
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

describe('a path', () => {
  test('in a folder that does not exist cannot be written, and no folder is made', async () => {
    const folder = join(scratchFolder(), 'missing');
    expect(await codeOf(() => openAccess({ state: join(folder, 'access.db') }))).toBe('DATABASE_NOT_WRITABLE');
    expect(existsSync(folder)).toBe(false);
  });

  test('below a file cannot be written', async () => {
    const file = scratchFileWith('file', 'text');
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

test('a file that another process has locked is waited for once, and then refused at once until it is free', async () => {
  const state = scratchFile('access.db');
  const access = opened({ state });
  const { key } = access.createKey();
  const client = access.identify(`Bearer ${key}`, undefined);
  const other = closing(new Database(state));
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

test.each(['by the next request', 'when it is closed'])(
  'a request that is given back while another process has the file locked is so %s',
  (when) => {
    const state = scratchFile('access.db');
    const access = opened({ state });
    const client = access.identify(undefined, '192.0.2.1');
    const daily = access.admit(client).dailyLimit;
    const [second, third] = [access.admit(client), access.admit(client)];
    const other = closing(new Database(state));
    other.exec('BEGIN IMMEDIATE');
    second.giveBack();
    third.giveBack();
    other.exec('ROLLBACK');
    if (when === 'when it is closed') access.close();
    const next = when === 'when it is closed' ? opened({ state }) : access;
    expect(next.admit(client).dailyRemaining).toBe(daily - 2);
  },
);

test.each([
  ['in its tables', (bytes: Buffer) => bytes.fill(0x5a, 4096)],
  ['in its schema', (bytes: Buffer) => bytes.fill(0x5a, 100, 4096)],
  ['at its beginning', (bytes: Buffer) => bytes.fill(0x5a, 0, 100)],
])('a file that was damaged while it was closed %s is told with a code, and admits nobody', async (_, damage) => {
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
        const access = opened({ state });
        access.admit(access.identify(header, '192.0.2.1'));
      }),
    ),
  );
  for (const code of codes) expect(['DATABASE_NOT_READABLE', 'NOT_A_STATE_FILE', 'DATABASE_DAMAGED']).toContain(code);
});

function opened(options: Partial<AccessOptions> = {}): Access {
  return closing(openAccess({ state: scratchFile('access.db'), ...options }));
}

/** Has a database do something, as another program would. */
function alter(path: string, sql: string): void {
  const database = new Database(path);
  database.exec(sql);
  database.close();
}

describe('a new key', () => {
  test('has 43 random characters of its own, each of 62 as often as any other: 256 bits', () => {
    expect(43 * Math.log2(62)).toBeGreaterThan(256);
    const access = opened({ state: ':memory:' });
    const secrets = Array.from({ length: 2000 }, () => access.createKey().key.slice('sk_live_'.length));
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

describe('a key in a request', () => {
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
});

test('a revoked key does not give its id to another', () => {
  const state = scratchFile('access.db');
  const before = openAccess({ state });
  before.createKey();
  before.revokeKey(1);
  before.close();
  expect(opened({ state }).createKey().id).toBe(2);
});

function clientOf(access: Access, key: string) {
  return access.identify(`Bearer ${key}`, '192.0.2.1');
}

/** The bytes of a state file and of all that stands beside it. */
function filesOf(state: string): Buffer[] {
  const folder = dirname(state);
  return readdirSync(folder).map((name) => readFileSync(join(folder, name)));
}

describe('the client of an address', () => {
  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['0.0.0.0', '0.0.0.0'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
  ])('of %s is %s', (address, client) => {
    expect(clientOfAddress(address)).toBe(client);
  });

  test('is the same for all addresses of an IPv6 /64, and another for the next', () => {
    const word = fc.integer({ min: 0, max: 0xffff });
    const half = fc.tuple(word, word, word, word);
    fc.assert(
      fc.property(half, half, half, fc.nat(3), (network, one, other, changed) => {
        const address = (...groups: number[][]) => groups.flat().map(hex).join(':');
        fc.pre(!isMapped([...network, ...one]) && !isMapped([...network, ...other]));
        const client = clientOfAddress(address(network, one));
        expect(clientOfAddress(address(network, other))).toBe(client);

        const next = network.map((group, i) => (i === changed ? group ^ 1 : group));
        expect(clientOfAddress(address(next, one))).not.toBe(client);
      }),
    );
  });

  test('of an IPv4 address inside an IPv6 one is the IPv4 address', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number];
        const groups = `${hex(a * 256 + b)}:${hex(c * 256 + d)}`;
        for (const mapped of [
          `::ffff:${address}`,
          `::FFFF:${address}`,
          `::ffff:${groups}`,
          `0:0:0:0:0:ffff:${groups}`,
          `0000:0000:0000:0000:0000:ffff:${address}`,
        ]) {
          expect(clientOfAddress(mapped)).toBe(address);
        }
      }),
    );
  });

  test.each([
    ...[undefined, '', 'localhost', '203.0.113.256', '203.0.113.9:80', '[::1]', ' ::1', '1:2:3', '2001:db8::/64'],
    ...['key:1', '::1]/../../[::2'],
  ])('is one and the same for %j, which is no address', (address) => {
    expect(clientOfAddress(address)).toBe('unknown');
  });

  test('can never be that of a key', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.constantFrom('key:1', 'key:2%1')), (address) => {
        expect(clientOfAddress(address)).not.toMatch(/^key:/);
      }),
    );
  });
});

test.each([
  ['203.0.113.9', '203.0.113.0'],
  ['203.0.113.255', '203.0.113.0'],
  ['::ffff:203.0.113.9', '203.0.113.0'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::'],
  ['2001:db8::1%eth0', '2001:db8:0::'],
  ['::1', '0:0:0::'],
  ['somewhere', 'unknown'],
  [undefined, 'unknown'],
])('an address in a log %j is written as %s', (address, written) => {
  expect(shortenAddress(address)).toBe(written);
});

function hex(group: number): string {
  return group.toString(16);
}

function isMapped(groups: readonly number[]): boolean {
  return groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
}

describe('in a file', () => {
  keepsKeysAndQuotas({
    emptyPlace: async () => scratchFile('access.db'),
    open: async (options) => openAccess(options),
    counted: async (state) => {
      const database = new Database(state);
      const columns = 'client, day, day_count AS dayCount, minute_count AS minuteCount';
      const rows = database.prepare(`SELECT ${columns} FROM usage ORDER BY client`).all();
      database.close();
      return rows as never;
    },
  });
});
