import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { MAX_LONGEST_WAIT } from '../../../src/core/index.js';
import { createHandler } from '../../../src/http/index.js';
import { SkillSearchError } from '../../../src/index.js';
import { codeOf } from '../../error-code.js';
import { type Ask, FIND, failingSearch, KEYWORD, keyword, ORIGIN, type Reply, searchOver, serve } from '../ask.js';
import { expectHarmless, KITE, linksOf, textOf } from './page-text.js';

test('without the option there is no page: all paths are 404', async () => {
  for (const options of [{}, { pages: false }]) {
    const { ask } = await serve([KITE], options);
    for (const path of ['/', '/openapi.json', '/skills/kite', '/page/search?q=kite', '/assets/page.css', '/robots.txt'])
      expect((await ask(path)).code).toBe('ENDPOINT_NOT_FOUND');
  }
});

describe('pages', () => {
  test('may be asked for 120 times a minute by each address: then 429 with Retry-After', async () => {
    const { ask } = await serve([KITE], { pages: true });
    const paths = ['/', '/openapi.json', '/skills/kite'];
    for (let i = 0; i < 120; i++) expect((await ask(paths[i % 3]!)).status).toBe(200);
    for (const path of paths) {
      const reply = await ask(path);
      expect([reply.status, reply.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
      expect(reply.headers.get('Retry-After')).toMatch(/^(60|[1-5]\d)$/);
      expect((await ask(path, { method: 'HEAD' })).status).toBe(429);
    }
    expect((await ask('/', { address: '192.0.2.1' })).status).toBe(200);
    // To see that a skill is not there is as much work.
    expect((await ask('/skills/nothing')).status).toBe(429);
    expect((await ask('/skills/nothing', { address: '192.0.2.1' })).status).toBe(404);
    // Only pages are counted, and only for pages.
    expect((await ask(keyword({ q: 'kite' }))).status).toBe(200);
  });

  test.each([
    ['pagesPerMinute', '/'],
    ['pageSearchesPerMinute', '/page/search?q=kite&mode=words'],
    ['findPerMinute', `${FIND}?q=kite`],
  ])('have a limit that is an option, and none without access: %s', async (name, path) => {
    const given = { pages: true, compatibility: 'skillsmp' } as const;
    const few = await serve([KITE], { ...given, [name]: 1 });
    expect([(await few.ask(path)).status, (await few.ask(path)).status]).toEqual([200, 429]);
    const search = await searchOver([KITE]);
    for (const options of [{ [name]: 0 }, { access: false } as const]) {
      const handle = createHandler(search, { ...given, ...options });
      for (let i = 0; i < 130; i++) expect((await handle(new Request(ORIGIN + path))).status).toBe(200);
    }
    for (const value of [-1, 1.5, Number.NaN, '5', 2 ** 31]) {
      expect(await codeOf(() => createHandler(search, { [name]: value }))).toBe('INVALID_OPTION');
    }
  });

  test('have a longest wait that is checked', async () => {
    const search = await searchOver([KITE]);
    for (const longestWait of [-1, Number.NaN, '5' as never, MAX_LONGEST_WAIT + 1]) {
      expect(await codeOf(() => createHandler(search, { longestWait }))).toBe('INVALID_OPTION');
    }
    createHandler(search, { longestWait: MAX_LONGEST_WAIT });
  });
});

test('the API is told by method and path, each with a command for this service', async () => {
  const { ask, key } = await serve([KITE], { pages: true, mcp: true, publicUrl: ORIGIN });
  const reply = await ask('/docs');
  expectHarmless(reply);
  expect(textOf(reply)).toContain('string; one of recent, stars; by default recent');
  const { paths } = (await ask('/openapi.json')).body as { readonly paths: Readonly<Record<string, object>> };
  const titles = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const sections = [...reply.text.matchAll(/<section id="(.*?)"><h2>(.*?)<\/h2>.*?<code>(curl .*?)<\/code>/gs)];
  expect(sections.map(([, , title]) => title)).toEqual(titles);
  for (const [, anchor, title = '', command = ''] of sections) {
    expect(reply.text).toContain(`<a href="#${anchor}"><code>${title}</code></a>`);
    const [, path = ''] = /http:\/\/skills\.test(.*?)&#39;/.exec(command) ?? [];
    expect(title.endsWith(path.replace(/\?.*/, ''))).toBe(true);
    if (path !== '/mcp') expect((await ask(path.replaceAll('&amp;', '&'), { key })).status, path).toBe(200);
  }
});

describe('what pages load', () => {
  test.each([
    ['/assets/page.css', 'text/css; charset=utf-8', '--accent'],
    ['/assets/page.js', 'text/javascript; charset=utf-8', 'document'],
    ['/assets/icon.svg', 'image/svg+xml', '<svg'],
    ['/favicon.ico', 'image/svg+xml', '<svg'],
    ['/robots.txt', 'text/plain; charset=utf-8', 'Disallow: /api/'],
  ])('%s is %s, and counts for no limit', async (path, type, part) => {
    const { ask } = await serve([KITE], { pages: true, pagesPerMinute: 1 });
    for (let i = 0; i < 3; i++) {
      const reply = await ask(path);
      expect([reply.status, reply.headers.get('Content-Type')]).toEqual([200, type]);
      expect(reply.text).toContain(part);
    }
    expect((await ask('/')).status).toBe(200);
  });

  test.each([
    '/assets/',
    '/assets/page',
    '/assets/page.ts',
    '/assets/..%2fpage.css',
    '/assets/page.css/',
    '/constructor',
  ])('%s is nothing', async (path) => {
    const { ask } = await serve([KITE], { pages: true });
    expect((await ask(path)).code).toBe('ENDPOINT_NOT_FOUND');
  });
});

test.each(['/', '/skills/kite', '/openapi.json', '/assets/page.css', '/assets/page.js', '/robots.txt'])(
  'whoever has a page already gets 304 of %s by its ETag, without a body and without a type',
  async (path) => {
    const { ask } = await serve([KITE], { pages: true });
    const first = await ask(path);
    const tag = first.headers.get('ETag') ?? '';
    expect(tag).toMatch(/^"[\w-]{22}"$/);
    expect(first.headers.get('Cache-Control')).toBe('no-cache');
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const again = await ask(path, { method, headers: { 'If-None-Match': known } });
        expect([again.status, again.text, again.headers.get('ETag')], known).toEqual([304, '', tag]);
        expect(again.headers.has('Content-Type')).toBe(false);
      }
    }
    expect((await ask(path, { headers: { 'If-None-Match': '"other"' } })).status).toBe(200);
  },
);

const FILE = { filename: 'SKILL.md', text: `# Kite\n\n${'It flies. '.repeat(300)}` };
const SKILLS = [{ ...KITE, description: FILE.text, files: [FILE] }];
const COMPRESSED = [
  ...['/', '/?q=kite', '/skills/kite', '/assets/page.css', '/assets/page.js', '/page/search?q=kite', '/openapi.json'],
  ...['search', 'ai-search'].map((name) => `/api/v1/skills/${name}?q=kite`),
];

/** Asks a handler; a fetch would unpack what it gets. */
async function askers() {
  const { handle, key } = await serve(SKILLS, { pages: true });
  return async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const response = await handle(
      new Request(ORIGIN + path, { headers: { ...headers, Authorization: `Bearer ${key}` }, method }),
    );
    return { response, bytes: Buffer.from(await response.arrayBuffer()) };
  };
}

/** What two answers to the same have in common. */
const lasting = (bytes: Buffer) => bytes.toString().replace(/"(?:requestId|responseTimeMs)":[^,}]*/g, '');

const TAKES = { 'Accept-Encoding': 'gzip, deflate, br' };

describe('a client that takes gzip', () => {
  test.each(COMPRESSED)('gets %s in fewer bytes, and the same', async (path) => {
    const ask = await askers();
    const plain = await ask(path);
    // Some are remembered.
    for (let i = 0; i < 2; i++) {
      const packed = await ask(path, TAKES);
      expect(packed.response.headers.get('Content-Encoding')).toBe('gzip');
      expect(packed.bytes.length).toBeLessThan(plain.bytes.length);
      expect(lasting(gunzipSync(packed.bytes))).toBe(lasting(plain.bytes));
      for (const { response } of [plain, packed]) expect(response.headers.get('Vary')).toBe('Accept-Encoding');
      expect(packed.response.headers.get('Content-Type')).toBe(plain.response.headers.get('Content-Type'));
    }
    expect(plain.response.headers.has('Content-Encoding')).toBe(false);
  });

  test.each([
    '/api/health',
    '/api/v1/skills/search?q=submarine',
    '/skills/kite/files/SKILL.md?view=raw',
    '/robots.txt',
    '/assets/icon.svg',
  ])('gets %s as it is', async (path) => {
    const ask = await askers();
    const [plain, offered] = [await ask(path), await ask(path, TAKES)];
    expect(offered.response.headers.has('Content-Encoding')).toBe(false);
    expect([offered.response.status, lasting(offered.bytes)]).toEqual([200, lasting(plain.bytes)]);
  });

  test('gets 304 by the tag of either form, and each form has its own', async () => {
    const ask = await askers();
    for (const path of ['/skills/kite', '/assets/page.js']) {
      const [plain, packed] = [await ask(path), await ask(path, TAKES)];
      const tags = [plain, packed].map(({ response }) => response.headers.get('ETag')!);
      expect(tags[0]).not.toBe(tags[1]);
      for (const tag of [...tags, `W/${tags[1]}`]) {
        for (const [headers, own] of [
          [{}, tags[0]],
          [TAKES, tags[1]],
        ] as const) {
          const { response, bytes } = await ask(path, { ...headers, 'If-None-Match': tag });
          expect([response.status, bytes.length, response.headers.get('ETag')]).toEqual([304, 0, own]);
          expect(response.headers.get('Vary')).toBe('Accept-Encoding');
          expect(response.headers.has('Content-Encoding')).toBe(false);
        }
      }
    }
  });

  test.each([
    ['gzip', true],
    ['br;q=1.0, GZIP;q=0.5', true],
    ['*', true],
    ['gzip;q=0', false],
    ['gzip; q=0.000, *', false],
    ['br, deflate', false],
    ['', false],
  ])('is one that says %j: %s', async (accepted, isPacked) => {
    const ask = await askers();
    const { response } = await ask('/', { 'Accept-Encoding': accepted });
    expect(response.headers.get('Content-Encoding') === 'gzip').toBe(isPacked);
  });
});

/** As browsers send it. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

test.each([
  [BROWSER, true],
  ['text/html, application/json', true],
  ['TEXT/HTML ; Q=1.0', true],
  ['*/*', false],
  ['', false],
  ['application/json, text/html;q=0.9', false],
  ['text/html;q=0', false],
  ['text/html;q=0.5, */*', false],
  [','.repeat(10_000), false],
])('a client that accepts %j gets an error as a page: %s', async (Accept, isHtml) => {
  const { ask } = await serve([KITE], { pages: true });
  expect((await ask('/nothing', { headers: { Accept } })).code === undefined).toBe(isHtml);
});

describe('an error for people', () => {
  test.each(['/nothing', '/skills/nobody', '/skills/kite/files/lost.md', '/skills/%ff', '/assets/none.css'])(
    'at %s has the same status and message, a box to search, and a way on',
    async (path) => {
      const { ask } = await serve([KITE], { pages: true, publicUrl: 'https://skills.example/base' });
      const [page, data] = [await ask(path, { headers: { Accept: BROWSER } }), await ask(path)];
      expect([page.status, data.status]).toEqual([404, 404]);
      expect(page.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
      expect(page.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
      expect([page.headers.get('Vary'), data.headers.get('Vary')]).toEqual(['Accept, Accept-Encoding', 'Accept']);
      expect(page.headers.get('Cache-Control')).toBe('no-store');
      const { message = '' } = data;
      expect(textOf(page)).toContain(`${message.charAt(0).toUpperCase()}${message.slice(1)}.`);
      expect(page.text).toContain('<form class="site-search" role="search" action="/base/"');
      expect(linksOf(page)).toEqual(['/base/?sortBy=recent']);
      expectHarmless(page);
    },
  );

  test.each(['/api/nothing', '/api', KEYWORD, '/mcp', '/page/search?q=a&q=b', '/openapi.json'])(
    'is never a page at %s',
    async (path) => {
      const { ask } = await serve([KITE], { pages: true });
      const reply = await ask(path, { headers: { Accept: BROWSER } });
      expect(reply.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    },
  );

  test('hides what only the log should tell, and names the request', async () => {
    const failing = async (error: unknown): Promise<[Reply, Ask]> => {
      const { ask } = await serve(failingSearch(error), { pages: true });
      return [await ask('/skills/kite', { headers: { Accept: BROWSER } }), ask];
    };
    const [unexpected] = await failing(new Error('/secret/path'));
    const [damaged] = await failing(new SkillSearchError('DATABASE_DAMAGED', '/secret/path is damaged'));
    expect([unexpected.status, damaged.status]).toEqual([500, 503]);
    for (const page of [unexpected, damaged]) {
      expect(page.text).not.toContain('secret');
      expect(textOf(page)).toContain(page.headers.get('X-Request-Id'));
      expectHarmless(page);
    }
  });

  test('repeats nothing of the request that would run', async () => {
    const { ask } = await serve([KITE], { pages: true });
    for (const path of ['/%3Cscript%3Ealert(1)%3C/script%3E', '/skills/%22%3E%3Cimg%20src=x%20onerror=alert(1)%3E']) {
      expectHarmless(await ask(path, { headers: { Accept: BROWSER } }));
    }
  });
});
