import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Access, openAccess } from '../../src/access/index.js';
import { type LogEvent, type RunningServer, SERVER_LIMITS, startServer } from '../../src/http/index.js';
import { openSkillSearch, type SkillSearch } from '../../src/index.js';
import { row } from '../rows.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { answered, request, Wire, type WireReply } from './wire.js';

const SEARCH = '/api/v1/skills/search?q=alpha&limit=1';
/** Some 180 KB. */
const LARGE = '/api/v1/skills/search?q=alpha&limit=50';
const HOST = 'Host: localhost';

let search: SkillSearch;
let access: Access;
let server: RunningServer;
let key: string;
const events: LogEvent[] = [];

beforeAll(async () => {
  const skills = Array.from({ length: 50 }, (_, i) => row(`s-${i}`, { description: `alpha ${i} ${'x'.repeat(3500)}` }));
  search = await openSkillSearch({ skills, embedder: new StandInEmbedder() });
  const noLimit = { daily: 0, perMinute: 0 };
  access = openAccess({ state: ':memory:', anonymous: noLimit, key: noLimit });
  key = access.createKey().key;
  server = await startServer(search, {
    port: 0,
    access,
    pages: true,
    log: (event) => events.push(event),
    connectionsPerSecond: 0,
    requestsPerSecond: 0,
  });
});

afterAll(async () => {
  await server?.close(0);
  access?.close();
  await search?.close();
});

/** Whatever was sent: nothing went wrong inside, and the next client is served. */
afterEach(async () => {
  const wrong = events.filter((event) => event.kind === 'failure' || event.status >= 500);
  events.length = 0;
  expect(wrong).toEqual([]);
  const response = await fetch(server.url + SEARCH);
  expect([response.status, ((await response.json()) as { success: boolean }).success]).toEqual([200, true]);
});

const withHeaders = (...headers: readonly string[]): string => request(SEARCH, HOST, ...headers);
const asking = (method: string, ...headers: readonly string[]): string =>
  withHeaders(...headers).replace(/^GET/, method);

const NOT_HTTP: readonly (readonly [what: string, bytes: string | Uint8Array])[] = [
  ['an unknown method', asking('BREW')],
  // RFC 9112, 3.2. Node would join two.
  ['no Host', `GET ${SEARCH} HTTP/1.1\r\n\r\n`],
  ['two Host headers', withHeaders('Host: b')],
  ['a space in the name of a header', withHeaders('Bad Name: x')],
  ['a space before the colon', withHeaders('X : y')],
  ['a header without a colon', withHeaders('NoColon')],
  ['a header over two lines', withHeaders('X: y', ' z')],
  ['NUL in the path', request('/api/\0health')],
  ['NUL in a header', withHeaders('X: a\0b')],
  ['a path without a slash', request('api/health')],
  ['lines that end without a carriage return', `GET ${SEARCH} HTTP/1.1\n${HOST}\n\n`],
  ['a version that there is not', `GET ${SEARCH} HTTP/9.9\r\n${HOST}\r\n\r\n`],
  ['the beginning of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0'],
  ['the hello of TLS', Buffer.from('16030100c8010000c4030300112233445566778899aabbccddeeff', 'hex')],
  ['two lengths that differ', `${withHeaders('Content-Length: 1', 'Content-Length: 2')}xx`],
  ['the same length twice', `${withHeaders('Content-Length: 1', 'Content-Length: 1')}x`],
  ['a negative length', withHeaders('Content-Length: -1')],
  ['a hexadecimal length', `${withHeaders('Content-Length: 0x1')}x`],
  ['a length beyond 64 bits', withHeaders('Content-Length: 99999999999999999999')],
  ['a length and chunks', `${withHeaders('Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`],
  ['a coding that does not end in chunks', withHeaders('Transfer-Encoding: chunked, identity')],
  ['an unknown coding', `${withHeaders('Transfer-Encoding: xchunked')}5\r\nhello\r\n0\r\n\r\n`],
  ['a request that ends within its headers', `GET ${SEARCH} HTTP/1.1\r\nHos`],
];

const NOT_SERVED: readonly (readonly [what: string, path: string, status: number, code: string])[] = [
  ['a bad escape in q', '/api/v1/skills/search?q=%zz', 400, 'INVALID_QUERY'],
  ['an overlong NUL in q', '/api/v1/skills/search?q=%C0%80', 400, 'INVALID_QUERY'],
  ['a URL of 16 KB', `/api/v1/skills/search?q=${'a'.repeat(16_000)}`, 400, 'INVALID_QUERY'],
  ['10,000 parameters', `/api/v1/skills/search?${'q&'.repeat(10_000)}`, 400, 'INVALID_PARAMETER'],
  ['a bad escape in the path', '/skills/%zz', 404, 'ENDPOINT_NOT_FOUND'],
  ['NUL in the path', '/skills/%00', 404, 'ENDPOINT_NOT_FOUND'],
  ['a path upwards', '/skills/..%2f..%2fetc%2fpasswd', 404, 'ENDPOINT_NOT_FOUND'],
  ['the name of a prototype', '/skills/__proto__', 404, 'ENDPOINT_NOT_FOUND'],
];

describe('a client that does not speak HTTP', () => {
  test.each(NOT_HTTP)('is refused and cut off: %s', async (_, bytes) => {
    const wire = await connected();
    wire.send(bytes).finish();
    expectRefused(await wire.reply());
    await wire.closed();
    expect(wire.rest.length).toBe(0);
  });

  test('is told so by the error body of the interface', async () => {
    const wire = await connected();
    const reply = answered(await wire.send('GET / HTTP/1.1\r\nno header\r\n\r\n').reply());
    expect([reply.status, reply.headers.get('connection')]).toEqual([400, 'close']);
    expectError(reply, 'MALFORMED_REQUEST');
    expect(reply.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    const told = events.filter((event) => event.kind === 'request').at(-1);
    expect(told).toMatchObject({
      requestId: reply.headers.get('x-request-id'),
      status: 400,
      code: 'MALFORMED_REQUEST',
    });
  });

  test('is refused whatever bytes it sends', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 400 }), async (bytes) => {
        const wire = await connected();
        wire.send(bytes).finish();
        expectRefused(await wire.reply());
        await wire.closed();
        wire.cut();
      }),
      { seed: 20_261, numRuns: 200 },
    );
  });

  test('is answered by 4xx, or as if nothing were wrong, or cut off, whatever bytes of a request are wrong', async () => {
    const good = Buffer.from(request(SEARCH, HOST, `Authorization: Bearer ${key}`, 'Accept: */*'));
    const change = fc.record({
      at: fc.nat(good.length - 1),
      drop: fc.nat(3),
      bytes: fc.uint8Array({ maxLength: 3 }),
    });
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        let bytes: Buffer = good;
        for (const one of changes) {
          bytes = Buffer.concat([bytes.subarray(0, one.at), one.bytes, bytes.subarray(one.at + one.drop)]);
        }
        const wire = await connected();
        const method = bytes.toString('latin1', 0, 5) === 'HEAD ' ? 'HEAD' : 'GET';
        const reply = await wire.send(bytes).finish().reply(method);
        if (reply === 'closed' || reply.status !== 200) {
          expectRefused(reply);
          refused += 1;
        }
        await wire.closed();
        wire.cut();
      }),
      { seed: 20_262, numRuns: 300 },
    );
    expect(refused).toBeGreaterThan(50);
  });
});

describe('a request that nobody serves', () => {
  test.each(NOT_SERVED)('is answered by its error: %s', async (_, path, status, code) => {
    const wire = await connected();
    const reply = answered(await wire.send(request(path)).reply());
    expect(reply.status).toBe(status);
    expectError(reply, code);
    await expectStillOpen(wire);
  });

  test.each(['POST', 'PUT', 'PATCH'])('is answered by 405 and ended with a body: %s', async (method) => {
    const wire = await connected();
    const body = JSON.stringify({ q: 'alpha' });
    const sent = `${asking(method, `Content-Length: ${body.length}`, 'Content-Type: application/json')}${body}`;
    const reply = answered(await wire.send(sent).reply());
    expect([reply.status, reply.headers.get('connection')]).toEqual([405, 'close']);
    await wire.closed();
  });

  test('is no tunnel: CONNECT is cut off', async () => {
    const wire = await connected();
    expectRefused(await wire.send(`CONNECT wire.test:443 HTTP/1.1\r\n${HOST}\r\n\r\n`).reply());
    await wire.closed();
  });
});

describe('a request that is too long', () => {
  test.each([
    ['a header of 33 KB', withHeaders(`X: ${'a'.repeat(33 * 1024)}`)],
    ['headers of 40 KB together', withHeaders(...Array.from({ length: 400 }, (_, i) => `X-${i}: ${'a'.repeat(95)}`))],
    ['a URL of 40 KB', request(`/api/v1/skills/search?q=${'a'.repeat(40_000)}`)],
  ])('is answered by 431 and cut off: %s', async (_, bytes) => {
    const wire = await connected();
    const reply = answered(await wire.send(bytes).reply());
    expect([reply.status, reply.headers.get('connection')]).toEqual([431, 'close']);
    expectError(reply, 'INVALID_QUERY');
    expect(reply.body).toContain(String(32 * 1024));
    await wire.closed();
  });

  test('is cut off while it goes on and on', async () => {
    const wire = await connected();
    wire.send(`GET ${SEARCH} HTTP/1.1\r\n`);
    const line = `X: ${'a'.repeat(1000)}\r\n`;
    for (let sent = 0; !wire.ended && sent < 100_000_000; sent += 50 * line.length) {
      wire.send(line.repeat(50));
      await new Promise(setImmediate);
    }
    await wire.closed();
  });

  test('is not one of 24 KB that asks 2,000 characters', async () => {
    const q = encodeURIComponent(`${'😀'.repeat(1999)}é`);
    expect(q.length).toBeGreaterThan(23_900);
    const wire = await connected();
    const sent = request(`/api/v1/skills/ai-search?q=${q}`, HOST, `Authorization: Bearer ${key}`);
    expect(answered(await wire.send(sent).reply()).status).toBe(200);
    await expectStillOpen(wire);
  });

  // By itself Node keeps 2,000 and drops the rest without a word: a wrong key among those is served as if there were
  // none.
  test('does not lose its last headers where it has thousands', async () => {
    const many = Array.from({ length: 2500 }, (_, i) => `X${i}:`);
    const wire = await connected();
    expectRefused(await wire.send(withHeaders(...many, 'Authorization: Bearer wrong')).reply());
  });
});

describe('a key', () => {
  test('is a wrong one where it comes twice', async () => {
    const wire = await connected();
    const one = `Authorization: Bearer ${key}`;
    const reply = answered(await wire.send(withHeaders(one, one)).reply());
    expect(reply.status).toBe(401);
    expectError(reply, 'INVALID_API_KEY');
    expect(reply.body).not.toContain(key);
  });

  test.each([
    ['empty', 'Authorization:'],
    ['of another scheme', 'Authorization: Basic YTpi'],
    ['with a byte outside ASCII', 'Authorization: Bearer \u00ff'],
    ['of 20 KB', `Authorization: Bearer ${'a'.repeat(20_000)}`],
  ])('is a wrong one where it is %s', async (_, header) => {
    const wire = await connected();
    const reply = answered(await wire.send(Buffer.from(withHeaders(header), 'latin1')).reply());
    expect(reply.status).toBe(401);
    expectError(reply, 'INVALID_API_KEY');
  });
});

describe('a question with a body', () => {
  const inner = request('/api/health');
  test.each([
    ['in chunks', `${withHeaders('Transfer-Encoding: chunked')}5\r\nhello\r\n0\r\n\r\n`],
    ['never finished', `${withHeaders('Content-Length: 10')}abc`],
    ['in chunks, never finished', `${withHeaders('Transfer-Encoding: chunked')}5\r\nab`],
    ['announced and never begun', withHeaders('Content-Length: 9007199254740991')],
    ['that looks like a request', `${withHeaders(`Content-Length: ${inner.length}`)}${inner}`],
    [
      'in chunks that look like a request, and another request after it',
      `${withHeaders('Transfer-Encoding: chunked')}${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n${inner}`,
    ],
  ])('is answered once, and the connection ends: %s', async (_, bytes) => {
    const wire = await connected();
    const reply = answered(await wire.send(bytes).reply());
    expect([reply.status, reply.headers.get('connection')]).toEqual([200, 'close']);
    expect(JSON.parse(reply.body)).toMatchObject({ data: { pagination: { total: 50 } } });
    await wire.closed();
    expect(wire.rest.toString('latin1')).toBe('');
  });

  test('of 10 MB is answered or cut off, and not kept', async () => {
    const wire = await connected();
    wire.send(withHeaders('Content-Length: 10485760')).send(Buffer.alloc(10_485_760, 'x'));
    const reply = await wire.reply();
    if (reply !== 'closed') expect(reply.status).toBe(200);
    await wire.closed();
  });

  test('is answered at once where the client asks first whether to send it', async () => {
    const wire = await connected();
    const reply = answered(await wire.send(withHeaders('Expect: 100-continue', 'Content-Length: 5')).reply());
    expect([reply.status, reply.headers.get('connection')]).toEqual([200, 'close']);
    await wire.closed();
  });

  test('stays HTTP/1.1 where the client would rather speak something else', async () => {
    for (const [protocol, ...more] of [
      ['websocket', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13'],
      ['h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'],
    ]) {
      const wire = await connected();
      const sent = withHeaders('Connection: Upgrade', `Upgrade: ${protocol}`, ...more);
      const reply = answered(await wire.send(sent).reply());
      expect([reply.status, reply.headers.has('upgrade')]).toEqual([200, false]);
      await expectStillOpen(wire);
    }
  });
});

describe('requests one after the other, without waiting', () => {
  test('are all answered, in their order', async () => {
    const wire = await connected();
    const paths = Array.from({ length: 3 * SERVER_LIMITS.pipelined }, (_, i) =>
      i % 3 === 0
        ? `/api/v1/skills/ai-search?q=alpha+${i}`
        : `/api/v1/skills/search?q=alpha&page=50&limit=${(i % 50) + 1}`,
    );
    wire.send(paths.map((path) => request(path, HOST, `Authorization: Bearer ${key}`)).join(''));
    for (const [i] of paths.entries()) {
      const { status, body } = answered(await wire.reply());
      expect(status).toBe(200);
      const { data } = JSON.parse(body) as { data: { data?: unknown[]; pagination?: { limit: number } } };
      if (i % 3 === 0) expect(data.data).toHaveLength(10);
      else expect(data.pagination?.limit).toBe((i % 50) + 1);
    }
    await expectStillOpen(wire);
  });

  // Else the client would take the 400 for the answer to its first request, although that is served and counted.
  test.each([
    ['rubbish', 'RUBBISH\r\n\r\n'],
    ['CONNECT', `CONNECT wire.test:443 HTTP/1.1\r\n${HOST}\r\n\r\n`],
  ])('are answered up to the one that is wrong: %s', async (_, wrong) => {
    const wire = await connected();
    wire.send(request(SEARCH) + wrong);
    expect(answered(await wire.reply()).status).toBe(200);
    expectRefused(await wire.reply());
  });

  test('are answered up to the one that asks to close', async () => {
    const wire = await connected();
    wire.send(request(SEARCH) + request('/nothing', HOST, 'Connection: close') + request('/api/health'));
    expect(answered(await wire.reply()).status).toBe(200);
    expect(answered(await wire.reply()).status).toBe(404);
    expect(await wire.reply()).toBe('closed');
  });
});

describe('a client that goes, or comes and says nothing', () => {
  test('is answered or cut off where it sends no more and the answer takes time', async () => {
    const wire = await connected();
    const asked = request('/api/v1/skills/ai-search?q=alpha', HOST, `Authorization: Bearer ${key}`);
    const reply = await wire.send(asked).finish().reply();
    if (reply !== 'closed') expect(reply.status).toBe(200);
    await wire.closed();
  });

  test('is no trouble when it is gone before its answer', async () => {
    for (let i = 0; i < 100; i++) {
      const wire = await connected();
      const path = i % 2 === 0 ? SEARCH : '/api/v1/skills/ai-search?q=alpha';
      wire.send(request(path, HOST, `Authorization: Bearer ${key}`).repeat(3));
      if (i % 3 === 0) await new Promise(setImmediate);
      wire.socket.resetAndDestroy();
    }
  });

  // As many as a client may send ahead, with answers of 180 KB each.
  test('is not worked for without end when it does not read its answers', async () => {
    const wire = await connected();
    wire.socket.pause();
    const asked = 110;
    wire.send(request(LARGE).repeat(asked));
    const made = (): number => events.filter((event) => event.kind === 'request' && event.status === 200).length;
    await vi.waitFor(() => expect(made()).toBeGreaterThan(0));
    // Others are answered meanwhile.
    for (let i = 0; i < 20; i++) expect((await fetch(`${server.url}/nothing`)).status).toBe(404);
    // What the buffers of the system take, and as many again as may be in the making.
    expect(made()).toBeLessThan(3 * SERVER_LIMITS.pipelined);
    expect(made()).toBeLessThan(asked / 2);

    wire.socket.resume();
    for (let i = 0; i < 2 * SERVER_LIMITS.pipelined; i++) {
      const { status, body } = answered(await wire.reply());
      expect([status, body.length > 100_000]).toEqual([200, true]);
    }
  });

  test('neither fills the memory nor keeps others waiting when it sends requests without end', async () => {
    const wire = await connected();
    wire.socket.pause();
    wire.socket.on('error', () => {});
    const before = events.length;
    for (let i = 0; i < 100 && !wire.socket.destroyed; i++) {
      wire.send(request('/api/health', HOST).repeat(1000));
      await new Promise(setImmediate);
    }
    expect((await fetch(`${server.url}/api/health`)).status).toBe(200);
    expect(events.length - before).toBeLessThan(20_000);
    wire.socket.destroy();
    expect((await fetch(`${server.url}/api/health`)).status).toBe(200);
  });

  test('is cut off where it is too slow, by and by or silent', { timeout: 30_000 }, async () => {
    const started = performance.now();
    const patience = SERVER_LIMITS.headersTimeout + 5 * SERVER_LIMITS.checkingInterval;
    const [silent, slow, slowLater, slowBody] = [
      await connected(),
      await connected(),
      await connected(),
      await connected(),
    ];
    slow.send(`GET ${SEARCH} HTTP/1.1\r\n`);
    slowLater.send(request('/api/health'));
    expect(answered(await slowLater.reply()).status).toBe(200);
    slowLater.send(`GET ${SEARCH} HTTP/1.1\r\n`);
    slowBody.send(`${asking('POST', 'Content-Length: 1000')}a`);
    const trickle = setInterval(() => {
      for (const wire of [slow, slowLater, slowBody]) if (!wire.ended) wire.send('X');
    }, 500);
    try {
      expect(answered(await slowBody.reply()).status).toBe(405);
      for (const wire of [silent, slow, slowLater]) {
        const reply = await wire.reply('GET', patience - (performance.now() - started));
        if (reply !== 'closed') {
          expect(reply.status).toBe(408);
          expectError(reply, 'REQUEST_TIMEOUT');
        }
        await wire.closed();
      }
      expect(performance.now() - started).toBeGreaterThan(SERVER_LIMITS.headersTimeout - 500);
    } finally {
      clearInterval(trickle);
    }
  });
});

function connected(): Promise<Wire> {
  return Wire.open(server.port);
}

function expectRefused(reply: WireReply | 'closed'): void {
  if (reply === 'closed') return;
  expect(reply.status, reply.body).toBeGreaterThanOrEqual(400);
  expect(reply.status, reply.body).toBeLessThan(500);
}

function expectError({ body, headers }: WireReply, code: string): void {
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(JSON.parse(body)).toEqual({ success: false, error: { code, message: expect.stringMatching(/\S/) } });
}

/** What was answered was read to its end: the next request on the connection is understood. */
async function expectStillOpen(wire: Wire): Promise<void> {
  expect(wire.rest.length).toBe(0);
  expect(answered(await wire.send(request('/api/health')).reply()).status).toBe(200);
}
