import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { AccessOptions } from '../../src/access/index.js';
import { MCP_HTTP_LIMITS, SERVER_LIMITS } from '../../src/http/index.js';
import { openSkillSearch, type SkillSearch, SkillSearchError } from '../../src/index.js';
import { callTool, ERAS } from '../mcp/connect.js';
import { openWholeSkills, wholeRow } from '../mcp/whole-skills.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { failingSearch, KEYWORD } from './ask.js';
import { type McpServing, type Posted, rpc, serveMcp, toldBy, toolCall } from './mcp-serving.js';
import { answered, Wire } from './wire.js';

describe('mcp bodies', () => {
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
      ['several messages', `[${PING},${PING}]`, 400, -32600],
      ['deep nesting', '['.repeat(50_000), 400, -32700],
    ])('with %s is a fault of the protocol', async (_, body, status, code) => {
      const { post } = await serveMcp(search);
      expect(tellsOf(await post(body))).toEqual([status, code, undefined]);
    });

    test.each(['text/plain', 'application/json-patch+json'])('of another type is 415: %s', async (type) => {
      const { post } = await serveMcp(search);
      expect(tellsOf(await post(PING, { 'Content-Type': type }))).toEqual([415, -32000, 'UNSUPPORTED_MEDIA_TYPE']);
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
      expect([ended.status, await ended.json()]).toMatchObject([
        404,
        { error: { data: { code: 'SESSION_NOT_FOUND' } } },
      ]);
    });
  });

  function head(...headers: readonly string[]): string {
    const all = ['Host: localhost', 'Content-Type: application/json', 'Accept: application/json, text/event-stream'];
    return `POST /mcp HTTP/1.1\r\n${[...all, ...headers].map((line) => `${line}\r\n`).join('')}\r\n`;
  }

  function tellsOf({ status, message }: Posted): [status: number, rpcCode?: number, code?: string] {
    return [status, message.error?.code, message.error?.data?.code] as [number, number, string];
  }
});

describe('mcp quotas', () => {
  let search: SkillSearch;

  beforeAll(async () => {
    const skills = [wholeRow({ id: 'kite', name: 'kite' }), wholeRow({ id: 'boat', name: 'boat' })];
    search = await openSkillSearch({ skills, embedder: new StandInEmbedder() });
  });
  afterAll(() => search.close());

  const SEARCH = { query: 'kite' };

  /** A server on which addresses have these quotas. */
  function counted(anonymous: AccessOptions['anonymous'], more: Partial<AccessOptions> = {}): Promise<McpServing> {
    return serveMcp(search, { quotas: { anonymous, ...more } });
  }

  /** What is left of the day, as a search over HTTP is told; that search is given back. */
  function leftOf({ access }: McpServing): number {
    const admission = access.admit(access.identify(undefined, '127.0.0.1'));
    admission.giveBack();
    return admission.dailyRemaining + 1;
  }

  describe('a call over MCP', () => {
    test('is one request of the day where it searches, and none where it does not', async () => {
      const serving = await counted({ daily: 20, perMinute: 0 });
      for (const era of ERAS) {
        const client = await serving.connect(era);
        const before = leftOf(serving);
        await client.listTools();
        await client.listResources();
        await client.readResource({ uri: 'skill://kite/kite/SKILL.md' });
        await callTool(client, 'get_skill', { skill: 'kite' });
        await callTool(client, 'read_skill_file', { skill: 'kite', path: 'SKILL.md' });
        await callTool(client, 'list_categories');
        expect(leftOf(serving)).toBe(before);
        for (const by of ['both', 'words']) await callTool(client, 'search_skills', { ...SEARCH, by });
        expect(leftOf(serving)).toBe(before - 2);
      }
    });

    test('shares the quota with searches over the specification, and has its headers', async () => {
      const serving = await counted({ daily: 3, perMinute: 0 });
      const first = await serving.post(toolCall('search_skills', SEARCH));
      expect(quotaOf(first)).toEqual(['3', '2']);
      const http = await fetch(`${serving.server.url}${KEYWORD}?q=kite`);
      expect(quotaOf(http)).toEqual(['3', '1']);
      expect(quotaOf(await serving.post(toolCall('search_skills', SEARCH)))).toEqual(['3', '0']);
      expect(quotaOf(await serving.post(rpc('tools/list')))).toEqual([null, null]);
      expect((await fetch(`${serving.server.url}${KEYWORD}?q=kite`)).status).toBe(429);
    });

    test('counts for the minute, whatever it asks, and beyond it is told when to come again', async () => {
      let now = Date.UTC(2026, 4, 1, 12);
      const serving = await counted({ daily: 0, perMinute: 4 }, { now: () => now });
      const asked = [
        rpc('tools/list'),
        rpc('ping'),
        toolCall('get_skill', { skill: 'kite' }),
        toolCall('search_skills', SEARCH),
      ];
      for (const message of asked) expect((await serving.post(message)).status).toBe(200);
      now += 15_000;

      const list = rpc('tools/list');
      const refused = await serving.post(list);
      expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '45']);
      expect(refused.headers.get('X-RateLimit-Minute-Limit')).toBe('4');
      expect(refused.headers.get('X-RateLimit-Minute-Remaining')).toBe('0');
      expect(refused.message).toMatchObject({
        id: list['id'],
        error: { code: -32000, data: { code: 'RATE_LIMIT_EXCEEDED', retryAfter: 45 } },
      });
      for (const name of ['get_skill', 'search_skills', 'list_categories']) {
        const told = await serving.post(toolCall(name, { skill: 'kite', query: 'kite' }));
        expect([told.status, told.headers.get('Retry-After')]).toEqual([200, '45']);
        expect(toldBy(told)).toEqual({
          text: 'more than 4 requests within a minute: try again in 45 s. Wait that long, then call again.',
          isError: true,
        });
      }
      expect(serving.events.slice(-2)).toMatchObject([
        { status: 200, code: 'RATE_LIMIT_EXCEEDED', operation: 'tools/call search_skills' },
        { status: 200, code: 'RATE_LIMIT_EXCEEDED', operation: 'tools/call list_categories' },
      ]);
      now += 45_000;
      expect((await serving.post(rpc('tools/list'))).status).toBe(200);
    });

    test('that searches beyond the day is told so as an error of the tool, and other calls go on', async () => {
      const serving = await counted({ daily: 1, perMinute: 0 });
      for (const era of ERAS) {
        const client = await serving.connect(era);
        if (era === ERAS[0]) expect((await callTool(client, 'search_skills', SEARCH)).isError).toBe(false);
        const refused = await callTool(client, 'search_skills', SEARCH);
        expect(refused.isError).toBe(true);
        expect(refused.text).toContain('the 1 requests of this day are used up; the next day begins at 00:00 UTC');
        expect((await callTool(client, 'get_skill', { skill: 'kite' })).isError).toBe(false);
      }
      expect((await fetch(`${serving.server.url}${KEYWORD}?q=kite`)).status).toBe(429);
    });

    test.each([
      ['a query that is missing', {}],
      ['a query without a letter', { query: '!' }],
      ['a wrong argument', { ...SEARCH, limit: -1 }],
      ['meaning alone without a key', { ...SEARCH, by: 'meaning' }],
    ])('gives its request of the day back for %s', async (_, args) => {
      const serving = await counted({ daily: 5, perMinute: 0 });
      const posted = await serving.post(toolCall('search_skills', args));
      expect(posted.message.error !== undefined || toldBy(posted).isError).toBe(true);
      expect(quotaOf(posted)).toEqual([null, null]);
      expect(leftOf(serving)).toBe(5);
    });

    test('gives its request back where the search fails, and says nothing of the cause', async () => {
      const broken = new SkillSearchError('DATABASE_NOT_READABLE', 'cannot read /secret/skills.db', {
        path: '/secret',
      });
      const failing = Object.assign(failingSearch(broken), { isComplete: () => false });
      const serving = await serveMcp(failing, { quotas: { anonymous: { daily: 5, perMinute: 0 } } });
      const told = toldBy(await serving.post(toolCall('search_skills', SEARCH)));
      expect(told).toEqual({ text: expect.stringContaining('the database cannot answer'), isError: true });
      expect(told.text).not.toContain('secret');
      expect(leftOf(serving)).toBe(5);
      expect(serving.events).toContainEqual(expect.objectContaining({ kind: 'failure', error: broken }));
    });

    test('counts for the minute where it cannot be read, and is told of the limit first', async () => {
      const serving = await counted({ daily: 0, perMinute: 5 });
      const big = 'x'.repeat(2 * 1024 * 1024);
      const faulty: [body: string, status: number][] = [
        ['{', 400],
        ['3', 400],
        ['[]', 400],
        [big, 413],
        ['{}', 400],
      ];
      for (const [body, status] of faulty) expect((await serving.post(body)).status).toBe(status);
      for (const [body] of faulty) expect((await serving.post(body)).status).toBe(429);
    });

    test('counts neither notifications nor what has no body', async () => {
      const serving = await counted({ daily: 1, perMinute: 1 });
      for (let i = 0; i < 5; i++) {
        expect((await serving.post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
        expect((await fetch(serving.url, { method: 'DELETE' })).status).toBe(404);
      }
      expect((await serving.post(rpc('tools/list'))).status).toBe(200);
    });
  });

  describe('a key', () => {
    test('lets its client search by meaning; without one there are words only, and the answer says so', async () => {
      const serving = await serveMcp(search);
      for (const era of ERAS) {
        const [withKey, without] = [await serving.connect(era, serving.key), await serving.connect(era)];
        expect((await callTool(withKey, 'search_skills', SEARCH)).structured).toMatchObject({ by: 'both' });
        const meaning = await callTool(withKey, 'search_skills', { ...SEARCH, by: 'meaning' });
        expect(meaning.structured).toMatchObject({ by: 'meaning' });
        const words = await callTool(without, 'search_skills', SEARCH);
        expect(words.structured).toMatchObject({ by: 'words', skills: [{ id: 'kite' }] });
        expect(words.text).toContain('Searched by words only: searching by meaning needs an API key of this server');
        const refused = await callTool(without, 'search_skills', { ...SEARCH, by: 'meaning' });
        expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('needs an API key')]);
      }
    });

    test('has the quota of its own', async () => {
      const serving = await counted({ daily: 1, perMinute: 0 }, { key: { daily: 7 } });
      const header = { Authorization: `Bearer ${serving.key}` };
      expect(quotaOf(await serving.post(toolCall('search_skills', SEARCH), header))).toEqual(['7', '6']);
      expect(serving.events.at(-1)).toMatchObject({ client: 'key:1' });
      expect(leftOf(serving)).toBe(1);
    });

    test.each(['POST', 'GET'])('that is not accepted is 401, with %s', async (method) => {
      const { url } = await serveMcp(search);
      for (const Authorization of ['Bearer sk_live_wrong', 'Basic eDp5', '']) {
        const response = await fetch(url, {
          method,
          headers: { Authorization, 'Content-Type': 'application/json', Accept: 'text/event-stream' },
          ...(method === 'POST' ? { body: JSON.stringify(rpc('tools/list')) } : {}),
        });
        expect([response.status, response.headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer']);
        expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { data: { code: 'INVALID_API_KEY' } } });
      }
    });
  });

  function quotaOf({ headers }: Posted | Response): [string | null, string | null] {
    return [headers.get('X-RateLimit-Daily-Limit'), headers.get('X-RateLimit-Daily-Remaining')];
  }
});
