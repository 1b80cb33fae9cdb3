import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { row } from '../rows.js';
import {
  catalogueOf,
  FIND,
  HEALTH,
  KEYWORD,
  keyword,
  minuteOf,
  opened,
  quotaOf,
  type Reply,
  SEMANTIC,
  searchOver,
  semantic,
  serve,
} from './ask.js';
import { ERROR, faultsOf } from './shapes.js';

const SKILLS = [row('kite', { stars: 3 })];
const SEARCHES = [KEYWORD, SEMANTIC];
const UNKNOWN_KEY = `sk_live_${'A'.repeat(43)}`;

test('the order of the checks is 404, 405, 401, the minute, 400, the day, 503', async () => {
  for (const path of SEARCHES) {
    let time = Date.UTC(2026, 4, 1, 12);
    const search = await searchOver(SKILLS);
    const { ask, access } = await serve(search, {
      quotas: { now: () => time, anonymous: { daily: 1, perMinute: 1 } },
    });
    const { key } = access.createKey({ daily: 1, perMinute: 2 });
    const good = `${path}?q=kite`;
    expect((await ask(good, { key })).status).toBe(200);
    // Now the day is used up, and the search cannot answer.
    await search.close();
    expect(told(await ask(path, { key }))).toEqual([400, 'MISSING_QUERY']);
    // Now the minute is used up, too. All that can be wrong is wrong, and is then mended from the first on.
    const wrong = { key: UNKNOWN_KEY, method: 'POST' };
    expect(told(await ask(`${path}/`, wrong))).toEqual([404, 'ENDPOINT_NOT_FOUND']);
    expect(told(await ask(path, wrong))).toEqual([405, 'METHOD_NOT_ALLOWED']);
    expect(told(await ask(path, { key: UNKNOWN_KEY }))).toEqual([401, 'INVALID_API_KEY']);
    expect(told(await ask(path, { key }))).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    time += 60_000;
    expect(told(await ask(path, { key }))).toEqual([400, 'MISSING_QUERY']);
    expect(told(await ask(good, { key }))).toEqual([429, 'DAILY_QUOTA_EXCEEDED']);
    time += 86_400_000;
    expect(told(await ask(good, { key }))).toEqual([503, 'SERVICE_UNAVAILABLE']);
  }
});

test.each([
  ...['/', '/api/v1/skills/search/', '/api/v1/skills/search/more?q=kite', '//api/v1/skills/search?q=kite'],
  ...['/api/v1/skills/%73earch?q=kite', '/API/v1/skills/search?q=kite', '/api/v2/skills/search?q=kite', '/api/health/'],
  ...['/api/search?q=kite', '/openapi.json', '/skills/kite', '/favicon.ico', '/constructor', '/__proto__', '/%'],
])('404 ENDPOINT_NOT_FOUND %s', async (path) => {
  const { ask, key } = await serve(SKILLS);
  for (const how of [{}, { key }, { method: 'POST' }, { method: 'OPTIONS' }, { key: 'wrong' }]) {
    const reply = await ask(path, how);
    expect(told(reply)).toEqual([404, 'ENDPOINT_NOT_FOUND']);
    expect(reply.headers.has('Allow')).toBe(false);
  }
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'PROPFIND', 'getx'])(
  '405 METHOD_NOT_ALLOWED %s',
  async (method) => {
    const { ask, key } = await serve(SKILLS, { pages: true, compatibility: 'skillsmp' });
    const paths = [keyword({ q: 'kite' }), semantic('kite'), HEALTH, `${FIND}?q=kite`, '/', '/openapi.json'];
    for (const path of paths) {
      const reply = await ask(path, { method, key });
      expect(told(reply)).toEqual([405, 'METHOD_NOT_ALLOWED']);
      expect(reply.headers.get('Allow')).toBe('GET, HEAD, OPTIONS');
    }
  },
);

describe('401', () => {
  test('MISSING_API_KEY is for a semantic search without Authorization', async () => {
    const { ask } = await serve(SKILLS);
    const reply = await ask(semantic('kite'));
    expect([...told(reply), reply.headers.get('WWW-Authenticate')]).toEqual([401, 'MISSING_API_KEY', 'Bearer']);
    expect((await ask(keyword({ q: 'kite' }))).status).toBe(200);
  });

  test.each<[string, string]>([
    ['a key that nobody made', `Bearer ${UNKNOWN_KEY}`],
    ['a key of the other form that nobody made', `Bearer sk_live_skillsmp_${'A'.repeat(43)}`],
    ['no key', 'Bearer'],
    ['another scheme', 'Basic d3JlbjprZXk='],
    ['an empty header', ''],
    ['two keys', 'Bearer <key> <key>'],
    ['the key without its last character', 'Bearer <cut>'],
  ])('INVALID_API_KEY is for %s, on both searches', async (_, header) => {
    const { ask, key, access } = await serve(SKILLS);
    const authorization = header.replaceAll('<key>', key).replace('<cut>', key.slice(0, -1));
    for (const path of SEARCHES) {
      const reply = await ask(`${path}?q=kite`, { headers: { Authorization: authorization } });
      expect([...told(reply), reply.headers.get('WWW-Authenticate')]).toEqual([401, 'INVALID_API_KEY', 'Bearer']);
      expect(reply.text).not.toContain(key.slice(8, -1));
    }
    expect(access.listKeys()).toHaveLength(1);
  });
});

describe('400', () => {
  test.each<[string, string]>([
    ['absent', ''],
    ['without =', '?q'],
    ['empty', '?q='],
    ['white space of other scripts', '?q=%E3%80%80%E2%80%83%C2%A0%C2%85%E2%80%A8'],
  ])('MISSING_QUERY is for q that is %s, on both searches', async (_, query) => {
    const { ask, key } = await serve(SKILLS);
    for (const path of SEARCHES) expect(told(await ask(path + query, { key }))).toEqual([400, 'MISSING_QUERY']);
  });

  test('INVALID_QUERY is for q that is too long; the message says how long it may be and how long it is', async () => {
    const { ask, key } = await serve(SKILLS);
    const words = await ask(keyword({ q: 'a'.repeat(201) }));
    expect([...told(words), words.message]).toEqual([
      400,
      'INVALID_QUERY',
      'q must have at most 200 characters, got 201',
    ]);
    const meaning = await ask(semantic('a'.repeat(2001)), { key });
    expect(told(meaning)).toEqual([400, 'INVALID_QUERY']);
    expect(meaning.message).toContain('at most 2000 characters, got 2001');
  });

  test.each(['?', '...', '🪁', '"" - +', '—', '\u0301', '\ufeff', '\u200d', '()', '%'])(
    'INVALID_QUERY is for q without letter or digit: %j',
    async (q) => {
      const { ask, key } = await serve(SKILLS);
      for (const path of [keyword({ q }), semantic(q)]) {
        expect(told(await ask(path, { key }))).toEqual([400, 'INVALID_QUERY']);
      }
    },
  );

  test.each(['a', '7', 'é', '筝', 'ก', '٣', 'Ⅷ', '½', '𝒌', 'ß'])(
    'is not for q of one letter or digit, whatever its script: %s',
    async (q) => {
      const { ask, key } = await serve(SKILLS);
      for (const path of [keyword({ q }), semantic(q)]) expect((await ask(path, { key })).status).toBe(200);
    },
  );

  test.each<[string, string]>([
    ['a lone %', 'a%'],
    ['no hex digits', 'a%zz'],
    ['a lone surrogate', 'a%ED%A0%80'],
    ['half a character', 'a%E9%A3'],
    ['a code point above the last', 'a%F4%90%80%80'],
    ['NUL', 'a%00b'],
  ])('is for %s in a known parameter', async (_, value) => {
    const { ask, key } = await serve(SKILLS);
    for (const path of SEARCHES) {
      expect(told(await ask(`${path}?q=${value}`, { key }))).toEqual([400, 'INVALID_QUERY']);
    }
    for (const name of ['page', 'limit', 'sortBy', 'category', 'occupation', 'author', 'minStars', 'updatedAfter']) {
      const reply = await ask(`${KEYWORD}?q=kite&${name}=${value}`);
      expect(told(reply)).toEqual([400, 'INVALID_PARAMETER']);
      expect(reply.message).toMatch(new RegExp(`^${name} must `));
    }
  });

  test.each([
    ...['0', '51', '-1', '%2B1', '1.0', '1e1', '0x1', '', '%20', '%201', '1%0A', '%EF%BC%91', 'NaN'],
    ...['4294967297', '9007199254740993', '9'.repeat(400)],
  ])('INVALID_PARAMETER is for the page and the limit %s; the message names it and its bounds', async (value) => {
    const { ask } = await serve(SKILLS);
    for (const name of ['page', 'limit']) {
      const reply = await ask(`${KEYWORD}?q=kite&${name}=${value}`);
      expect(told(reply)).toEqual([400, 'INVALID_PARAMETER']);
      expect(reply.message).toContain(`${name} must be an integer from 1 to 50, got `);
      expect(reply.message?.length).toBeLessThan(200);
    }
  });

  test('INVALID_PARAMETER is for a parameter that comes twice, be it the same or empty, however its name is written', async () => {
    const { ask, key } = await serve(SKILLS);
    for (const path of SEARCHES) {
      for (const query of ['q=kite&q=kite', 'q=&q=kite', 'q&q', 'q=kite&page=1&%71=x', 'q=%&q=%', 'q=a&q=b&q=c']) {
        const reply = await ask(`${path}?${query}`, { key });
        expect([...told(reply), reply.message], query).toEqual([400, 'INVALID_PARAMETER', 'q must be given once']);
      }
    }
    for (const [name, value] of Object.entries({ page: '1', limit: '5', sortBy: 'stars', category: 'a' })) {
      const reply = await ask(`${KEYWORD}?q=kite&${name}=${value}&${name}=${value}`);
      expect(told(reply)).toEqual([400, 'INVALID_PARAMETER']);
      expect(reply.message).toBe(`${name} must be given once`);
    }
  });

  test('of several faults tells the first in the order q, page, limit, sortBy, category, occupation', async () => {
    const { ask } = await serve(SKILLS);
    const faults: [name: string, good: string, faulty: string[]][] = [
      ['q', 'q=kite', ['', 'q=', 'q=!', `q=${'a'.repeat(201)}`, 'q=%', 'q=a&q=b']],
      ['page', 'page=1', ['page=0', 'page=x', 'page=%', 'page=1&page=1']],
      ['limit', 'limit=1', ['limit=51', 'limit=', 'limit=%00', 'limit=1&limit=1']],
      ['sortBy', 'sortBy=stars', ['sortBy=relevance', 'sortBy=%ff', 'sortBy=stars&sortBy=stars']],
      ['category', 'category=a', ['category=', 'category=%zz', 'category=a&category=b']],
      ['occupation', 'occupation=a', ['occupation=A', 'occupation=%ff', 'occupation=a&occupation=b']],
    ];
    for (const [i, [name, , firsts]] of faults.entries()) {
      for (const [, , seconds] of faults.slice(i + 1)) {
        for (const first of firsts) {
          for (const second of seconds) {
            // The faulty ones in the wrong order, and the good ones before.
            const good = faults.filter(([, , all]) => all !== firsts && all !== seconds).map(([, one]) => one);
            const query = [...good, second, first].filter((one) => one !== '').join('&');
            const reply = await ask(`${KEYWORD}?${query}`);
            expect([reply.status, reply.message?.split(' ')[0]], query).toEqual([400, name]);
          }
        }
      }
    }
  });

  test('or 200 is the answer to every query string, never 500', async () => {
    const { ask } = await serve(SKILLS);
    const name = fc.constantFrom('q', 'page', 'limit', 'sortBy', 'category', 'occupation', 'x');
    const value = fc.oneof(
      fc.constantFrom('kite', '1', '50', 'stars', '%', '%00', '%ED%A0%80', '%2B', '+', '"', '%22kite', '%F0%9F%AA%81'),
      fc.string().map(encodeURIComponentSafely),
      fc.webQueryParameters(),
    );
    const query = fc.array(
      fc.tuple(name, value).map((pair) => pair.join('=')),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(query, async (parts) => {
        const reply = await ask(`${KEYWORD}?${parts.join('&')}`);
        expect([200, 400]).toContain(reply.status);
        if (reply.status === 400) expect(faultsOf(ERROR, reply.body)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});

test('429 RATE_LIMIT_EXCEEDED is for the minute, DAILY_QUOTA_EXCEEDED for the day, with the seconds to wait', async () => {
  let time = Date.UTC(2026, 4, 1, 23, 0, 0, 500);
  const { ask, key, access } = await serve(SKILLS, { quotas: { now: () => time } });
  expect((await ask(semantic('kite'), { key })).status).toBe(200);
  const slow = access.createKey({ perMinute: 1 }).key;
  const few = access.createKey({ daily: 1 }).key;
  for (const path of [keyword({ q: 'kite' }), semantic('kite')]) {
    for (const one of [slow, few]) await ask(path, { key: one });
    time += 10_000;
    const minute = await ask(path, { key: slow });
    expect([...told(minute), minute.headers.get('Retry-After')]).toEqual([429, 'RATE_LIMIT_EXCEEDED', '50']);
    const day = await ask(path, { key: few });
    expect([...told(day), day.headers.get('Retry-After')]).toEqual([429, 'DAILY_QUOTA_EXCEEDED', '3590']);
    expect([quotaOf(minute), minuteOf(minute)]).toEqual([
      [null, null],
      ['1', '0'],
    ]);
    expect([quotaOf(day), minuteOf(day)]).toEqual([
      ['1', '0'],
      [null, null],
    ]);
    time += 86_400_000 - 10_000;
  }
});

describe('503 SERVICE_UNAVAILABLE', () => {
  test('is for a catalogue that was damaged while it is open, and the path of the file is not told', async () => {
    const rows = Array.from({ length: 800 }, (_, i) => row(`k${i}`, { description: `kite ${i} ${'x'.repeat(400)}` }));
    const database = await catalogueOf(rows);
    const { ask } = await serve(await opened({ database }));
    expect((await ask(keyword({ q: 'kite' }))).status).toBe(200);
    writeFileSync(database, Buffer.alloc(1_000_000, 'no database '));
    const reply = await ask(keyword({ q: 'kite', page: 9, limit: 50 }));
    expect(told(reply)).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(reply.text).not.toContain('skills.db');
  });
});

/** Status and code of an error, which must have the one shape. */
function told(reply: Reply): [number, string | undefined] {
  expect(faultsOf(ERROR, reply.body)).toEqual([]);
  return [reply.status, reply.code];
}

function encodeURIComponentSafely(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
