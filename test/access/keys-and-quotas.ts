import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Access,
  type AccessOptions,
  type Client,
  type KeysAndQuotas,
  type NewKeyOptions,
  openAccess,
  type Quota,
  UNLIMITED,
} from '../../src/access/index.js';
import { SkillSearchError } from '../../src/core/index.js';
import { Database } from '../../src/store/sqlite.js';
import { codeOf } from '../error-code.js';
import { closing } from '../scratch-folder.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const NOON = Date.UTC(2026, 2, 14, 12);
const MIDNIGHT = Date.UTC(2026, 2, 15);

/** Where keys and quotas are kept. */
export interface KeepingPlace {
  /** A place with nothing in it: the path of a file, or the address of a database. */
  readonly emptyPlace: () => Promise<string>;
  readonly open: (options: AccessOptions) => Promise<KeysAndQuotas>;
  /** The names and counts of the clients of a place, by name. */
  readonly counted: (state: string) => Promise<readonly Counted[]>;
}

interface Counted {
  readonly client: string;
  readonly day: number;
  readonly dayCount: number;
  readonly minuteCount: number;
}

/** What every store of keys and quotas does, wherever it keeps them. */
export function keepsKeysAndQuotas({ emptyPlace, open, counted }: KeepingPlace): void {
  async function opened(options: Partial<AccessOptions> = {}): Promise<KeysAndQuotas> {
    return closing(await open({ state: await emptyPlace(), ...options }));
  }

  /** Somebody without a key, and the clock. */
  async function asking(anonymous: Partial<Quota> | undefined, given?: string) {
    const clock = { now: NOON };
    const state = given ?? (await emptyPlace());
    const access = await opened({ state, anonymous, now: () => clock.now });
    const askFrom = async (address: string | undefined, fault?: SkillSearchError) =>
      access.admit(await access.identify(undefined, address), fault);
    return { access, state, clock, askFrom, ask: (fault?: SkillSearchError) => askFrom('192.0.2.1', fault) };
  }

  const clientOf = async (access: KeysAndQuotas, key: string): Promise<Client> =>
    access.identify(`Bearer ${key}`, '192.0.2.1');

  describe('a key', () => {
    test('is told with all that is known of it when it is made, and listed without the key', async () => {
      const access = await opened({ now: () => NOON + 987 });
      const { key, ...facts } = await access.createKey({ name: 'build server 😀', daily: 1000, perMinute: 0 });
      expect(key).toMatch(/^sk_live_[A-Za-z0-9]{43}$/);
      const [createdAt, revokedAt] = [NOON / 1000, undefined];
      expect(facts).toEqual({ id: 1, name: 'build server 😀', daily: 1000, perMinute: 0, createdAt, revokedAt });
      expect(await access.createKey()).toMatchObject({ id: 2, name: '', daily: undefined, perMinute: undefined });
      const listed = await access.listKeys();
      expect(listed).toEqual([
        facts,
        { id: 2, name: '', daily: undefined, perMinute: undefined, createdAt, revokedAt: undefined },
      ]);
      expect(JSON.stringify(listed)).not.toContain(key.slice(-43));
    });

    test('is accepted with either beginning, and has the limits of the server or its own', async () => {
      const access = await opened({ key: { daily: 70, perMinute: 7 } });
      const quotaOf = async (options: NewKeyOptions) =>
        (await clientOf(access, (await access.createKey(options)).key)).quota;
      expect(await quotaOf({ form: 'skillsmp' })).toEqual({ daily: 70, perMinute: 7 });
      expect(await quotaOf({ daily: 1000 })).toEqual({ daily: 1000, perMinute: 7 });
      expect(await quotaOf({ perMinute: 1000 })).toEqual({ daily: 70, perMinute: 1000 });
      expect(await quotaOf({ daily: 0, perMinute: 0 })).toEqual({ daily: 0, perMinute: 0 });
    });

    test('counts, not the address that it comes from', async () => {
      const access = await opened();
      const { key } = await access.createKey();
      for (const address of ['192.0.2.1', '2001:db8::1', undefined]) {
        expect(await access.identify(`bearer  ${key} `, address)).toMatchObject({ kind: 'key', name: 'key:1' });
      }
    });

    const WRONG: Record<string, NewKeyOptions> = {
      'a name of 101 characters': { name: 'é'.repeat(101) },
      'a name that is no text': { name: 5 as never },
      'a form that every object has': { form: 'constructor' as never },
      'a limit with a fraction': { perMinute: 1.5 },
      'a limit above 31 bits': { daily: 2 ** 31 },
      'an unknown option': { dayly: 5 } as never,
    };
    test.each(Object.entries(WRONG))('is not made with %s', async (_, options) => {
      const access = await opened();
      expect(await codeOf(() => access.createKey(options))).toBe('INVALID_OPTION');
      expect(await access.listKeys()).toEqual([]);
    });

    test('may have a name of 100 characters outside the basic plane, and the largest limits', async () => {
      const access = await opened();
      const options = { name: '😀'.repeat(100), daily: 2 ** 31 - 1, perMinute: 2 ** 31 - 1 };
      expect(await access.createKey(options)).toMatchObject(options);
      expect(await access.listKeys()).toMatchObject([options]);
    });

    test.each([
      ['another key of the form', () => `Bearer sk_live_${'A'.repeat(43)}`],
      ['another scheme', (key: string) => `Basic ${key}`],
      ['a scheme alone', () => 'Bearer'],
      ['nothing', () => ''],
      ['the key twice', (key: string) => `Bearer ${key}, Bearer ${key}`],
      ['the other prefix', (key: string) => `Bearer ${key.replace('sk_live_', 'sk_live_skillsmp_')}`],
      ['the id', () => 'Bearer 1'],
      ['a statement', () => "Bearer ' OR 1=1 --"],
    ])('is not accepted from a header with %s, nor repeated in the error', async (_, headerOf) => {
      const access = await opened();
      const { key } = await access.createKey();
      const error = await caught(() => access.identify(headerOf(key), '192.0.2.1'));
      expect(error).toMatchObject({ code: 'INVALID_API_KEY' });
      expect(String(error)).not.toContain('sk_live_');
    });
  });

  describe('a revoked key', () => {
    test('is told with the time, by its id as by the key itself, and keeps the time of the first', async () => {
      const clock = { now: NOON };
      const access = await opened({ now: () => clock.now });
      await access.createKey({ name: 'first' });
      const second = await access.createKey({ name: 'second' });
      const revokedAt = NOON / 1000;
      expect(await access.revokeKey(1)).toMatchObject({ id: 1, name: 'first', revokedAt });
      const revoked = await access.revokeKey(second.key);
      expect(revoked).toMatchObject({ id: 2, name: 'second', revokedAt });
      expect(revoked).not.toHaveProperty('key');
      clock.now += MINUTE;
      expect(await access.revokeKey(2)).toEqual(revoked);
      expect((await access.listKeys()).map((one) => one.revokedAt)).toEqual([revokedAt, revokedAt]);
    });

    test.each([
      ['counted by day', { daily: 5, perMinute: 0 }],
      ['counted by minute', { daily: 0, perMinute: 5 }],
      ['not counted', { daily: 0, perMinute: 0 }],
    ])('is refused at the next request, also where it was known before: %s', async (_, limits) => {
      const state = await emptyPlace();
      const [one, other] = [await opened({ state }), await opened({ state })];
      const { key } = await one.createKey(limits);
      const kept = await one.createKey(limits);
      const request = async (access: KeysAndQuotas, sent: string) => access.admit(await clientOf(access, sent));
      for (const access of [one, other]) await request(access, key);
      await one.revokeKey(1);
      for (const access of [one, other, one, other]) {
        expect(await codeOf(() => request(access, key))).toBe('INVALID_API_KEY');
        expect(await request(access, kept.key)).toHaveProperty('dailyRemaining');
        expect(
          await codeOf(async () => {
            await access.countRequest(await clientOf(access, key));
          }),
        ).toBe('INVALID_API_KEY');
        expect(await codeOf(async () => access.confirm(await clientOf(access, key)))).toBe('INVALID_API_KEY');
        await access.confirm(await clientOf(access, kept.key));
      }
      expect((await counted(state)).map(({ client }) => client)).toEqual(
        limits.daily + limits.perMinute === 0 ? [] : ['key:1', 'key:2'],
      );
    });

    test.each([
      ['an id that was never given', 7],
      ['a negative id', -1],
      ['an id between two', 1.5],
      ['an id without end', Number.POSITIVE_INFINITY],
      ['an id beyond 53 bits', 1e300],
      ['a key that was never made', `sk_live_${'C'.repeat(43)}`],
      ['no text', ''],
      ['an id as text', '1'],
      ['a text with U+0000', '\0'],
    ])('is none where %s is given', async (_, what) => {
      const access = await opened();
      const { key } = await access.createKey();
      const error = await caught(() => access.revokeKey(what));
      expect(error).toMatchObject({ code: 'KEY_NOT_FOUND' });
      expect(String(error)).not.toContain('CCC');
      expect(await clientOf(access, key)).toMatchObject({ name: 'key:1' });
    });

    test('is told apart from more keys than are remembered', async () => {
      const access = await opened();
      const keys: string[] = [];
      for (let i = 0; i < 1010; i++) keys.push((await access.createKey()).key);
      for (let round = 0; round < 2; round++) {
        const names = await Promise.all(keys.map(async (key) => (await clientOf(access, key)).name));
        expect(names).toEqual(keys.map((_, i) => `key:${i + 1}`));
      }
    });
  });

  describe('an admission', () => {
    test('tells the limits and what is left of the day and of the minute after it', async () => {
      const { ask, clock } = await asking({ daily: 3, perMinute: 2 });
      expect(await ask()).toMatchObject({ dailyLimit: 3, dailyRemaining: 2, minuteLimit: 2, minuteRemaining: 1 });
      expect(await ask()).toMatchObject({ dailyLimit: 3, dailyRemaining: 1, minuteLimit: 2, minuteRemaining: 0 });
      clock.now += 20_500;
      expect(await caught(ask)).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfter: 40 });
      clock.now = NOON + MINUTE;
      expect(await ask()).toMatchObject({ dailyRemaining: 0, minuteRemaining: 1 });
      expect(await caught(ask)).toMatchObject({ code: 'DAILY_QUOTA_EXCEEDED', retryAfter: 12 * 3600 - 60 });
      clock.now = MIDNIGHT;
      expect(await ask()).toMatchObject({ dailyRemaining: 2, minuteRemaining: 1 });
    });

    test('is of the day that has begun where the clock is set back over midnight, and of a new one after a wrong day', async () => {
      const { ask, clock } = await asking({ daily: 2, perMinute: 0 });
      clock.now = MIDNIGHT;
      expect(await ask()).toMatchObject({ dailyRemaining: 1 });
      clock.now = MIDNIGHT - SECOND;
      expect(await ask()).toMatchObject({ dailyRemaining: 0 });
      expect(await caught(ask)).toMatchObject({ code: 'DAILY_QUOTA_EXCEEDED', retryAfter: 24 * 3600 + 1 });
      clock.now = MIDNIGHT;
      expect(await codeOf(ask)).toBe('DAILY_QUOTA_EXCEEDED');
      clock.now = MIDNIGHT - 24 * 60 * MINUTE - 1;
      expect(await ask()).toMatchObject({ dailyRemaining: 1 });
    });

    test('tells the largest number of 31 bits where there is no limit', async () => {
      expect(await (await asking({ daily: 0, perMinute: 5 })).ask()).toMatchObject({ dailyRemaining: UNLIMITED });
      expect(await (await asking({ daily: 5, perMinute: 0 })).ask()).toMatchObject({ minuteRemaining: UNLIMITED });
    });

    test('is not for a faulty request: its fault is thrown, unless the minute is used up', async () => {
      const { ask, state } = await asking({ daily: 1, perMinute: 3 });
      const fault = new SkillSearchError('MISSING_QUERY', 'q is missing');
      expect(await caught(() => ask(fault))).toBe(fault);
      expect(await ask()).toMatchObject({ dailyRemaining: 0, minuteRemaining: 1 });
      expect(await caught(() => ask(fault))).toBe(fault);
      expect(await codeOf(() => ask(fault))).toBe('RATE_LIMIT_EXCEEDED');
      expect(await counted(state)).toMatchObject([{ client: '192.0.2.1', dayCount: 1, minuteCount: 4 }]);
    });

    test('without any limit leaves no trace, and tells a fault all the same', async () => {
      const { ask, state } = await asking({ daily: 0, perMinute: 0 });
      for (let i = 0; i < 20; i++) await (await ask()).giveBack();
      expect(await codeOf(() => ask(new SkillSearchError('MISSING_QUERY', 'q is missing')))).toBe('MISSING_QUERY');
      expect(await counted(state)).toEqual([]);
    });

    test('is given to as many as there may be of requests that come at once, and to no more', async () => {
      const { ask, askFrom, state } = await asking({ daily: 40, perMinute: 60 });
      const fault = new SkillSearchError('MISSING_QUERY', 'q is missing');
      const codes = await Promise.all(
        Array.from({ length: 200 }, (_, i) => codeOf(() => (i % 4 === 3 ? ask(fault) : ask()))),
      );
      const [answered, faulty] = [
        codes.filter((code) => code === 'no error'),
        codes.filter((code) => code === fault.code),
      ];
      expect(answered).toHaveLength(40);
      expect(faulty.length).toBeLessThanOrEqual(20);
      expect(new Set(codes)).toContain('RATE_LIMIT_EXCEEDED');
      expect(await askFrom('192.0.2.2')).toMatchObject({ dailyRemaining: 39 });
      expect((await counted(state))[0]).toMatchObject({ dayCount: 40, minuteCount: 200 });
    });
  });

  test('a request that is no search counts for the minute only', async () => {
    const { access, ask, state } = await asking({ daily: 2, perMinute: 3 });
    const client = await access.identify(undefined, '192.0.2.1');
    await access.countRequest(client);
    expect(await ask()).toMatchObject({ dailyRemaining: 1, minuteRemaining: 1 });
    await access.countRequest(client);
    expect(await caught(async () => access.countRequest(client))).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      retryAfter: 60,
    });
    expect(await counted(state)).toMatchObject([{ dayCount: 1, minuteCount: 4 }]);
  });

  describe('a request given back', () => {
    test('uses nothing of the day, but of the minute', async () => {
      const { ask } = await asking({ daily: 1, perMinute: 3 });
      for (let i = 0; i < 3; i++) {
        const admission = await ask();
        expect(admission.dailyRemaining).toBe(0);
        await admission.giveBack();
      }
      expect(await codeOf(ask)).toBe('RATE_LIMIT_EXCEEDED');
    });

    test('when its day is over takes nothing from the next', async () => {
      const { ask, clock, state } = await asking({ daily: 5, perMinute: 0 });
      clock.now = MIDNIGHT - 1;
      const late = await ask();
      clock.now = MIDNIGHT;
      await ask();
      await late.giveBack();
      expect(await counted(state)).toMatchObject([{ day: MIDNIGHT / (24 * 60 * MINUTE), dayCount: 1 }]);
    });

    test('takes nothing from other clients, and never leads below none', async () => {
      const { askFrom, state } = await asking({ daily: 5, perMinute: 0 });
      const one = await askFrom('192.0.2.1');
      await askFrom('192.0.2.2');
      await one.giveBack();
      await one.giveBack();
      expect(await counted(state)).toMatchObject([
        { client: '192.0.2.1', dayCount: 0 },
        { client: '192.0.2.2', dayCount: 1 },
      ]);
    });
  });

  describe('counters', () => {
    test('and keys survive closing and opening again', async () => {
      const state = await emptyPlace();
      const before = await asking({ daily: 4, perMinute: 3 }, state);
      const { key } = await before.access.createKey({ daily: 3 });
      await before.ask();
      await before.ask();
      await before.access.close();
      const after = await asking({ daily: 4, perMinute: 3 }, state);
      expect(await after.ask()).toMatchObject({ dailyRemaining: 1, minuteRemaining: 0 });
      expect(await clientOf(after.access, key)).toMatchObject({ name: 'key:1', quota: { daily: 3 } });
    });

    test('of one IPv6 /64 are one, and those without an address share one', async () => {
      const { askFrom } = await asking({ daily: 9, perMinute: 0 });
      expect((await askFrom('2001:db8:0:1::1')).dailyRemaining).toBe(8);
      expect((await askFrom('2001:DB8::1:ffff:ffff:ffff:ffff')).dailyRemaining).toBe(7);
      expect((await askFrom('2001:db8:0:2::1')).dailyRemaining).toBe(8);
      expect((await askFrom(undefined)).dailyRemaining).toBe(8);
      expect((await askFrom('nonsense')).dailyRemaining).toBe(7);
    });

    test('of limits that were lowered refuse, and never tell a negative rest', async () => {
      const state = await emptyPlace();
      const before = await asking({ daily: 9, perMinute: 0 }, state);
      for (let i = 0; i < 5; i++) await before.ask();
      expect(await codeOf((await asking({ daily: 3, perMinute: 0 }, state)).ask)).toBe('DAILY_QUOTA_EXCEEDED');
      expect((await (await asking({ daily: 6, perMinute: 0 }, state)).ask()).dailyRemaining).toBe(0);
    });

    test('of the days before yesterday are removed with the first request of a day', async () => {
      const { askFrom, clock, state } = await asking({ daily: 5, perMinute: 0 });
      await askFrom('192.0.2.1');
      clock.now = MIDNIGHT;
      await askFrom('192.0.2.2');
      expect(await counted(state)).toHaveLength(2);
      clock.now = MIDNIGHT + 24 * 60 * MINUTE;
      await askFrom('192.0.2.3');
      await expect
        .poll(async () => (await counted(state)).map(({ client }) => client))
        .toEqual(['192.0.2.2', '192.0.2.3']);
    });

    test('say what a list of all requests says, whatever comes when', async () => {
      // Mostly close together, sometimes at the edge of a minute, sometimes hours later.
      const pause = fc.oneof(
        { weight: 6, arbitrary: fc.integer({ min: 0, max: 15 * SECOND }) },
        { weight: 2, arbitrary: fc.constantFrom(MINUTE - 1, MINUTE, MINUTE + 1) },
        { weight: 1, arbitrary: fc.integer({ min: 0, max: 30 * 60 * MINUTE }) },
      );
      const limit = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 6 }));
      const clock = { now: NOON };
      const access = await opened({ now: () => clock.now });
      let clients = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.record({ daily: limit, perMinute: limit }).filter(({ daily, perMinute }) => daily + perMinute > 0),
          fc.array(fc.record({ pause, answerable: fc.boolean() }), { maxLength: 30 }),
          async (quota, requests) => {
            const client: Client = { kind: 'anonymous', name: `client ${++clients}`, quota };
            const fault = new SkillSearchError('MISSING_QUERY', 'q is missing');
            const past: Past[] = [];
            for (const { pause: time, answerable } of requests) {
              clock.now += time;
              const { code, retryAfter } = naiveVerdict(past, clock.now, quota, answerable);
              const error = await caught(async () => access.admit(client, answerable ? undefined : fault));
              expect(error === undefined ? 'no error' : (error as SkillSearchError).code).toBe(code);
              if (retryAfter !== undefined) expect(error).toMatchObject({ retryAfter });
              past.push({ time: clock.now, usesDay: code === 'no error' });
            }
          },
        ),
        { numRuns: 60 },
      );
    });

    test.each([MINUTE, 10 * MINUTE, 400 * 24 * 60 * MINUTE])(
      'lock nobody out by a clock set back by %d',
      async (back) => {
        const { ask, clock } = await asking({ daily: 0, perMinute: 1 });
        await ask();
        clock.now = NOON - 59 * SECOND;
        expect(await codeOf(ask)).toBe('RATE_LIMIT_EXCEEDED');
        clock.now = NOON - back;
        await ask();
        clock.now += SECOND;
        expect(await caught(ask)).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfter: 59 });
      },
    );
  });

  test('after closing says so, however often it is closed', async () => {
    const access = await opened();
    const client = await access.identify(undefined, '192.0.2.1');
    await access.close();
    await access.close();
    for (const call of [
      () => access.createKey(),
      () => access.listKeys(),
      () => access.revokeKey(1),
      () => access.admit(client),
      () => access.countRequest(client),
      () => access.check(),
    ]) {
      expect(await codeOf(call)).toBe('SERVICE_UNAVAILABLE');
    }
  });

  test.each([
    ['anonymous', 'daily', -1],
    ['key', 'perMinute', 2 ** 31],
  ])('is not opened with %s.%s = %d', async (who, which, limit) => {
    const state = await emptyPlace();
    expect(await codeOf(() => open({ state, [who]: { [which]: limit } }))).toBe('INVALID_OPTION');
  });
}

interface Past {
  readonly time: number;
  /** Whether it took one of its day. */
  readonly usesDay: boolean;
}

/** Goes through the whole past for each answer. */
function naiveVerdict(past: readonly Past[], time: number, { daily, perMinute }: Quota, answerable: boolean) {
  // Each minute begins with the first request that is in no other.
  let minute = Number.NEGATIVE_INFINITY;
  for (const one of [...past, { time }]) if (one.time >= minute + MINUTE) minute = one.time;
  const secondsUntil = (end: number): number => Math.max(1, Math.ceil((end - time) / SECOND));
  if (perMinute !== 0 && past.filter((one) => one.time >= minute).length >= perMinute) {
    return { code: 'RATE_LIMIT_EXCEEDED', retryAfter: secondsUntil(minute + MINUTE) };
  }
  if (!answerable) return { code: 'MISSING_QUERY' };
  const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);
  const used = past.filter((one) => one.usesDay && dateOf(one.time) === dateOf(time)).length;
  if (daily === 0 || used < daily) return { code: 'no error' };
  return { code: 'DAILY_QUOTA_EXCEEDED', retryAfter: secondsUntil(new Date(time).setUTCHours(24, 0, 0, 0)) };
}

async function caught(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** Keys and quotas in a file, closed when the test ends. */
export function openedFile(options: AccessOptions): Access {
  return closing(openAccess(options));
}

interface UsageRow {
  readonly client: string;
  readonly day: number;
  readonly day_count: number;
  readonly minute_start: number;
  readonly minute_count: number;
}

/** The counters as they lie in the file. */
export function rowsOf(state: string): UsageRow[] {
  const database = new Database(state, { fileMustExist: true });
  try {
    return database.prepare<[], UsageRow>('SELECT * FROM usage ORDER BY client').all();
  } finally {
    database.close();
  }
}
