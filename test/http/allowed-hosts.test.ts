import { request as httpRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createHandler, type HandlerOptions, startServer } from '../../src/http/index.js';
import { codeOf } from '../error-code.js';
import { row } from '../rows.js';
import { closing } from '../scratch-folder.js';
import { searchOver } from './ask.js';
import { ACCEPTED, rpc, serveMcp } from './mcp-serving.js';

/** The code with which a handler with these options refuses a request for MCP; undefined where it is answered. */
async function codeFor(
  options: HandlerOptions,
  host: string | undefined,
  origin?: string,
): Promise<string | undefined> {
  const handle = createHandler(await searchOver([]), { mcp: true, ...options });
  const headers = { ...ACCEPTED, ...(host === undefined ? {} : { Host: host }), ...(origin && { Origin: origin }) };
  const init = { method: 'POST', headers, body: JSON.stringify(rpc('ping')) };
  const answer = await handle(new Request('http://attacker.example/mcp', init));
  if (answer.status === 200) return undefined;
  return ((await answer.json()) as { error: { data: { code: string } } }).error.data.code;
}

describe('a Host', () => {
  test.each([
    ['localhost', {}],
    ['localhost:8787', {}],
    ['LOCALHOST:1', {}],
    ['localhost.', {}],
    ['127.0.0.1:8787', {}],
    ['[::1]', {}],
    ['[0:0:0:0:0:0:0:1]:8787', {}],
    ['skills.example.org', { publicUrl: 'https://skills.example.org' }],
    ['skills.example.org:443', { publicUrl: 'https://skills.example.org/base' }],
    ['localhost', { publicUrl: 'https://skills.example.org' }],
    ['[2001:db8::1]', { allowedHosts: ['2001:DB8:0::1'] }],
    ['inner_name:8787', { allowedHosts: ['inner_name'] }],
  ] as const)('%s is allowed', async (host, options) => {
    expect(await codeFor(options, host)).toBeUndefined();
  });

  test.each([
    ['attacker.example', {}],
    ['attacker.example', { publicUrl: 'https://skills.example.org' }],
    ['localhost.attacker.example', {}],
    ['127.0.0.1.attacker.example', {}],
    ['skills.example.org.attacker.example', { publicUrl: 'https://skills.example.org' }],
    ['203.0.113.9', {}],
    ['user@localhost', {}],
    ['localhost/', {}],
    ['localhost, attacker.example', {}],
    ['localhost:', {}],
    [undefined, {}],
  ] as const)('%s is not allowed', async (host, options) => {
    expect(await codeFor(options, host)).toBe('HOST_NOT_ALLOWED');
  });
});

describe('an Origin', () => {
  test.each([
    [undefined, 'localhost:8787', {}],
    ['http://localhost:8787', 'localhost:8787', {}],
    ['http://127.0.0.1', '127.0.0.1', {}],
    ['http://localhost', 'localhost:80', {}],
    ['https://skills.example.org', 'skills.example.org', { publicUrl: 'https://skills.example.org' }],
    // A proxy that names the server by its own address.
    ['https://skills.example.org', '127.0.0.1:8787', { publicUrl: 'https://skills.example.org/base' }],
    // A proxy with TLS, where nobody said what its address is.
    ['https://inner', 'inner', { allowedHosts: ['inner'] }],
  ] as const)('%s is allowed at %s', async (origin, host, options) => {
    expect(await codeFor(options, host, origin)).toBeUndefined();
  });

  test.each([
    ['http://attacker.example', 'localhost:8787', {}],
    ['http://localhost:3000', 'localhost:8787', {}],
    ['http://127.0.0.1:8787', 'localhost:8787', {}],
    ['https://localhost:8787.attacker.example', 'localhost:8787', {}],
    ['http://skills.example.org', '127.0.0.1:8787', { publicUrl: 'https://skills.example.org' }],
    ['null', 'localhost', {}],
    ['file://', 'localhost', {}],
    ['http://localhost/', 'localhost', {}],
    ['http://localhost, http://localhost', 'localhost', {}],
    ['chrome-extension://abc', 'localhost', {}],
  ] as const)('%s is not allowed at %s', async (origin, host, options) => {
    expect(await codeFor(options, host, origin)).toBe('ORIGIN_NOT_ALLOWED');
  });
});

describe('/mcp', () => {
  test('refuses other hosts and origins with 403, whatever the method, and lets no web page in', async () => {
    const serving = await serveMcp(await searchOver([row('kite')]));
    for (const method of ['POST', 'GET', 'DELETE', 'OPTIONS', 'PUT']) {
      for (const headers of [{ Host: 'attacker.example' }, { Origin: 'http://attacker.example' }]) {
        const { status, headers: sent, body } = await ask(serving.server.port, method, headers);
        expect(status).toBe(403);
        expect(JSON.parse(body)).toMatchObject({ jsonrpc: '2.0', error: { code: -32000 } });
        expect(Object.keys(sent).filter((name) => name.startsWith('access-control'))).toEqual([]);
      }
    }
    const { status, headers } = await ask(serving.server.port, 'OPTIONS', { Origin: serving.server.url });
    expect([status, headers['allow'], headers['access-control-allow-origin']]).toEqual([
      405,
      'POST, GET, DELETE',
      undefined,
    ]);
    expect((await serving.post(rpc('ping'), { Origin: serving.server.url })).status).toBe(200);
    expect((await serving.post(rpc('ping'))).headers.get('Access-Control-Allow-Origin')).toBeNull();
  });

  test('is reached through a proxy by its public name, and counts the address that the proxy names', async () => {
    const search = await searchOver([row('kite')]);
    const serving = await serveMcp(search, { publicUrl: 'https://skills.example.org', trustProxy: ['loopback'] });
    const headers = {
      ...{ Host: 'skills.example.org', Origin: 'https://skills.example.org', 'X-Forwarded-For': '203.0.113.77' },
      ...ACCEPTED,
    };
    expect((await ask(serving.server.port, 'POST', headers, JSON.stringify(rpc('ping')))).status).toBe(200);
    expect(serving.events.at(-1)).toMatchObject({ client: '203.0.113.0', operation: 'ping' });
    expect((await ask(serving.server.port, 'POST', { ...headers, Host: 'other' }, '{}')).status).toBe(403);
  });

  test.each([
    { mcp: 'yes' },
    { cors: 'yes' },
    { allowedHosts: 'inner' },
    { allowedHosts: ['http://inner'] },
    { allowedHosts: ['a:80'] },
    { allowedHosts: ['[::1]:80'] },
    { allowedHosts: [3] },
    { onUnpublished: 3 },
  ])('has options that are checked: %j', async (options) => {
    const search = await searchOver([row('kite')]);
    expect(await codeOf(() => createHandler(search, options as object))).toBe('INVALID_OPTION');
    await expect(startServer(search, { port: 0, ...(options as object) })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    });
  });
});

describe('other web pages', () => {
  const INSTALLED = row('own', {
    installations: [{ agent: 'claude-code', scope: 'user', path: '/home/me/.claude/skills/own' }],
  });
  const SPECIFIED = ['/api/health', '/api/v1/skills/search?q=kite', '/api/v1/skills/ai-search?q=kite'];
  const MORE = [
    '/',
    '/skills/kite',
    '/openapi.json',
    '/nowhere',
    '/api/search?q=kite',
    '/.well-known/skills/index.json',
  ];
  const GUARDED = { refused: [...SPECIFIED, ...MORE], readable: [] };
  const skillsOf = { public: [row('kite')], installed: [row('kite'), INSTALLED] };

  test.each([
    ['of a server of this machine alone', 'public', {}, { refused: GUARDED.refused, readable: SPECIFIED }],
    ['of installed skills', 'installed', {}, GUARDED],
    ['of installed skills for all the network', 'installed', { host: '0.0.0.0' }, GUARDED],
    ['of installed skills behind a proxy', 'installed', { trustProxy: 1 }, GUARDED],
    ['for all the network', 'public', { host: '0.0.0.0' }, { refused: [], readable: [...SPECIFIED, ...MORE] }],
    [
      'behind a proxy on this machine',
      'public',
      { trustProxy: ['loopback'] },
      { refused: [], readable: [...SPECIFIED, ...MORE] },
    ],
    ['that says so', 'installed', { cors: true }, { refused: [], readable: [...SPECIFIED, ...MORE] }],
  ] as const)('%s, %s: reach no answer by a name of theirs, and read as little', async (_, kind, options, expected) => {
    const search = await searchOver(skillsOf[kind]);
    const publishing = { publish: ['all' as const], compatibility: 'skillsmp' as const };
    const server = closing(
      await startServer(search, { port: 0, access: false, pages: true, ...publishing, ...options }),
    );
    const { port } = server;
    const paths = [...SPECIFIED, ...MORE];
    const refused: string[] = [];
    const readable: string[] = [];
    for (const path of paths) {
      const { status, body } = await ask(port, 'GET', { Host: 'attacker.example' }, undefined, path);
      if (status === 403) {
        refused.push(path);
        expect(JSON.parse(body)).toMatchObject({
          error: { code: 'HOST_NOT_ALLOWED', message: expect.stringContaining('allowed hosts') },
        });
      }
      const { status: known, headers } = await ask(port, 'GET', { Host: `localhost:${port}` }, undefined, path);
      expect(known, path).not.toBe(403);
      if (headers['access-control-allow-origin'] === '*') readable.push(path);
      expect(headers['access-control-expose-headers'] === undefined).toBe(!readable.includes(path));
    }
    expect({ refused, readable }).toEqual(expected);
  });

  test('reach a server of this machine by the names that it is given, and by that of its public address', async () => {
    const search = await searchOver([INSTALLED]);
    const names = { allowedHosts: ['inner'], publicUrl: 'https://skills.example.org' };
    const server = closing(await startServer(search, { port: 0, access: false, ...names }));
    for (const [host, status] of [
      ['inner:80', 200],
      ['skills.example.org', 200],
      ['127.0.0.1', 200],
      ['attacker.example', 403],
    ] as const) {
      expect((await ask(server.port, 'GET', { Host: host }, undefined, '/api/health')).status).toBe(status);
    }
  });

  test('read nothing of a handler from the moment that its catalogue has installed skills', async () => {
    const search = await searchOver([row('kite')]);
    const installed = await searchOver([INSTALLED]);
    let current = search;
    const both = new Proxy(search, {
      get: (_, name) => Reflect.get(current, name).bind?.(current) ?? Reflect.get(current, name),
    });
    const handle = createHandler(both, { access: false });
    const origin = async (): Promise<string | null> => {
      const response = await handle(new Request('http://localhost/api/v1/skills/search?q=own'));
      return response.headers.get('Access-Control-Allow-Origin');
    };
    expect(await origin()).toBe('*');
    current = installed;
    expect(await origin()).toBeNull();
    expect((await handle(new Request('http://attacker.example/api/v1/skills/search?q=own'))).status).toBe(403);
  });
});

interface Reply {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** `fetch` does not let a program choose its `Host`. */
function ask(
  port: number,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
  path = '/mcp',
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ port, host: '127.0.0.1', path, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body: text }));
    });
    request.on('error', reject).end(body);
  });
}
