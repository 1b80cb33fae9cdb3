import { describe, expect, onTestFinished, test } from 'vitest';
import { startServer } from '../../../src/http/index.js';
import { searchOver, serve } from '../ask.js';
import { request, Wire, type WireReply } from '../wire.js';
import { KITE } from './kite.js';

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

describe('whoever has a page already', () => {
  test.each(['/', '/skills/kite', '/openapi.json', '/assets/page.css', '/assets/page.js', '/robots.txt'])(
    'gets 304 of %s by its ETag, without a body and without a type',
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

  test('gets the new one when the catalogue has changed', async () => {
    const [before, after] = [
      await serve([KITE], { pages: true }),
      await serve([KITE, { ...KITE, id: 'b' }], { pages: true }),
    ];
    const tag = (await before.ask('/')).headers.get('ETag') ?? '';
    expect((await after.ask('/', { headers: { 'If-None-Match': tag } })).status).toBe(200);
  });

  test('gets 304 over a connection that goes on, without a length', async () => {
    const server = await startServer(await searchOver([KITE]), { port: 0, pages: true });
    onTestFinished(() => server.close());
    const wire = await Wire.open(server.port);
    const ask = async (...headers: readonly string[]): Promise<WireReply> => {
      const reply = await wire.send(request('/skills/kite', 'Host: localhost', ...headers)).reply();
      if (reply === 'closed') throw new Error('the connection was closed');
      return reply;
    };
    const first = await ask();
    const tag = `If-None-Match: ${first.headers.get('etag')}`;
    const again = await ask(tag);
    expect([again.status, again.body, again.headers.has('content-length')]).toEqual([304, '', false]);
    expect((await ask()).status).toBe(200);
  });

  test('gets no ETag of an operation or an error', async () => {
    const { ask } = await serve([KITE], { pages: true });
    for (const path of ['/api/health', '/api/v1/skills/search?q=kite', '/nowhere', '/skills/nobody']) {
      const reply = await ask(path, { headers: { 'If-None-Match': '*' } });
      expect([reply.status === 304, reply.headers.has('ETag')]).toEqual([false, false]);
      expect(reply.headers.get('Cache-Control')).toBe('no-store');
    }
  });
});
