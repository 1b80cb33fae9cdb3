import { request as httpRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import { AllowedHosts, type AllowedHostsOptions, resolveHosts } from '../../src/http/allowed-hosts.js';
import { createHandler, startServer } from '../../src/http/index.js';
import { codeOf } from '../error-code.js';
import { row } from '../rows.js';
import { searchOver } from './ask.js';
import { ACCEPTED, rpc, serveMcp } from './mcp-serving.js';

const NONE: AllowedHostsOptions = { publicUrl: undefined, hosts: [], listensAt: undefined };

function codeFor(options: Partial<AllowedHostsOptions>, host: string | undefined, origin?: string): string | undefined {
  return new AllowedHosts({ ...NONE, ...options }).faultOf(host, origin)?.code;
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
    ['192.168.1.5:8787', { listensAt: '192.168.1.5' }],
    ['[2001:db8::1]:8787', { listensAt: '2001:db8::1' }],
    ['my-host:8787', { listensAt: 'my-host' }],
    ['203.0.113.9', { listensAt: '0.0.0.0' }],
    ['[2001:db8::1]', { listensAt: '::' }],
    ['inner_name:8787', { hosts: ['inner_name'] }],
  ] as const)('%s is allowed', (host, options) => expect(codeFor(options, host)).toBeUndefined());

  test.each([
    ['attacker.example', {}],
    ['attacker.example', { listensAt: '0.0.0.0' }],
    ['attacker.example', { publicUrl: 'https://skills.example.org' }],
    ['localhost.attacker.example', {}],
    ['127.0.0.1.attacker.example', { listensAt: '0.0.0.0' }],
    ['skills.example.org.attacker.example', { publicUrl: 'https://skills.example.org' }],
    ['203.0.113.9', {}],
    ['203.0.113.9', { listensAt: '192.168.1.5' }],
    ['user@localhost', {}],
    ['localhost/', {}],
    ['localhost, attacker.example', {}],
    ['localhost:', {}],
    ['', {}],
    [undefined, {}],
  ] as const)('%s is not allowed', (host, options) => expect(codeFor(options, host)).toBe('HOST_NOT_ALLOWED'));
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
    ['https://inner', 'inner', { hosts: ['inner'] }],
  ] as const)('%s is allowed at %s', (origin, host, options) => expect(codeFor(options, host, origin)).toBeUndefined());

  test.each([
    ['http://attacker.example', 'localhost:8787', {}],
    ['http://localhost:3000', 'localhost:8787', {}],
    ['http://127.0.0.1:8787', 'localhost:8787', {}],
    ['https://localhost:8787.attacker.example', 'localhost:8787', {}],
    ['http://skills.example.org', '127.0.0.1:8787', { publicUrl: 'https://skills.example.org' }],
    ['null', 'localhost', {}],
    ['', 'localhost', {}],
    ['file://', 'localhost', {}],
    ['http://localhost/', 'localhost', {}],
    ['http://localhost, http://localhost', 'localhost', {}],
    ['chrome-extension://abc', 'localhost', {}],
  ] as const)('%s is not allowed at %s', (origin, host, options) => {
    expect(codeFor(options, host, origin)).toBe('ORIGIN_NOT_ALLOWED');
  });
});

test.each([['a:80'], ['http://a'], ['a/b'], ['[::1]:80'], [''], [3]])('%j is no name for mcpHosts', async (name) => {
  expect(await codeOf(() => resolveHosts('mcpHosts', [name as string]))).toBe('INVALID_OPTION');
});

test('names and addresses of mcpHosts are taken in any notation', () => {
  expect(resolveHosts('mcpHosts', ['Inner', '10.0.0.1', '0:0::1', '[2001:DB8::1]'])).toEqual([
    'inner',
    '10.0.0.1',
    '[::1]',
    '[2001:db8::1]',
  ]);
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

  test('of a handler is reached by the names that it is given', async () => {
    const search = await searchOver([row('kite')]);
    const handle = createHandler(search, { mcp: true, mcpHosts: ['skills.test'] });
    const body = JSON.stringify(rpc('ping'));
    const at = (url: string): Promise<Response> =>
      handle(new Request(url, { method: 'POST', headers: ACCEPTED, body }));
    expect((await at('http://skills.test/mcp')).status).toBe(200);
    expect((await at('http://localhost:3000/mcp')).status).toBe(200);
    expect((await at('http://other.test/mcp')).status).toBe(403);
  });

  test.each([{ mcp: 'yes' }, { mcpHosts: 'inner' }, { mcpHosts: ['http://inner'] }, { onUnpublished: 3 }])(
    'has options that are checked: %j',
    async (options) => {
      const search = await searchOver([row('kite')]);
      expect(await codeOf(() => createHandler(search, options as object))).toBe('INVALID_OPTION');
      await expect(startServer(search, { port: 0, ...(options as object) })).rejects.toMatchObject({
        code: 'INVALID_OPTION',
      });
    },
  );
});

interface Reply {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** `fetch` does not let a program choose its `Host`. */
function ask(port: number, method: string, headers: Readonly<Record<string, string>>, body?: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ port, host: '127.0.0.1', path: '/mcp', method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body: text }));
    });
    request.on('error', reject).end(body);
  });
}
