import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AccessOptions, openAccess } from '../../src/access/index.js';
import { createHandler } from '../../src/http/index.js';
import { row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import {
  type Ask,
  accessOf,
  askerOf,
  failingSearch,
  HEALTH,
  idsOf,
  KEYWORD,
  keyword,
  opened,
  quotaOf,
  type Reply,
  SEMANTIC,
  searchOver,
  semantic,
  serve,
} from './ask.js';

const SKILLS = [row('kite')];
const NOON = Date.UTC(2026, 4, 1, 12);
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const KITE = keyword({ q: 'kite' });

describe('the default quotas', () => {
  test('of an address without key are 50 a day and 10 a minute', async () => {
    const { ask, wait } = await counted();
    for (let i = 0; i < 50; i++) {
      if (i % 10 === 0 && i > 0) {
        expect((await ask(KITE)).code).toBe('RATE_LIMIT_EXCEEDED');
        wait(MINUTE);
      }
      expect(quotaOf(await ask(KITE))).toEqual(['50', String(49 - i)]);
    }
    wait(MINUTE);
    expect((await ask(KITE)).code).toBe('DAILY_QUOTA_EXCEEDED');
  });

  test('of a key are 500 a day and 30 a minute', async () => {
    const { ask, wait, key } = await counted();
    for (let i = 0; i < 500; i++) {
      if (i % 30 === 0 && i > 0) {
        expect((await ask(KITE, { key })).code).toBe('RATE_LIMIT_EXCEEDED');
        wait(MINUTE);
      }
      expect(quotaOf(await ask(KITE, { key }))).toEqual(['500', String(499 - i)]);
    }
    wait(MINUTE);
    expect((await ask(KITE, { key })).code).toBe('DAILY_QUOTA_EXCEEDED');
  });

  test('are there also where no access is given', async () => {
    const ask = askerOf(createHandler(await searchOver(SKILLS)));
    expect(quotaOf(await ask(KITE))).toEqual(['50', '49']);
    expect((await ask(semantic('kite'))).code).toBe('MISSING_API_KEY');
  });

  test('give a key more than an address', async () => {
    const { ask, key } = await counted();
    const [without] = quotaOf(await ask(KITE));
    const [withKey] = quotaOf(await ask(KITE, { key }));
    expect(Number(withKey)).toBeGreaterThan(Number(without));
  });
});

describe('a quota', () => {
  test('is an option, for addresses and for keys, and what a key was made with counts before it', async () => {
    const { ask, access, key } = await counted({ anonymous: { daily: 3 }, key: { daily: 5 } });
    const own = access.createKey({ daily: 8 }).key;
    expect(quotaOf(await ask(KITE))).toEqual(['3', '2']);
    expect(quotaOf(await ask(KITE, { key }))).toEqual(['5', '4']);
    expect(quotaOf(await ask(KITE, { key: own }))).toEqual(['8', '7']);
    const slow = access.createKey({ perMinute: 1 }).key;
    expect(quotaOf(await ask(KITE, { key: slow }))).toEqual(['5', '4']);
    expect((await ask(KITE, { key: slow })).code).toBe('RATE_LIMIT_EXCEEDED');
  });

  test('of 0 is no limit: the headers say 2147483647, before and after', async () => {
    const { ask, access } = await counted({ anonymous: { daily: 0, perMinute: 0 } });
    for (let i = 0; i < 100; i++) expect(quotaOf(await ask(KITE))).toEqual(['2147483647', '2147483647']);
    const key = access.createKey({ daily: 0, perMinute: 0 }).key;
    for (let i = 0; i < 40; i++) expect(quotaOf(await ask(KITE, { key }))).toEqual(['2147483647', '2147483647']);
  });

  test('of 0 a day leaves that of the minute, and the other way round', async () => {
    const { ask, access } = await counted();
    const [slow, few] = [
      access.createKey({ daily: 0, perMinute: 2 }).key,
      access.createKey({ daily: 2, perMinute: 0 }).key,
    ];
    const three = async (key: string) => [await ask(KITE, { key }), await ask(KITE, { key }), await ask(KITE, { key })];
    const [a, , b] = (await three(slow)) as [Reply, Reply, Reply];
    expect([quotaOf(a), b.code]).toEqual([['2147483647', '2147483647'], 'RATE_LIMIT_EXCEEDED']);
    expect((await three(few)).map(({ status, code }) => code ?? status)).toEqual([200, 200, 'DAILY_QUOTA_EXCEEDED']);
  });

  test('is one for both searches', async () => {
    const { ask, key } = await counted({ key: { daily: 3, perMinute: 4 } });
    expect(quotaOf(await ask(KITE, { key }))).toEqual(['3', '2']);
    expect(quotaOf(await ask(semantic('kite'), { key }))).toEqual(['3', '1']);
    expect(quotaOf(await ask(KITE, { key }))).toEqual(['3', '0']);
    expect((await ask(semantic('kite'), { key })).code).toBe('DAILY_QUOTA_EXCEEDED');
    expect((await ask(KITE, { key })).code).toBe('RATE_LIMIT_EXCEEDED');
    expect((await ask(semantic('kite'), { key })).code).toBe('RATE_LIMIT_EXCEEDED');
  });

  test('is that of the key, whatever the address, and each key and address has its own', async () => {
    const { ask, access, key } = await counted({ anonymous: { daily: 5 }, key: { daily: 9 } });
    const other = access.createKey().key;
    expect(quotaOf(await ask(KITE, { key, address: '192.0.2.1' }))).toEqual(['9', '8']);
    expect(quotaOf(await ask(KITE, { key, address: '192.0.2.2' }))).toEqual(['9', '7']);
    expect(quotaOf(await ask(KITE, { key: other, address: '192.0.2.1' }))).toEqual(['9', '8']);
    expect(quotaOf(await ask(KITE, { address: '192.0.2.1' }))).toEqual(['5', '4']);
    expect(quotaOf(await ask(KITE, { address: '192.0.2.2' }))).toEqual(['5', '4']);
    expect(quotaOf(await ask(KITE, { address: '192.0.2.1' }))).toEqual(['5', '3']);
  });
});

describe('the day', () => {
  test('ends at 00:00 UTC', async () => {
    const { ask, wait } = await counted({ anonymous: { daily: 1 } }, Date.UTC(2026, 1, 28, 23, 58));
    expect(quotaOf(await ask(KITE))).toEqual(['1', '0']);
    wait(2 * MINUTE - 1);
    const refused = await ask(KITE);
    expect([refused.code, refused.headers.get('Retry-After')]).toEqual(['DAILY_QUOTA_EXCEEDED', '1']);
    wait(1);
    expect(quotaOf(await ask(KITE))).toEqual(['1', '0']);
  });

  test('is not used by 400, 401, 404, 405, 429, health and preflights', async () => {
    const { ask, key, wait } = await counted({ anonymous: { daily: 9, perMinute: 12 }, key: { daily: 9 } });
    for (const query of ['', '?q=', '?q=!', '?q=kite&page=0', '?q=kite&q=kite', '?q=%', `?q=${'a'.repeat(201)}`]) {
      expect((await ask(KEYWORD + query)).status).toBe(400);
    }
    for (const query of ['', '?q=!']) expect((await ask(SEMANTIC + query, { key })).status).toBe(400);
    expect((await ask(semantic('kite'))).status).toBe(401);
    expect((await ask(KITE, { key: 'wrong' })).status).toBe(401);
    expect((await ask('/nowhere')).status).toBe(404);
    expect((await ask(KITE, { method: 'POST' })).status).toBe(405);
    expect((await ask(KITE, { method: 'OPTIONS' })).status).toBe(204);
    expect((await ask(HEALTH)).status).toBe(200);
    expect(quotaOf(await ask(KITE))).toEqual(['9', '8']);
    for (let i = 0; i < 4; i++) await ask(KITE);
    for (let i = 0; i < 10; i++) expect((await ask(KITE)).code).toBe('RATE_LIMIT_EXCEEDED');
    wait(MINUTE);
    expect(quotaOf(await ask(KITE))).toEqual(['9', '3']);
    expect(quotaOf(await ask(semantic('kite'), { key }))).toEqual(['9', '8']);
  });

  test('gets back what was reserved for a request that ended with 500 or 503', async () => {
    const access = accessOf({ anonymous: { daily: 2 }, key: { daily: 2 } });
    const { key } = access.createKey();
    const search = await searchOver(SKILLS);
    const working = askerOf(createHandler(search, { access }));
    const failing = askerOf(createHandler(failingSearch(new Error('unforeseen')), { access }));
    const closed = await searchOver(SKILLS);
    await closed.close();
    const unavailable = askerOf(createHandler(closed, { access }));
    for (let i = 0; i < 3; i++) {
      expect((await failing(KITE)).status).toBe(500);
      expect((await unavailable(KITE)).status).toBe(503);
      expect((await failing(semantic('kite'), { key })).status).toBe(500);
      expect((await unavailable(semantic('kite'), { key })).status).toBe(503);
    }
    expect(quotaOf(await working(KITE))).toEqual(['2', '1']);
    expect(quotaOf(await working(semantic('kite'), { key }))).toEqual(['2', '1']);
    // An answer with nothing found is an answer.
    expect(quotaOf(await working(keyword({ q: 'submarine' })))).toEqual(['2', '0']);
    expect((await working(KITE)).code).toBe('DAILY_QUOTA_EXCEEDED');
  });

  test('is reserved before the search begins, and given back when it fails', async () => {
    let fail: (error: Error) => void = () => {};
    let began: () => void = () => {};
    const asked = new Promise<void>((resolve) => {
      began = resolve;
    });
    const embedder = {
      model: 'slow',
      embed: (texts: readonly string[]) =>
        texts.includes('kite')
          ? new Promise<Float32Array[]>((_, reject) => {
              fail = reject;
              began();
            })
          : Promise.resolve(texts.map(() => Float32Array.of(1, 0))),
    };
    const { ask, key } = await serve(await opened({ skills: SKILLS, embedder }), { quotas: { key: { daily: 2 } } });
    const waiting = ask(semantic('kite'), { key });
    await asked;
    // The one that is being answered counts already.
    expect(quotaOf(await ask(KITE, { key }))).toEqual(['2', '0']);
    expect((await ask(KITE, { key })).code).toBe('DAILY_QUOTA_EXCEEDED');
    fail(new Error('out of order'));
    expect((await waiting).status).toBe(503);
    expect(quotaOf(await ask(KITE, { key }))).toEqual(['2', '0']);
  });

  test('gets back what was reserved for a client that left', async () => {
    const { ask, key, access, events } = await serve(SKILLS, { quotas: { key: { daily: 2 } } });
    const signal = AbortSignal.abort();
    for (let i = 0; i < 3; i++) await ask(semantic('kite'), { key, signal });
    expect(events.filter(({ kind }) => kind === 'failure')).toEqual([]);
    expect(events).toHaveLength(3);
    expect(quotaOf(await ask(KITE, { key }))).toEqual(['2', '1']);
    expect(access.listKeys()).toHaveLength(1);
  });

  test('gives back to the day it was taken from: what ends after midnight adds nothing to the new day', async () => {
    let time = Date.UTC(2026, 4, 1, 23, 59, 59);
    const access = accessOf({ now: () => time, anonymous: { daily: 2 } });
    const search = {
      ...failingSearch(new Error('unforeseen')),
      keywordRecords: () => {
        time += 2 * SECOND;
        throw new Error('unforeseen');
      },
    };
    const working = askerOf(createHandler(await searchOver(SKILLS), { access }));
    expect(quotaOf(await working(KITE))).toEqual(['2', '1']);
    expect((await askerOf(createHandler(search, { access }))(KITE)).status).toBe(500);
    expect(quotaOf(await working(KITE))).toEqual(['2', '1']);
    expect(quotaOf(await working(KITE))).toEqual(['2', '0']);
    expect((await working(KITE)).code).toBe('DAILY_QUOTA_EXCEEDED');
  });
});

describe('the minute', () => {
  test('is counted by every request that passes authentication, whatever becomes of it', async () => {
    const access = accessOf({ now: () => NOON, anonymous: { daily: 1, perMinute: 5 } });
    const working = askerOf(createHandler(await searchOver(SKILLS), { access }));
    const failing = askerOf(createHandler(failingSearch(new Error('unforeseen')), { access }));
    expect((await working(KEYWORD)).status).toBe(400);
    expect((await failing(KITE)).status).toBe(500);
    expect((await working(KITE)).status).toBe(200);
    expect((await working(KITE)).code).toBe('DAILY_QUOTA_EXCEEDED');
    expect((await working(KITE, { method: 'HEAD' })).status).toBe(429);
    expect((await working(KEYWORD)).code).toBe('RATE_LIMIT_EXCEEDED');
  });

  test('is not counted by requests that do not pass authentication, nor by what is no search', async () => {
    const { ask } = await counted({ anonymous: { perMinute: 1 } });
    for (let i = 0; i < 20; i++) {
      expect((await ask(semantic('kite'))).status).toBe(401);
      expect((await ask(KITE, { key: 'wrong' })).status).toBe(401);
      expect((await ask('/nowhere')).status).toBe(404);
      expect((await ask(KITE, { method: 'POST' })).status).toBe(405);
      expect((await ask(HEALTH)).status).toBe(200);
    }
    expect((await ask(KITE)).status).toBe(200);
  });

  test('is 60 seconds from the first request in it, and is not prolonged by those refused', async () => {
    const { ask, wait } = await counted({ anonymous: { perMinute: 2 } });
    const statuses: number[] = [];
    // At 0, 20, 40 and 59.999 s, and then at 60 s.
    for (const pause of [0, 20 * SECOND, 20 * SECOND, 19_999, 1]) {
      wait(pause);
      statuses.push((await ask(KITE)).status);
    }
    expect(statuses).toEqual([200, 200, 429, 429, 200]);
  });

  test('is waited for as long as Retry-After says, and no longer', async () => {
    const { ask, wait } = await counted({ anonymous: { perMinute: 1 } });
    await ask(KITE);
    wait(12_345);
    const refused = await ask(KITE);
    const seconds = Number(refused.headers.get('Retry-After'));
    expect(seconds).toBe(48);
    wait(seconds * SECOND - SECOND);
    expect((await ask(KITE)).headers.get('Retry-After')).toBe('1');
    wait(SECOND);
    expect((await ask(KITE)).status).toBe(200);
  });
});

describe('a key', () => {
  test('is told once and stored nowhere: neither the file nor the list has it', async () => {
    const state = scratchFile('access.db');
    const access = accessOf({ state, now: () => NOON });
    const ask = askerOf(createHandler(await searchOver(SKILLS), { access }));
    const { key } = access.createKey({ name: 'ci' });
    expect((await ask(semantic('kite'), { key })).status).toBe(200);
    expect(JSON.stringify(access.listKeys())).not.toContain(key.slice(8));
    const hash = createHash('sha256').update(key).digest();
    const files = readdirSync(dirname(state)).map((name) => readFileSync(join(dirname(state), name)));
    expect(files.some((bytes) => bytes.includes(hash))).toBe(true);
    for (const bytes of files) expect(bytes.includes(key.slice(8))).toBe(false);
  });
});

describe('the counters', () => {
  test('hold across two handlers on one state file', async () => {
    const state = scratchFile('access.db');
    const search = await searchOver(SKILLS);
    const [one, two] = [0, 1].map(() => {
      const access = accessOf({ state, now: () => NOON, anonymous: { daily: 3, perMinute: 0 } });
      return { access, ask: askerOf(createHandler(search, { access })) };
    }) as [{ access: ReturnType<typeof accessOf>; ask: Ask }, { access: ReturnType<typeof accessOf>; ask: Ask }];
    expect(quotaOf(await one.ask(KITE))).toEqual(['3', '2']);
    expect(quotaOf(await two.ask(KITE))).toEqual(['3', '1']);
    expect(quotaOf(await one.ask(KITE))).toEqual(['3', '0']);
    for (const { ask } of [one, two]) expect((await ask(KITE)).code).toBe('DAILY_QUOTA_EXCEEDED');
    // Keys, too: what one makes the other accepts, what one revokes the other refuses.
    const { key } = one.access.createKey();
    expect((await two.ask(semantic('kite'), { key })).status).toBe(200);
    two.access.revokeKey(key);
    expect((await one.ask(semantic('kite'), { key })).code).toBe('INVALID_API_KEY');
  });

  test('survive a restart', async () => {
    const state = scratchFile('access.db');
    const search = await searchOver(SKILLS);
    const options = { state, now: () => NOON, anonymous: { daily: 9, perMinute: 3 }, key: { daily: 4 } };
    const first = openAccess(options);
    const { key } = first.createKey();
    const earlier = askerOf(createHandler(search, { access: first }));
    expect(quotaOf(await earlier(KITE))).toEqual(['9', '8']);
    expect(quotaOf(await earlier(KITE))).toEqual(['9', '7']);
    expect(quotaOf(await earlier(semantic('kite'), { key }))).toEqual(['4', '3']);
    first.close();
    const later = askerOf(createHandler(search, { access: accessOf(options) }));
    expect(quotaOf(await later(KITE))).toEqual(['9', '6']);
    expect((await later(KITE)).code).toBe('RATE_LIMIT_EXCEEDED');
    expect(quotaOf(await later(semantic('kite'), { key }))).toEqual(['4', '2']);
  });

  test('let through exactly the daily quota of many requests at the same moment, each with its own Remaining', async () => {
    const state = scratchFile('access.db');
    const search = await searchOver(SKILLS);
    const options = { state, now: () => NOON, key: { daily: 25, perMinute: 0 } };
    const handlers = [accessOf(options), accessOf(options)];
    const { key } = (handlers[0] as (typeof handlers)[0]).createKey();
    const asks = handlers.map((access) => askerOf(createHandler(search, { access })));
    const paths = [KITE, semantic('kite')];
    const replies = await Promise.all(
      Array.from({ length: 80 }, (_, i) => (asks[i % 2] as Ask)(paths[(i >> 1) % 2] as string, { key })),
    );
    const answered = replies.filter(({ status }) => status === 200);
    const remaining = answered.map((reply) => Number(quotaOf(reply)[1])).toSorted((a, b) => b - a);
    expect(remaining).toEqual(Array.from({ length: 25 }, (_, i) => 24 - i));
    for (const reply of answered) expect(idsOf(reply)).toEqual(['kite']);
    const refused = replies.filter(({ status }) => status !== 200);
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['DAILY_QUOTA_EXCEEDED']));
  });

  test('let through exactly the quota of the minute of many requests at the same moment', async () => {
    const { ask } = await counted({ anonymous: { daily: 0, perMinute: 7 } });
    const replies = await Promise.all(Array.from({ length: 50 }, () => ask(KITE)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(7);
    expect(replies.filter(({ code }) => code === 'RATE_LIMIT_EXCEEDED')).toHaveLength(43);
  });
});

/** A service with the default quotas, except for what is given, and a clock that only moves when told. */
async function counted(quotas: Partial<AccessOptions> = {}, start = NOON) {
  let time = start;
  const access = accessOf({ now: () => time, ...quotas });
  const ask = askerOf(createHandler(await searchOver(SKILLS), { access }));
  const wait = (milliseconds: number): void => {
    time += milliseconds;
  };
  return { ask, wait, access, key: access.createKey().key };
}
