import { describe, expect, test } from 'vitest';
import { row } from '../rows.js';
import {
  FIND,
  failingSearch,
  HEALTH,
  KEYWORD,
  keyword,
  minuteOf,
  quotaOf,
  type Reply,
  SEMANTIC,
  semantic,
  serve,
  started,
} from './ask.js';

const SKILLS = [row('kite')];
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** One answer of every status there is. */
async function everyAnswer(): Promise<[name: string, reply: Reply][]> {
  const { ask, access, key } = await serve(SKILLS, { pages: true, compatibility: 'skillsmp' });
  const failing = await serve(failingSearch(new Error('unforeseen')));
  const slow = access.createKey({ perMinute: 1 }).key;
  const few = access.createKey({ daily: 1 }).key;
  for (const one of [slow, few]) await ask(keyword({ q: 'kite' }), { key: one });
  return [
    ['a keyword search', await ask(keyword({ q: 'kite' }))],
    ['a semantic search', await ask(semantic('kite'), { key })],
    ['health', await ask(HEALTH)],
    ['degraded health', await failing.ask(HEALTH)],
    ['find', await ask(`${FIND}?q=kite`)],
    ['a welcome', await ask('/')],
    ['the description', await ask('/openapi.json')],
    ['a page', await ask('/skills/kite')],
    ['a preflight', await ask(KEYWORD, { method: 'OPTIONS' })],
    ['HEAD', await ask(keyword({ q: 'kite' }), { method: 'HEAD' })],
    ['400', await ask(KEYWORD)],
    ['401', await ask(SEMANTIC)],
    ['404', await ask('/nowhere')],
    ['405', await ask(KEYWORD, { method: 'POST' })],
    ['429 of the minute', await ask(keyword({ q: 'kite' }), { key: slow })],
    ['429 of the day', await ask(keyword({ q: 'kite' }), { key: few })],
    ['500', await failing.ask(keyword({ q: 'kite' }))],
  ];
}

describe('every answer', () => {
  test('has an id of its own, and is not to be kept or guessed at', async () => {
    const replies = await everyAnswer();
    for (const [name, { headers }] of replies) {
      expect(headers.get('X-Request-Id'), name).toMatch(UUID);
      const isPage = ['a welcome', 'the description', 'a page'].includes(name);
      expect(headers.get('Cache-Control'), name).toBe(isPage ? 'no-cache' : 'no-store');
      expect(headers.has('ETag'), name).toBe(isPage);
      expect(headers.get('X-Content-Type-Options'), name).toBe('nosniff');
    }
    expect(new Set(replies.map(([, { headers }]) => headers.get('X-Request-Id'))).size).toBe(replies.length);
    expect(replies.map(([, { status }]) => status)).toEqual([
      200, 200, 200, 503, 200, 200, 200, 200, 204, 200, 400, 401, 404, 405, 429, 429, 500,
    ]);
  });

  test('may be read by any page of a browser, with the headers that a client needs', async () => {
    for (const [name, { headers }] of await everyAnswer()) {
      expect(headers.get('Access-Control-Allow-Origin'), name).toBe('*');
      expect(listOf(headers.get('Access-Control-Expose-Headers')), name).toEqual([
        'retry-after',
        'www-authenticate',
        'x-ratelimit-daily-limit',
        'x-ratelimit-daily-remaining',
        'x-ratelimit-minute-limit',
        'x-ratelimit-minute-remaining',
        'x-request-id',
        'x-result-confident',
        'x-result-truncated',
        'x-result-worth',
      ]);
      expect(headers.has('Access-Control-Allow-Credentials'), name).toBe(false);
    }
  });

  test('has no other status header than its own: Allow on 405 and preflights, Retry-After on 429, WWW-Authenticate on 401', async () => {
    for (const [name, { status, headers }] of await everyAnswer()) {
      expect(headers.has('Allow'), name).toBe(status === 405 || status === 204);
      expect(headers.has('Retry-After'), name).toBe(status === 429);
      expect(headers.has('WWW-Authenticate'), name).toBe(status === 401);
    }
  });

  test('has the quota headers if it is the 200 of a search, a 429 those of its limit, and others none', async () => {
    const none = [null, null];
    const unlimited = ['2147483647', '2147483647'];
    const of: Readonly<Record<string, readonly unknown[][]>> = {
      'a keyword search': [unlimited, unlimited],
      'a semantic search': [unlimited, unlimited],
      HEAD: [unlimited, unlimited],
      find: [unlimited, ['60', '59']],
      '429 of the minute': [none, ['1', '0']],
      '429 of the day': [['1', '0'], none],
    };
    for (const [name, reply] of await everyAnswer()) {
      expect([quotaOf(reply), minuteOf(reply)], name).toEqual(of[name] ?? [none, none]);
    }
  });
});

describe('a preflight', () => {
  test.each([KEYWORD, SEMANTIC, HEALTH])('of %s allows GET with Authorization, without a body', async (path) => {
    const { ask, search } = await serve(SKILLS);
    await search.close();
    const reply = await ask(path, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://page.example',
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'authorization',
      },
    });
    expect([reply.status, reply.text]).toEqual([204, '']);
    const allowed = ['authorization', 'content-type', 'x-requested-with'];
    expect(listOf(reply.headers.get('Access-Control-Allow-Headers'))).toEqual(allowed);
    expect(listOf(reply.headers.get('Access-Control-Allow-Methods'))).toEqual(['get', 'head', 'options']);
    expect(reply.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(reply.headers.get('Allow')).toBe('GET, HEAD, OPTIONS');
    expect(Number(reply.headers.get('Access-Control-Max-Age'))).toBeGreaterThan(0);
    expect(reply.headers.has('Content-Type')).toBe(false);
  });

  test('of a path that is not served is answered, so that the page sees the 404 of its request', async () => {
    const { ask } = await serve(SKILLS);
    const headers = { Origin: 'https://page.example', 'Access-Control-Request-Method': 'GET' };
    const reply = await ask('/nowhere', { method: 'OPTIONS', headers });
    expect([reply.status, reply.text, reply.headers.get('Access-Control-Allow-Origin')]).toEqual([204, '', '*']);
    expect(listOf(reply.headers.get('Access-Control-Allow-Methods'))).toEqual(['get', 'head', 'options']);
    expect(reply.headers.has('Allow')).toBe(false);
    expect((await ask('/nowhere', { headers: { Origin: 'https://page.example' } })).code).toBe('ENDPOINT_NOT_FOUND');
    expect((await ask('/nowhere', { method: 'OPTIONS' })).code).toBe('ENDPOINT_NOT_FOUND');
  });
});

test('meta tells the time that an answer took as an integer of milliseconds', async () => {
  const slow = (milliseconds: number) => {
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
    return { records: [], pagination: { page: 1, limit: 20, total: 0, totalPages: 0 } };
  };
  const search = Object.assign(failingSearch(new Error('not asked')), { keywordRecords: () => slow(30) });
  const { ask } = await serve(search);
  const before = performance.now();
  const { meta } = (await ask(keyword({ q: 'kite' }))).body as { meta: { responseTimeMs: number } };
  expect(Number.isInteger(meta.responseTimeMs)).toBe(true);
  expect(meta.responseTimeMs).toBeGreaterThanOrEqual(30);
  expect(meta.responseTimeMs).toBeLessThanOrEqual(Math.ceil(performance.now() - before));
});

function listOf(header: string | null): string[] {
  return (header ?? '').toLowerCase().split(', ').toSorted();
}

describe('the id of a request', () => {
  test.each(['0af7651916cd43dd8448eb211c80319c', 'edge-1:42/7', 'a'.repeat(128)])(
    'is the one that a trusted proxy gives: %s',
    async (id) => {
      expect(await idsFor({ trustProxy: ['loopback'] }, id)).toEqual([id, id, id]);
    },
  );

  test.each(['a b', 'a"b', 'a'.repeat(129), '{}', 'é'])(
    'is our own where that could forge a log line: %s',
    async (id) => {
      const ids = await idsFor({ trustProxy: ['loopback'] }, id);
      expect(ids[0]).toMatch(UUID);
      expect(new Set(ids).size).toBe(1);
    },
  );

  test('is our own where nobody is trusted', async () => {
    expect((await idsFor({}, 'abc'))[0]).toMatch(UUID);
  });
});

/** The ids in header, body and log of the answer to a request with an id. */
async function idsFor(options: { readonly trustProxy?: readonly string[] }, id: string): Promise<string[]> {
  const { server, events } = await started(options);
  const headers = { 'X-Request-Id': Buffer.from(id).toString('latin1') };
  const response = await fetch(`${server.url}/api/v1/skills/search?q=alpha`, { headers });
  const { meta } = (await response.json()) as { readonly meta: { readonly requestId: string } };
  return [response.headers.get('X-Request-Id')!, meta.requestId, ...events.map(({ requestId }) => requestId)];
}
