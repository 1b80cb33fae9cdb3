import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type AccessOptions, openAccess } from '../../src/access/index.js';
import { createHandler } from '../../src/http/index.js';
import { Database } from '../../src/store/sqlite.js';
import { row } from '../rows.js';
import { closing, scratchFile } from '../scratch-folder.js';
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

  test('are there also where no access is given', async () => {
    const ask = askerOf(createHandler(await searchOver(SKILLS)));
    expect(quotaOf(await ask(KITE))).toEqual(['50', '49']);
    expect((await ask(semantic('kite'))).code).toBe('MISSING_API_KEY');
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
});

test('the minute is counted by every request that passes authentication, whatever becomes of it', async () => {
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

test('the counters let through exactly the daily quota of many requests at the same moment, each with its own Remaining', async () => {
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

describe('state file', () => {
  const KITE = keyword({ q: 'kite' });

  test('while another process holds the lock of the state file searches are 503, and health is not', async () => {
    const state = scratchFile('access.db');
    const access = accessOf({ state });
    const { key } = access.createKey();
    const ask = askerOf(createHandler(await searchOver([row('kite')]), { access }));
    const other = closing(new Database(state));
    other.exec('BEGIN IMMEDIATE');
    for (const reply of [await ask(KITE), await ask(KITE, { key }), await ask(semantic('kite'), { key })]) {
      expect([reply.status, reply.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect(reply.message).not.toContain(state);
    }
    expect((await ask(HEALTH)).status).toBe(200);
    other.exec('ROLLBACK');
    expect(quotaOf(await ask(KITE))).toEqual(['50', '49']);
    expect(quotaOf(await ask(semantic('kite'), { key }))).toEqual(['500', '499']);
  });

  test('where the state file is damaged all that is counted is 503, and health is degraded', async () => {
    const state = scratchFile('access.db');
    openAccess({ state }).close();
    const access = accessOf({ state });
    writeFileSync(state, 'damaged '.repeat(4000));
    const ask = askerOf(createHandler(await searchOver([row('kite')]), { access }));
    for (let i = 0; i < 3; i++) {
      const reply = await ask(KITE);
      expect([reply.status, reply.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    }
    expect(await ask(HEALTH)).toMatchObject({ status: 503, body: { status: 'degraded' } });
  });
});
