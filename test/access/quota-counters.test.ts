import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Access, type AccessOptions, openAccess, type Quota, UNLIMITED } from '../../src/access/index.js';
import { dayOf } from '../../src/access/usage.js';
import { SkillSearchError } from '../../src/core/index.js';
import { Database } from '../../src/store/sqlite.js';
import { codeOf } from '../error-code.js';
import { scratchFile } from '../scratch-folder.js';
import { startStateFileProcess } from './state-file-processes.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const NOON = Date.UTC(2026, 2, 14, 12);
const MIDNIGHT = Date.UTC(2026, 2, 15);

describe('an admission', () => {
  test('tells the limit and what is left of the day after this request', () => {
    const { ask } = asking({ daily: 3, perMinute: 0 });
    expect([ask(), ask(), ask()]).toMatchObject([
      { dailyLimit: 3, dailyRemaining: 2 },
      { dailyLimit: 3, dailyRemaining: 1 },
      { dailyLimit: 3, dailyRemaining: 0 },
    ]);
  });

  test('tells the same of the minute, which begins anew with the first request after it', () => {
    const { ask, clock } = asking({ daily: 0, perMinute: 2 });
    const told = [
      { minuteLimit: 2, minuteRemaining: 1 },
      { minuteLimit: 2, minuteRemaining: 0 },
    ];
    expect([ask(), ask()]).toMatchObject(told);
    expect(ask).toThrow(expect.objectContaining({ code: 'RATE_LIMIT_EXCEEDED' }));
    clock.now += MINUTE;
    expect([ask(), ask()]).toMatchObject(told);
  });

  test('counts faulty requests in what is left of the minute', () => {
    const { ask } = asking({ daily: 0, perMinute: 3 });
    const fault = new SkillSearchError('MISSING_QUERY', 'q is missing');
    expect(() => ask(fault)).toThrow(fault);
    expect(ask()).toMatchObject({ minuteRemaining: 1 });
  });

  test('tells the largest number of 31 bits where the day or the minute has no limit', () => {
    for (const perMinute of [0, 5]) {
      const { ask } = asking({ daily: 0, perMinute });
      expect(ask()).toMatchObject({ dailyLimit: UNLIMITED, dailyRemaining: UNLIMITED });
    }
    const { ask } = asking({ daily: 5, perMinute: 0 });
    expect(ask()).toMatchObject({ minuteLimit: UNLIMITED, minuteRemaining: UNLIMITED });
    expect(UNLIMITED).toBe(2 ** 31 - 1);
  });

  test('ends with 10 a minute and 50 a day where nobody said otherwise', async () => {
    const { ask, clock } = asking(undefined);
    for (let minute = 0; minute < 5; minute++) {
      for (let i = 0; i < 10; i++) ask();
      expect(await codeOf(ask)).toBe('RATE_LIMIT_EXCEEDED');
      clock.now += MINUTE;
    }
    expect(await codeOf(ask)).toBe('DAILY_QUOTA_EXCEEDED');
    clock.now = MIDNIGHT;
    expect(ask()).toMatchObject({ dailyLimit: 50, dailyRemaining: 49 });
  });

  test('that is refused tells in how many seconds to ask again', () => {
    const { ask, clock } = asking({ daily: 2, perMinute: 1 });
    ask();
    clock.now += 20_500;
    expect(ask).toThrow(expect.objectContaining({ code: 'RATE_LIMIT_EXCEEDED', retryAfter: 40 }));
    clock.now += MINUTE;
    ask();
    clock.now = NOON + 3 * 60 * MINUTE;
    expect(ask).toThrow(expect.objectContaining({ code: 'DAILY_QUOTA_EXCEEDED', retryAfter: 9 * 3600 }));
  });

  test('is not for a faulty request: its fault is thrown, unless the minute is used up', async () => {
    const { ask, state } = asking({ daily: 1, perMinute: 3 });
    const fault = new SkillSearchError('MISSING_QUERY', 'q is missing');
    expect(await codeOf(() => ask(fault))).toBe('MISSING_QUERY');
    expect(ask()).toMatchObject({ dailyRemaining: 0 });
    expect(await codeOf(() => ask(fault))).toBe('MISSING_QUERY');
    expect(await codeOf(() => ask(fault))).toBe('RATE_LIMIT_EXCEEDED');
    expect(rowsOf(state)).toMatchObject([{ day_count: 1, minute_count: 4 }]);
  });

  test('without any limit leaves no trace, and tells a fault all the same', async () => {
    const { ask, state } = asking({ daily: 0, perMinute: 0 });
    for (let i = 0; i < 100; i++) ask().giveBack();
    expect(await codeOf(() => ask(new SkillSearchError('MISSING_QUERY', 'q is missing')))).toBe('MISSING_QUERY');
    expect(rowsOf(state)).toEqual([]);
  });
});

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

  test('of one IPv6 /64 share a counter, those of the next have their own', () => {
    const { askFrom } = asking({ daily: 9, perMinute: 0 });
    expect(askFrom('2001:db8:0:1::1').dailyRemaining).toBe(8);
    expect(askFrom('2001:DB8::1:ffff:ffff:ffff:ffff').dailyRemaining).toBe(7);
    expect(askFrom('2001:db8:0:2::1').dailyRemaining).toBe(8);
  });

  test('with an IPv4 address share a counter with the same address inside IPv6', () => {
    const { askFrom } = asking({ daily: 9, perMinute: 0 });
    expect(askFrom('192.0.2.1').dailyRemaining).toBe(8);
    expect(askFrom('::ffff:192.0.2.1').dailyRemaining).toBe(7);
    expect(askFrom('::FFFF:c000:0201').dailyRemaining).toBe(6);
    expect(askFrom('::ffff:192.0.2.2').dailyRemaining).toBe(8);
  });

  test('without an address share one', () => {
    const { askFrom } = asking({ daily: 9, perMinute: 0 });
    expect([askFrom(undefined), askFrom(''), askFrom('nonsense')].map((one) => one.dailyRemaining)).toEqual([8, 7, 6]);
  });

  test('whose limits were lowered are refused, and have none left that would be negative', async () => {
    const state = scratchFile('access.db');
    const before = asking({ daily: 9, perMinute: 0 }, state);
    for (let i = 0; i < 5; i++) before.ask();
    expect(await codeOf(asking({ daily: 3, perMinute: 0 }, state).ask)).toBe('DAILY_QUOTA_EXCEEDED');
    expect(asking({ daily: 6, perMinute: 0 }, state).ask().dailyRemaining).toBe(0);
  });
});

describe('a request given back', () => {
  test('uses nothing of the day, but of the minute', async () => {
    const { ask } = asking({ daily: 1, perMinute: 3 });
    for (let i = 0; i < 3; i++) {
      const admission = ask();
      expect(admission.dailyRemaining).toBe(0);
      admission.giveBack();
    }
    expect(await codeOf(ask)).toBe('RATE_LIMIT_EXCEEDED');
  });

  test('when its day is over takes nothing from the next', () => {
    const { ask, clock, state } = asking({ daily: 5, perMinute: 0 });
    clock.now = MIDNIGHT - 1;
    const late = ask();
    clock.now = MIDNIGHT;
    ask();
    ask();
    late.giveBack();
    expect(rowsOf(state)).toMatchObject([{ day: dayOf(MIDNIGHT), day_count: 2 }]);
    expect(ask().dailyRemaining).toBe(2);
  });

  test('late on its own day still counts', () => {
    const { ask, clock } = asking({ daily: 5, perMinute: 0 });
    const early = ask();
    clock.now = MIDNIGHT - 1;
    ask();
    early.giveBack();
    expect(ask().dailyRemaining).toBe(3);
  });

  test('takes nothing from other clients, and never leads below none', () => {
    const { askFrom, state } = asking({ daily: 5, perMinute: 0 });
    const one = askFrom('192.0.2.1');
    askFrom('192.0.2.2');
    one.giveBack();
    one.giveBack();
    expect(rowsOf(state)).toMatchObject([
      { client: '192.0.2.1', day_count: 0 },
      { client: '192.0.2.2', day_count: 1 },
    ]);
  });
});

describe('counters', () => {
  test('survive closing and opening again', async () => {
    const state = scratchFile('access.db');
    const before = asking({ daily: 4, perMinute: 3 }, state);
    before.ask();
    before.ask();
    before.access.close();

    const after = asking({ daily: 4, perMinute: 3 }, state);
    expect(after.ask().dailyRemaining).toBe(1);
    expect(await codeOf(after.ask)).toBe('RATE_LIMIT_EXCEEDED');
  });

  test('of old days are cleared by the first request of a day; those of yesterday stay', () => {
    const { askFrom, clock, state } = asking({ daily: 5, perMinute: 0 });
    for (let day = 0; day < 4; day++) {
      clock.now = NOON + day * DAY;
      askFrom(`192.0.2.${day}`);
    }
    const today = dayOf(NOON) + 3;
    expect(rowsOf(state).map(({ client, day }) => [client, day])).toEqual([
      ['192.0.2.2', today - 1],
      ['192.0.2.3', today],
    ]);

    // Another process, much later.
    const later = asking({ daily: 5, perMinute: 0 }, state);
    later.clock.now = NOON + 365 * DAY;
    later.askFrom('192.0.2.9');
    expect(rowsOf(state).map(({ client }) => client)).toEqual(['192.0.2.9']);
  });

  test('of one client are one row, however often it asks', () => {
    const { ask, clock, state } = asking({ daily: 0, perMinute: 2000 });
    for (let i = 0; i < 300; i++) {
      ask();
      clock.now += 10_000;
    }
    expect(rowsOf(state)).toHaveLength(1);
  });
});

describe('several processes on one file', () => {
  test.each([
    ['the day', { daily: 500, perMinute: 0 }, 'DAILY_QUOTA_EXCEEDED'],
    ['the minute', { daily: 0, perMinute: 500 }, 'RATE_LIMIT_EXCEEDED'],
  ])('that count one client at the same moment admit exactly as many as %s has', async (_, quota, refusal) => {
    const processes = await Promise.all(
      [1, 2, 3, 4].map(() => startStateFileProcess({ ...quota, now: NOON, times: 200 })),
    );
    for (let round = 0; round < 5; round++) {
      const { state } = asking(quota);
      for (const one of processes) one.tell(`count ${state}`);
      const answers = await Promise.all(processes.map((one) => one.answer()));

      expect(answers.map(({ length }) => length)).toEqual([200, 200, 200, 200]);
      const said = answers.flat();
      expect(said.filter((one) => one === 'admitted')).toHaveLength(500);
      expect(said.filter((one) => one === refusal)).toHaveLength(300);
    }
  });

  test('see at once what another one counted', async () => {
    const state = scratchFile('access.db');
    const here = asking({ daily: 10, perMinute: 0 }, state);
    here.ask();
    const other = await startStateFileProcess({ now: NOON, client: CLIENT, times: 4, daily: 10 });
    other.tell(`count ${state}`);
    expect(await other.answer()).toHaveLength(4);
    expect(here.ask().dailyRemaining).toBe(4);
  });
});

describe('a process that is killed', () => {
  test('forgets nothing that it was told was admitted, and hinders nobody', async () => {
    const { state } = asking(undefined);
    const countedNow = (): number => rowsOf(state)[0]?.day_count ?? 0;
    let told = 0;
    for (const wanted of [1, 150, 400]) {
      const doomed = await startStateFileProcess({ now: NOON, client: CLIENT, daily: 1_000_000 });
      const ended = once(doomed.child, 'exit');
      doomed.tell(`count ${state}`);
      for (let seen = 0; seen < wanted; seen++) expect((await doomed.lines.next()).value).toBe('admitted');
      // Nobody reads what it says, as on a busy machine: it waits, and counts no further than it could say.
      for (let before = -1; before !== countedNow(); await setTimeout(100)) before = countedNow();
      doomed.child.kill('SIGKILL');
      // What it still said, too.
      told += wanted + (await doomed.answer()).filter((line) => line === 'admitted').length;
      expect(await ended).toEqual([null, 'SIGKILL']);

      const counted = countedNow();
      expect(counted).toBeGreaterThanOrEqual(told);
      // It may have counted one more in the moment before it could say so.
      expect(counted).toBeLessThanOrEqual(told + 1);
      told = counted;

      const { ask } = asking({ daily: 1_000_000, perMinute: 0 }, state);
      expect(ask().dailyRemaining).toBe(1_000_000 - told - 1);
      told += 1;
    }
  });
});

const CLIENT = '192.0.2.1';

/** A client that asks, at a time that can be set. */
function asking(anonymous: Quota | undefined, state = scratchFile('access.db')) {
  const clock = { now: NOON };
  const access = opened({ state, anonymous, now: () => clock.now });
  const askFrom = (address: string | undefined, fault?: SkillSearchError) =>
    access.admit(access.identify(undefined, address), fault);
  return { access, clock, state, askFrom, ask: (fault?: SkillSearchError) => askFrom(CLIENT, fault) };
}

function opened(options: AccessOptions): Access {
  const access = openAccess(options);
  onTestFinished(() => access.close());
  return access;
}

interface UsageRow {
  readonly client: string;
  readonly day: number;
  readonly day_count: number;
  readonly minute_start: number;
  readonly minute_count: number;
}

/** The counters as they lie in the file. */
function rowsOf(state: string): UsageRow[] {
  const database = new Database(state, { fileMustExist: true });
  try {
    return database.prepare<[], UsageRow>('SELECT * FROM usage ORDER BY client').all();
  } finally {
    database.close();
  }
}
