import { gunzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startServer } from '../../../src/http/index.js';
import { ORIGIN, searchOver, serve } from '../ask.js';
import { KITE } from './kite.js';

const FILE = { filename: 'SKILL.md', text: `# Kite\n\n${'It flies. '.repeat(300)}` };
const SKILLS = [{ ...KITE, files: [FILE] }];
const COMPRESSED = ['/', '/?q=kite', '/skills/kite', '/assets/page.css', '/assets/page.js', '/page/search?q=kite'];

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
      expect(gunzipSync(packed.bytes).toString()).toBe(plain.bytes.toString());
      for (const { response } of [plain, packed]) expect(response.headers.get('Vary')).toBe('Accept-Encoding');
      expect(packed.response.headers.get('Content-Type')).toBe(plain.response.headers.get('Content-Type'));
    }
    expect(plain.response.headers.has('Content-Encoding')).toBe(false);
  });

  test.each([
    '/api/v1/skills/search?q=kite',
    '/api/v1/skills/ai-search?q=kite',
    '/api/health',
    '/openapi.json',
    '/skills/kite/files/SKILL.md?view=raw',
    '/robots.txt',
    '/assets/icon.svg',
  ])('gets %s as it is', async (path) => {
    const ask = await askers();
    const [plain, offered] = [await ask(path), await ask(path, TAKES)];
    expect(offered.response.headers.has('Content-Encoding')).toBe(false);
    const lasting = ({ bytes }: typeof plain) => bytes.toString().replace(/"(?:requestId|responseTimeMs)":[^,}]*/g, '');
    expect([offered.response.status, lasting(offered)]).toEqual([200, lasting(plain)]);
  });

  test('gets a page of an error so, which varies by Accept too', async () => {
    const ask = await askers();
    const { response, bytes } = await ask('/skills/nobody', { ...TAKES, Accept: 'text/html' });
    expect([response.status, response.headers.get('Content-Encoding')]).toEqual([404, 'gzip']);
    expect(response.headers.get('Vary')).toBe('Accept, Accept-Encoding');
    expect(gunzipSync(bytes).toString()).toContain('<!doctype html>');
    expect(response.headers.has('ETag')).toBe(false);
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

  test('gets the same headers by HEAD', async () => {
    const ask = await askers();
    const of = ({ response }: { response: Response }) =>
      [...response.headers].filter(([name]) => name !== 'x-request-id' && !name.startsWith('x-ratelimit'));
    for (const path of COMPRESSED) {
      const head = await ask(path, TAKES, 'HEAD');
      expect(of(head), path).toEqual(of(await ask(path, TAKES)));
      expect(head.bytes.length).toBe(0);
    }
  });

  test.each([
    ['gzip', true],
    ['x-gzip', true],
    ['br;q=1.0, GZIP;q=0.5', true],
    ['*', true],
    ['deflate, *;q=0.1', true],
    ['gzip;q=0', false],
    ['gzip; q=0.000, *', false],
    ['*;q=0', false],
    ['gzip;q=much', false],
    ['br, deflate', false],
    ['identity', false],
    ['', false],
  ])('is one that says %j: %s', async (accepted, isPacked) => {
    const ask = await askers();
    const { response } = await ask('/', { 'Accept-Encoding': accepted });
    expect(response.headers.get('Content-Encoding') === 'gzip').toBe(isPacked);
  });

  test('gets it from a server, with the length of what is sent', async () => {
    const server = await startServer(await searchOver(SKILLS), { port: 0, pages: true });
    onTestFinished(() => server.close());
    for (const path of COMPRESSED) {
      const [packed, plain] = await Promise.all(
        ['gzip', 'identity'].map((coding) => fetch(server.url + path, { headers: { 'Accept-Encoding': coding } })),
      );
      const length = Number(packed!.headers.get('Content-Length'));
      expect(packed!.headers.get('Content-Encoding')).toBe('gzip');
      expect(length).toBeLessThan(Number(plain!.headers.get('Content-Length')));
      expect(await packed!.text()).toBe(await plain!.text());
      const head = await fetch(server.url + path, { method: 'HEAD', headers: { 'Accept-Encoding': 'gzip' } });
      expect(Number(head.headers.get('Content-Length')), path).toBe(length);
    }
  });
});
