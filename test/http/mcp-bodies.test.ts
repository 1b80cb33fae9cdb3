import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { MCP_HTTP_LIMITS, SERVER_LIMITS } from '../../src/http/index.js';
import type { SkillSearch } from '../../src/index.js';
import { openWholeSkills } from '../mcp/whole-skills.js';
import { type Posted, rpc, serveMcp, toldBy, toolCall } from './mcp-serving.js';
import { Wire, type WireReply } from './wire.js';

let search: SkillSearch;
beforeAll(async () => {
  search = await openWholeSkills([{ id: 'kite', name: 'kite' }]);
});
afterAll(() => search.close());
afterEach(() => vi.restoreAllMocks());

const PING = JSON.stringify(rpc('ping'));
/** A search whose body has a length of its own. */
const padded = (bytes: number): string => {
  const text = JSON.stringify(toolCall('search_skills', { query: 'kite' }));
  return text + ' '.repeat(bytes - text.length);
};

describe('a body', () => {
  test('has at most 64 KiB', async () => {
    const { post } = await serveMcp(search);
    expect(toldBy(await post(padded(MCP_HTTP_LIMITS.bodyBytes))).isError).toBe(false);
    expect(tellsOf(await post(padded(MCP_HTTP_LIMITS.bodyBytes + 1)))).toEqual([413, -32000, 'BODY_TOO_LARGE']);
  });

  test('of 10 MB is refused, whole or in pieces, and its connection goes on', async () => {
    const { post, server } = await serveMcp(search);
    const big = JSON.stringify(toolCall('search_skills', { query: 'x'.repeat(10_000_000) }));
    expect(tellsOf(await post(big))).toEqual([413, -32000, 'BODY_TOO_LARGE']);
    const wire = await Wire.open(server.port);
    wire.send(`${head('Transfer-Encoding: chunked')}${big.length.toString(16)}\r\n${big}\r\n0\r\n\r\n`);
    expect(answered(await wire.reply()).status).toBe(413);
    wire.send(head(`Content-Length: ${PING.length}`) + PING);
    expect(answered(await wire.reply()).status).toBe(200);
  });

  test('that says that it is longer than what would be thrown away is not read at all', async () => {
    const { server } = await serveMcp(search);
    const wire = await Wire.open(server.port);
    const reply = answered(await wire.send(head(`Content-Length: ${MCP_HTTP_LIMITS.skippedBytes + 1}`)).reply());
    expect([reply.status, reply.headers.get('connection')]).toEqual([413, 'close']);
  });

  test('that does not end is given up beyond what is thrown away', async () => {
    const { server } = await serveMcp(search);
    const wire = await Wire.open(server.port);
    const megabyte = `100000\r\n${'x'.repeat(2 ** 20)}\r\n`;
    wire.send(head('Transfer-Encoding: chunked'));
    for (let i = 0; i <= MCP_HTTP_LIMITS.skippedBytes / 2 ** 20; i++) wire.send(megabyte);
    const reply = await wire.reply().catch(() => 'closed' as const);
    if (reply !== 'closed') expect([reply.status, reply.headers.get('connection')]).toEqual([413, 'close']);
    await wire.closed();
  });

  test('is asked for where its sender waits to be asked', async () => {
    const { server } = await serveMcp(search);
    const wire = await Wire.open(server.port);
    wire.send(head(`Content-Length: ${PING.length}`, 'Expect: 100-continue'));
    while (!wire.rest.includes('100 Continue')) await new Promise((resolve) => setTimeout(resolve, 5));
    const before = wire.rest.length;
    expect(before).toBe('HTTP/1.1 100 Continue\r\n\r\n'.length);
    wire.send(PING);
    expect(answered(await wire.reply()).status).toBe(100);
    expect(answered(await wire.reply()).status).toBe(200);
  });

  test('that comes too slowly is 408, and its connection closed', async () => {
    vi.spyOn(SERVER_LIMITS, 'headersTimeout', 'get').mockReturnValue(200);
    vi.spyOn(SERVER_LIMITS, 'requestTimeout', 'get').mockReturnValue(200);
    vi.spyOn(SERVER_LIMITS, 'checkingInterval', 'get').mockReturnValue(50);
    const { server, events } = await serveMcp(search);
    const wire = await Wire.open(server.port);
    wire.send(`${head('Content-Length: 1000')}{`);
    const trickle = setInterval(() => wire.send(' '), 20);
    try {
      const reply = answered(await wire.reply('POST'));
      expect([reply.status, reply.headers.get('connection')]).toEqual([408, 'close']);
      expect(JSON.parse(reply.body)).toMatchObject({ error: { data: { code: 'REQUEST_TIMEOUT' } } });
      await wire.closed();
      expect(events).toMatchObject([{ status: 408, code: 'REQUEST_TIMEOUT', path: '/mcp' }]);
    } finally {
      clearInterval(trickle);
    }
  });

  test('counts for eight times its size among what is held for all, and beyond the largest is cut', async () => {
    vi.spyOn(SERVER_LIMITS, 'heldBytes', 'get').mockReturnValue(2 ** 19);
    const { server, post } = await serveMcp(search);
    const begun = (bytes: number): string => head('Content-Length: 1000000') + ' '.repeat(bytes);
    const [large, small] = [await Wire.open(server.port), await Wire.open(server.port)];
    const room = 2 ** 19 - 2 * (MCP_HTTP_LIMITS.exchangeBytes + SERVER_LIMITS.requestBytes);
    const bytes = Math.floor(room / MCP_HTTP_LIMITS.bytesPerByte) - 3000;
    large.send(begun(bytes));
    small.send(begun(500));
    // Both have been read, and there is no room for another call.
    await fetch(`${server.url}/api/health`);
    expect([large.ended, small.ended]).toEqual([false, false]);
    expect((await post(PING)).status).toBe(200);
    await large.closed();
    expect(small.ended).toBe(false);
  });

  test('in malformed chunks is 400', async () => {
    const { server } = await serveMcp(search);
    const wire = await Wire.open(server.port);
    wire.send(`${head('Transfer-Encoding: chunked')}zz\r\n`);
    expect(answered(await wire.reply()).status).toBe(400);
    await wire.closed();
  });

  test('whose sender goes away within it is one line of the log, and nobody waits for the rest', async () => {
    const { server, events } = await serveMcp(search);
    const wire = await Wire.open(server.port);
    wire.send(`${head('Content-Length: 1000')}{`);
    // The server has read what came before.
    await fetch(`${server.url}/api/health`);
    wire.cut();
    await vi.waitFor(() => expect(events).toHaveLength(2));
    expect(events[1]).toMatchObject({ path: '/mcp', status: 400, code: 'MALFORMED_REQUEST' });
  });

  test.each([
    ['nothing', '', 400, -32700],
    ['ill-formed JSON', '{"jsonrpc":', 400, -32700],
    ['what is not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 400, -32700],
    ['a number', '3', 400, -32600],
    ['null', 'null', 400, -32600],
    ['an object that is no message', '{"id":1}', 400, -32600],
    ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32600],
    ['an empty batch', '[]', 400, -32600],
    ['deep nesting', '['.repeat(50_000), 400, -32700],
  ])('with %s is a fault of the protocol', async (_, body, status, code) => {
    const { post } = await serveMcp(search);
    expect(tellsOf(await post(body))).toEqual([status, code, undefined]);
  });

  test.each(['text/plain', 'application/json-patch+json', 'application/x-www-form-urlencoded', ''])(
    'of another type is 415: %s',
    async (type) => {
      const { post } = await serveMcp(search);
      expect(tellsOf(await post(PING, { 'Content-Type': type }))).toEqual([415, -32000, 'UNSUPPORTED_MEDIA_TYPE']);
    },
  );

  test('may name its characters', async () => {
    const { post } = await serveMcp(search);
    expect((await post(PING, { 'Content-Type': 'Application/JSON; charset=UTF-8' })).status).toBe(200);
  });
});

describe('a batch', () => {
  const batch = [rpc('ping'), rpc('tools/list')];

  test.each([undefined, '2025-03-26'])('is answered in revision %s', async (revision) => {
    const { post } = await serveMcp(search);
    const headers = revision === undefined ? {} : { 'MCP-Protocol-Version': revision };
    const { status, text } = await post(batch, headers);
    expect([status, text.match(/"result"/g)]).toEqual([200, ['"result"', '"result"']]);
  });

  test.each(['2025-06-18', '2025-11-25', '2026-07-28'])(
    'is refused in revision %s, which has none',
    async (revision) => {
      const { post } = await serveMcp(search);
      expect(tellsOf(await post(batch, { 'MCP-Protocol-Version': revision }))).toEqual([400, -32600, undefined]);
    },
  );

  test('has at most 16 messages', async () => {
    const { post } = await serveMcp(search);
    const many = Array.from({ length: MCP_HTTP_LIMITS.batch + 1 }, () => rpc('ping'));
    expect((await post(many.slice(1))).status).toBe(200);
    const refused = await post(many);
    expect(tellsOf(refused)).toEqual([400, -32600, undefined]);
    expect(refused.message.error?.message).toBe('a batch must have 1 to 16 messages, got 17');
  });

  test('gives others a turn between its messages', async () => {
    const { post } = await serveMcp(search);
    const seen: string[] = [];
    const keyword = search.keyword.bind(search);
    vi.spyOn(search, 'keyword').mockImplementation((asked) => {
      seen.push('search');
      setImmediate(() => seen.push('turn'));
      return keyword(asked);
    });
    await post(Array.from({ length: 4 }, () => toolCall('search_skills', { query: 'kite', by: 'words' })));
    expect(seen).toEqual(['search', 'turn', 'search', 'turn', 'search', 'turn', 'search', 'turn']);
  });

  test('is answered with as many bytes as it may have; beyond, each request is told so', async () => {
    const { post } = await serveMcp(search);
    const asked = Array.from({ length: 4 }, () => toolCall('list_categories'));
    const [{ length }] = [(await post(asked.slice(0, 1))).text];
    const bytes = vi.spyOn(MCP_HTTP_LIMITS, 'batchBytes', 'get');
    for (const [room, answers] of [
      [3 * length, 3],
      [3 * length - 1, 2],
    ] as const) {
      bytes.mockReturnValue(room);
      const told = messagesOf(await post([...asked, { jsonrpc: '2.0', method: 'notifications/initialized' }]));
      expect(told.map(({ id }) => id)).toEqual(asked.map(({ id }) => id));
      const codes = told.map(({ error }) => error?.data?.code);
      expect(codes.filter((code) => code === undefined)).toHaveLength(answers);
      expect(codes.slice(answers)).toEqual(Array.from({ length: 4 - answers }, () => 'BATCH_TOO_LARGE'));
    }
  });

  test('with what is no message, or with wrong parameters, is answered message by message', async () => {
    const { post } = await serveMcp(search);
    const posted = await post([3, rpc('ping'), rpc('resources/read'), { jsonrpc: '2.0', method: 'notifications/x' }]);
    expect(posted.status).toBe(200);
    expect(messagesOf(posted).map(({ error }) => error?.code)).toEqual([-32600, undefined, -32602]);
  });

  test('of notifications alone is 202', async () => {
    const { post } = await serveMcp(search);
    expect(await post([{ jsonrpc: '2.0', method: 'notifications/initialized' }])).toMatchObject({
      status: 202,
      text: '',
    });
  });

  test('must not ask for a stream', async () => {
    const { post } = await serveMcp(search);
    expect(tellsOf(await post([rpc('subscriptions/listen'), rpc('ping')]))).toEqual([400, -32600, undefined]);
  });
});

describe('a method', () => {
  test.each(['PUT', 'PATCH', 'HEAD', 'OPTIONS'])('%s is 405 with those that there are', async (method) => {
    const { url } = await serveMcp(search);
    const response = await fetch(url, { method });
    expect([response.status, response.headers.get('Allow')]).toEqual([405, 'POST, GET, DELETE']);
  });

  test('GET and DELETE belong to revisions with streams and sessions', async () => {
    const { url } = await serveMcp(search);
    const get = (headers: Record<string, string>): Promise<Response> => fetch(url, { headers });
    const modern = await get({ Accept: 'text/event-stream', 'MCP-Protocol-Version': '2026-07-28' });
    expect([modern.status, modern.headers.get('Allow')]).toEqual([405, 'POST']);
    expect((await get({ Accept: 'application/json' })).status).toBe(406);
    expect((await get({ Accept: 'text/event-stream', 'MCP-Protocol-Version': '1999-01-01' })).status).toBe(400);
    const ended = await fetch(url, { method: 'DELETE', headers: { 'Mcp-Session-Id': 'x' } });
    expect([ended.status, await ended.json()]).toMatchObject([404, { error: { data: { code: 'SESSION_NOT_FOUND' } } }]);
  });
});

function head(...headers: readonly string[]): string {
  const all = ['Host: localhost', 'Content-Type: application/json', 'Accept: application/json, text/event-stream'];
  return `POST /mcp HTTP/1.1\r\n${[...all, ...headers].map((line) => `${line}\r\n`).join('')}\r\n`;
}

/** The answers to a batch, an event each. */
function messagesOf({ text }: Posted): Posted['message'][] {
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json!));
}

function tellsOf({ status, message }: Posted): [status: number, rpcCode?: number, code?: string] {
  return [status, message.error?.code, message.error?.data?.code] as [number, number, string];
}

function answered(reply: WireReply | 'closed'): WireReply {
  if (reply === 'closed') throw new Error('the connection was closed instead of answered');
  return reply;
}
