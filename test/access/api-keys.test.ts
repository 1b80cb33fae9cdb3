import crypto, { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Access, type AccessOptions, type NewKeyOptions, openAccess } from '../../src/access/index.js';
import { randomLetters } from '../../src/access/random-letters.js';
import { Database } from '../../src/store/sqlite.js';
import { codeOf } from '../error-code.js';
import { scratchFile } from '../scratch-folder.js';

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

  test('is told with all that is known of it', () => {
    const access = opened({ now: () => NOW });
    const { key, ...facts } = access.createKey({ name: 'build server', daily: 1000, perMinute: 0 });
    expect(facts).toEqual({
      id: 1,
      name: 'build server',
      daily: 1000,
      perMinute: 0,
      createdAt: Math.floor(NOW / 1000),
      revokedAt: undefined,
    });
    expect(access.createKey()).toMatchObject({ id: 2, name: '', daily: undefined, perMinute: undefined });
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

  const WRONG: Record<string, NewKeyOptions> = {
    'a name of 101 characters': { name: 'é'.repeat(101) },
    'a name that is no text': { name: 5 as never },
    'another form': { form: 'other' as never },
    'a form that every object has': { form: 'constructor' as never },
    'a negative limit': { daily: -1 },
    'a limit with a fraction': { perMinute: 1.5 },
    'a limit that is not a number': { daily: Number.NaN },
    'a limit without end': { perMinute: Number.POSITIVE_INFINITY },
    'a limit above 31 bits': { daily: 2 ** 31 },
    'a limit as text': { perMinute: '5' as never },
    'null for a limit': { daily: null as never },
  };
  test.each(Object.entries(WRONG))('is not made with %s', async (_, options) => {
    const access = opened();
    expect(await codeOf(() => access.createKey(options))).toBe('INVALID_OPTION');
    expect(access.listKeys()).toEqual([]);
  });

  test('may have a name of 100 characters outside the basic plane, and the largest limits', () => {
    const access = opened();
    const options = { name: '😀'.repeat(100), daily: 2 ** 31 - 1, perMinute: 2 ** 31 - 1 };
    expect(access.createKey(options)).toMatchObject(options);
    expect(access.listKeys()).toMatchObject([options]);
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

  test('is empty at first', () => {
    expect(opened().listKeys()).toEqual([]);
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

  test('counts, not the address it comes from', () => {
    const access = opened();
    const { key } = access.createKey();
    const names = ['192.0.2.1', '2001:db8::1', undefined].map(
      (address) => access.identify(`Bearer ${key}`, address).name,
    );
    expect(names).toEqual(['key:1', 'key:1', 'key:1']);
  });

  test('has the limits of the server, or those it was made with, each for itself', () => {
    const access = opened({ key: { daily: 70, perMinute: 7 }, anonymous: { daily: 9, perMinute: 1 } });
    const quotaOf = (options: NewKeyOptions) => clientOf(access, access.createKey(options).key).quota;
    expect(quotaOf({})).toEqual({ daily: 70, perMinute: 7 });
    expect(quotaOf({ daily: 1000 })).toEqual({ daily: 1000, perMinute: 7 });
    expect(quotaOf({ perMinute: 1000 })).toEqual({ daily: 70, perMinute: 1000 });
    expect(quotaOf({ daily: 0, perMinute: 0 })).toEqual({ daily: 0, perMinute: 0 });
  });

  test('is held to its own limits', async () => {
    const access = opened({ now: () => NOW, key: { daily: 1, perMinute: 1 } });
    const client = clientOf(access, access.createKey({ daily: 2, perMinute: 0 }).key);
    expect(access.admit(client)).toMatchObject({ dailyLimit: 2, dailyRemaining: 1 });
    expect(access.admit(client)).toMatchObject({ dailyLimit: 2, dailyRemaining: 0 });
    expect(await codeOf(() => access.admit(client))).toBe('DAILY_QUOTA_EXCEEDED');
  });

  test('has 500 requests a day and 30 a minute where nobody said otherwise', () => {
    const access = opened();
    expect(clientOf(access, access.createKey().key).quota).toEqual({ daily: 500, perMinute: 30 });
  });

  const HEADERS: Record<string, (key: string) => string> = {
    'another key of the form': () => `Bearer sk_live_${'A'.repeat(43)}`,
    'another scheme': (key) => `Basic ${key}`,
    'a scheme that begins the same': (key) => `Bearers ${key}`,
    'no scheme': (key) => key,
    'a scheme alone': () => 'Bearer',
    'a scheme and a space': () => 'Bearer ',
    nothing: () => '',
    'white space': () => ' \t ',
    'no space after the scheme': (key) => `Bearer${key}`,
    'a tab after the scheme': (key) => `Bearer\t${key}`,
    'the key twice': (key) => `Bearer ${key} ${key}`,
    'the header twice': (key) => `Bearer ${key}, Bearer ${key}`,
    'the header twice without spaces': (key) => `Bearer ${key},${key}`,
    quotes: (key) => `Bearer "${key}"`,
    'a parameter': (key) => `Bearer token=${key}`,
    'a shorter key': (key) => `Bearer ${key.slice(0, -1)}`,
    'a longer key': (key) => `Bearer ${key}A`,
    'the key in capitals': (key) => `Bearer ${key.toUpperCase()}`,
    'the other prefix': (key) => `Bearer ${key.replace('sk_live_', 'sk_live_skillsmp_')}`,
    'the prefix twice': (key) => `Bearer sk_live_${key}`,
    'no prefix': (key) => `Bearer ${key.slice('sk_live_'.length)}`,
    'the hash': (key) => `Bearer ${createHash('sha256').update(key).digest('hex')}`,
    'the id': () => 'Bearer 1',
    'a line feed': (key) => `Bearer ${key}\nx`,
  };
  test.each(Object.entries(HEADERS))('is not accepted from a header with %s', async (_, headerOf) => {
    const access = opened();
    const { key } = access.createKey();
    expect(await codeOf(() => access.identify(headerOf(key), '192.0.2.1'))).toBe('INVALID_API_KEY');
  });

  test('that is not accepted is not repeated in the error', () => {
    const access = opened();
    const wrong = `sk_live_${'B'.repeat(43)}`;
    expect(() => access.identify(`Bearer ${wrong}`, undefined)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('BBB') }),
    );
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

  test('is told apart from more keys than are remembered', async () => {
    const access = opened({ state: ':memory:' });
    const keys = Array.from({ length: 1500 }, () => access.createKey().key);
    const before = performance.now();
    const names = (): string[] => keys.map((key) => access.identify(`Bearer ${key}`, undefined, before).name);
    expect([...names(), ...names()]).toEqual([...keys, ...keys].map((_, i) => `key:${(i % keys.length) + 1}`));
  });

  test('is known in another connection as soon as it is made', () => {
    const state = scratchFile('access.db');
    const [one, other] = [opened({ state }), opened({ state })];
    expect(clientOf(other, one.createKey().key)).toMatchObject({ name: 'key:1' });
    expect(clientOf(one, other.createKey().key)).toMatchObject({ name: 'key:2' });
  });

  test('is told with the time, by its id as by the key itself', async () => {
    const access = opened({ now: () => NOW });
    const [first, second] = [access.createKey({ name: 'first' }), access.createKey({ name: 'second' })];
    const revokedAt = Math.floor(NOW / 1000);
    expect(access.revokeKey(first.id)).toMatchObject({ id: 1, name: 'first', revokedAt });
    const revoked = access.revokeKey(second.key);
    expect(revoked).toMatchObject({ id: 2, name: 'second', revokedAt });
    expect(revoked).not.toHaveProperty('key');
    for (const { key } of [first, second]) {
      expect(await codeOf(() => clientOf(access, key))).toBe('INVALID_API_KEY');
    }
  });

  test('keeps the time at which it was revoked first', () => {
    let now = NOW;
    const access = opened({ now: () => now });
    const { key } = access.createKey();
    const first = access.revokeKey(1);
    now += 60_000;
    expect(access.revokeKey(1)).toEqual(first);
    expect(access.revokeKey(key)).toEqual(first);
  });

  test('does not give its id to another', () => {
    const state = scratchFile('access.db');
    const before = openAccess({ state });
    before.createKey();
    before.revokeKey(1);
    before.close();
    expect(opened({ state }).createKey().id).toBe(2);
  });

  test.each([
    ['an id that was never given', 7],
    ['the id 0', 0],
    ['a negative id', -1],
    ['an id between two', 1.5],
    ['an id that is not a number', Number.NaN],
    ['a key that was never made', `sk_live_${'C'.repeat(43)}`],
    ['no text', ''],
    ['an id as text', '1'],
    ['a name', 'first'],
  ])('is none where %s is given', async (_, what) => {
    const access = opened();
    const { key } = access.createKey({ name: 'first' });
    expect(await codeOf(() => access.revokeKey(what))).toBe('KEY_NOT_FOUND');
    expect(clientOf(access, key)).toMatchObject({ name: 'key:1' });
  });

  test('that is not found is not repeated in the error, since it may be a key with a slip in it', () => {
    const access = opened();
    expect(() => access.revokeKey(`sk_live_${'D'.repeat(42)}`)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('DDD') }),
    );
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
