import { describe, expect, test } from 'vitest';
import { prefersHtml } from '../../../src/http/pages/layout.js';
import { SkillSearchError } from '../../../src/index.js';
import { type Ask, failingSearch, KEYWORD, keyword, type Reply, serve } from '../ask.js';
import { KITE } from './kite.js';
import { expectHarmless, linksOf, textOf } from './page-text.js';

/** As browsers send it. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

describe('whether a client would rather have HTML', () => {
  test.each([
    [BROWSER, true],
    ['text/html', true],
    ['text/html, application/json', true],
    ['application/json;q=0.5, text/html;q=0.9', true],
    ['TEXT/HTML ; Q=1.0', true],
    ['*/*', false],
    [undefined, false],
    ['', false],
    ['application/json', false],
    ['application/json, text/html;q=0.9', false],
    ['text/html;q=0', false],
    ['text/html;q=0.5, */*', false],
    ['text/html;q=x', false],
    ['text/*', false],
    [','.repeat(10_000), false],
  ])('%j: %s', (accept, isHtml) => {
    expect(prefersHtml(accept)).toBe(isHtml);
  });
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
      expect(page.text).toContain('<form class="error-search" role="search" action="/base/"');
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

  test('is no page where there are none', async () => {
    const { ask } = await serve([KITE]);
    expect((await ask('/nothing', { headers: { Accept: BROWSER } })).code).toBe('ENDPOINT_NOT_FOUND');
  });

  test('is a sentence', async () => {
    const { ask } = await serve([KITE], { pages: true });
    const messageAt = async (path: string): Promise<string> =>
      textOf(await ask(path, { headers: { Accept: BROWSER } }));
    expect(await messageAt('/nothing')).toMatch(/^Nothing is served at this path\.$/m);
  });

  test('says which methods there are', async () => {
    const { ask } = await serve([KITE], { pages: true });
    const page = await ask('/skills/kite', { method: 'POST', headers: { Accept: BROWSER } });
    expect([page.status, page.headers.get('Allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect(textOf(page)).toContain('GET, HEAD, OPTIONS');
  });

  test('says when to ask again', async () => {
    const { ask } = await serve([KITE], { pages: true, pagesPerMinute: 1 });
    const asked = (): Promise<Reply> => ask('/skills/kite', { headers: { Accept: BROWSER } });
    await asked();
    const page = await asked();
    const seconds = page.headers.get('Retry-After');
    expect([page.status, Number(seconds) > 0]).toEqual([429, true]);
    expect(textOf(page)).toContain(`try again in ${seconds} second`);
  });

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

  test('is there for a request whose URL has no origin', async () => {
    const { handle } = await serve([KITE], { pages: true });
    const response = await handle(new Request('about:blank', { headers: { Accept: BROWSER } }));
    expect([response.status, response.headers.get('Content-Type')]).toEqual([404, 'text/html; charset=utf-8']);
  });

  test('repeats nothing of the request that would run', async () => {
    const { ask } = await serve([KITE], { pages: true });
    for (const path of ['/%3Cscript%3Ealert(1)%3C/script%3E', '/skills/%22%3E%3Cimg%20src=x%20onerror=alert(1)%3E']) {
      expectHarmless(await ask(path, { headers: { Accept: BROWSER } }));
    }
  });

  test('of a search for programs stays JSON', async () => {
    const { ask } = await serve([KITE], { pages: true });
    expect((await ask(keyword({ q: '' }), { headers: { Accept: BROWSER } })).code).toBe('MISSING_QUERY');
  });
});
