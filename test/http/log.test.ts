import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { openServerMetrics, type RequestEvent, startMetricsServer } from '../../src/http/index.js';
import { openSkillSearch, SkillSearchError } from '../../src/index.js';
import { codeOf } from '../error-code.js';
import { row } from '../rows.js';
import { closing } from '../scratch-folder.js';
import { FIND, failingSearch, HEALTH, KEYWORD, keyword, running, SEMANTIC, semantic, serve } from './ask.js';
import { exactly, faultsOf, fields, filledText, type Shape } from './shapes.js';

const SKILLS = [row('kite')];
const UNKNOWN_KEY = `sk_live_${'A'.repeat(43)}`;

const milliseconds: Shape = (value, at) => (typeof value === 'number' && value >= 0 ? [] : [`${at} is no time`]);

describe('a request', () => {
  test('is one event, with its id, method, path, status, code, time and client', async () => {
    const { ask, access, key, events } = await serve(SKILLS, { pages: true, compatibility: 'skillsmp' });
    const slow = access.createKey({ perMinute: 1 }).key;
    const few = access.createKey({ daily: 1 }).key;
    const address = '192.0.2.77';
    const requests: [path: string, how: Parameters<typeof ask>[1], expected: Partial<RequestEvent>][] = [
      [keyword({ q: 'kite' }), {}, { path: KEYWORD, status: 200, client: '192.0.2.0' }],
      [keyword({ q: 'kite' }), { method: 'HEAD' }, { method: 'HEAD', status: 200 }],
      [keyword({ q: 'kite' }), { key }, { status: 200, client: 'key:1' }],
      [semantic('kite'), { key: few }, { path: SEMANTIC, status: 200, client: 'key:3' }],
      [semantic('kite'), { key: few }, { status: 429, code: 'DAILY_QUOTA_EXCEEDED', client: 'key:3' }],
      [keyword({ q: 'kite' }), { key: slow }, { status: 200, client: 'key:2' }],
      [keyword({ q: 'kite' }), { key: slow }, { status: 429, code: 'RATE_LIMIT_EXCEEDED', client: 'key:2' }],
      [KEYWORD, {}, { status: 400, code: 'MISSING_QUERY' }],
      [keyword({ q: '!' }), {}, { status: 400, code: 'INVALID_QUERY' }],
      [keyword({ q: 'kite', page: 0 }), {}, { status: 400, code: 'INVALID_PARAMETER' }],
      [semantic('kite'), {}, { status: 401, code: 'MISSING_API_KEY', client: '192.0.2.0' }],
      [semantic('kite'), { key: UNKNOWN_KEY }, { status: 401, code: 'INVALID_API_KEY', client: '192.0.2.0' }],
      ['/nowhere', {}, { path: '/nowhere', status: 404, code: 'ENDPOINT_NOT_FOUND' }],
      [KEYWORD, { method: 'POST' }, { method: 'POST', status: 405, code: 'METHOD_NOT_ALLOWED' }],
      [KEYWORD, { method: 'OPTIONS' }, { method: 'OPTIONS', status: 204 }],
      [HEALTH, {}, { path: HEALTH, status: 200 }],
      [`${FIND}?q=kite`, {}, { path: FIND, status: 200 }],
      ['/skills/kite', {}, { path: '/skills/kite', status: 200 }],
    ];
    for (const [path, how, expected] of requests) {
      events.length = 0;
      const reply = await ask(path, { ...how, address });
      expect(events).toHaveLength(1);
      const [event] = events;
      expect(event).toMatchObject({ method: 'GET', path: path.split('?')[0], ...expected });
      expect(
        faultsOf(
          fields({
            kind: exactly('request'),
            requestId: exactly(reply.headers.get('X-Request-Id')),
            method: filledText,
            path: filledText,
            status: exactly(reply.status),
            ...(reply.status >= 400 ? { code: filledText } : {}),
            milliseconds,
            client: filledText,
          }),
          event,
        ),
      ).toEqual([]);
    }
  });

  test('whose client left is no failure', async () => {
    const { ask, key, events } = await serve(SKILLS);
    await ask(semantic('kite'), { key, signal: AbortSignal.abort() });
    expect(events).toMatchObject([{ kind: 'request', path: SEMANTIC, status: 499 }]);
  });

  test.each([
    UNKNOWN_KEY,
    UNKNOWN_KEY.slice(0, 20),
    UNKNOWN_KEY.replaceAll('_', '%5F'),
    UNKNOWN_KEY.replace('sk_', '%73K%5f'),
  ])('has no key where a client puts it into a path or an id: %s', async (sent) => {
    const { ask, handle, events } = await serve(SKILLS, { trustProxy: 1, mcp: true });
    await ask(`/nowhere/${sent}/there`);
    await ask(`/${'a'.repeat(180)}${sent}`);
    await ask(HEALTH, { headers: { 'X-Request-Id': decodeURIComponent(sent) }, address: '10.0.0.1' });
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: sent } });
    const headers = { Host: 'localhost', 'Content-Type': 'application/json' };
    await handle(new Request('http://localhost/mcp', { method: 'POST', headers, body }));
    expect(events).toHaveLength(4);
    expect(events[0]).toMatchObject({ path: '/nowhere/sk_live_***/there' });
    expect(JSON.stringify(events)).not.toMatch(/AAA/);
  });

  test('leaves no key, no question and no full address', async () => {
    const { ask, key, access, events } = await serve(SKILLS, {
      trustProxy: 1,
      pages: true,
      compatibility: 'skillsmp',
    });
    const revoked = access.createKey({ name: 'secretname' }).key;
    access.revokeKey(revoked);
    const question = 'hushhush';
    const clients: [address: string, forwarded?: string][] = [
      ['203.0.113.77'],
      ['10.11.12.13', '198.51.100.99, 203.0.113.78'],
      ['2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff'],
      ['::ffff:203.0.113.79'],
      ['fe80::1234:5678:9abc:def0%eth7'],
    ];
    for (const [address, forwarded] of clients) {
      const headers = forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded };
      for (const one of [undefined, key, revoked, UNKNOWN_KEY]) {
        for (const path of [KEYWORD, SEMANTIC, FIND, HEALTH, '/', '/nowhere']) {
          for (const query of [
            `q=${question}`,
            `q=${question}!!&page=0`,
            `q=${question}&q=${question}`,
            `owner=${question}&limit=${question}`,
          ]) {
            await ask(`${path}?${query}`, { key: one, address, headers });
          }
        }
      }
    }
    expect(events).toHaveLength(clients.length * 4 * 6 * 4);
    // Ids and times are random digits, in which anything may stand.
    const logged = JSON.stringify(events.map((event) => ({ ...event, requestId: '', milliseconds: 0 })));
    for (const secret of [key.slice(8), revoked.slice(8), UNKNOWN_KEY, 'AAAAAA', question, 'secretname']) {
      expect(logged.includes(secret), secret).toBe(false);
    }
    expect(/113\.7[789]|11\.12\.13|100\.99|bbbb|cccc|5678|def0|eth7/i.exec(logged)?.[0]).toBeUndefined();
    expect(new Set((events as RequestEvent[]).map(({ client }) => client))).toEqual(
      new Set(['203.0.113.0', '2001:db8:aaaa::', 'fe80:0:0::', 'key:1']),
    );
  });

  test.each([
    '/a%0A{"kind":"failure"}',
    '/a\n{"kind":"failure"}',
    '/%1b[2J%00',
    '/\u2028line\u2029',
    '/\u202eright-to-left',
    `/${'x'.repeat(5000)}`,
    '/api/v1/skills/search#fragment',
  ])('cannot make its event look like anything else by its path: %j', async (path) => {
    const { ask, events } = await serve(SKILLS);
    await ask(path);
    expect(events).toHaveLength(1);
    const [event] = events as RequestEvent[];
    expect(event?.path).toMatch(/^\/[\x20-\x7e]{0,199}…?$/);
    expect(Object.keys(event as RequestEvent)).toEqual(
      ['kind', 'requestId', 'method', 'path', 'status', 'code', 'milliseconds', 'client'].filter(
        (name) => name !== 'code' || event?.code !== undefined,
      ),
    );
  });
});

describe('a failure', () => {
  test.each<[string, unknown, number]>([
    ['not foreseen', new Error('secret of the cause', { cause: new Error('secret of its cause') }), 500],
    ['that is no error', 'secret of the cause', 500],
    ['that looks like one of ours', { code: 'MISSING_QUERY', message: 'secret of the cause' }, 500],
    ['that no search has', new SkillSearchError('SOURCE_NOT_FOUND', 'secret of the cause'), 500],
    [
      'of the database',
      new SkillSearchError('DATABASE_NOT_READABLE', 'secret of the cause', { path: 'secret.db' }),
      503,
    ],
    ['of the model', new SkillSearchError('MODEL_NOT_FOUND', 'secret of the cause'), 503],
    ['of a search that is closed', new SkillSearchError('SERVICE_UNAVAILABLE', 'secret of the cause'), 503],
  ])(
    '%s is logged with its cause under the id of the request, and nothing of it is answered',
    async (_, error, status) => {
      const { ask, key, events } = await serve(failingSearch(error));
      for (const path of [keyword({ q: 'kite' }), semantic('kite')]) {
        events.length = 0;
        const reply = await ask(path, { key });
        expect(reply.status).toBe(status);
        const requestId = reply.headers.get('X-Request-Id');
        expect(events).toEqual([
          { kind: 'failure', requestId, error },
          expect.objectContaining({ kind: 'request', requestId, status, code: reply.code }),
        ]);
        expect((events[0] as { error: unknown }).error).toBe(error);
        for (const told of [reply.text, ...reply.headers.values()]) expect(told).not.toContain('secret');
      }
    },
  );

  test('is logged without the keys that its error and what caused it repeat', async () => {
    const cause = Object.assign(new TypeError(`no ${UNKNOWN_KEY} here`), { path: `/a/${UNKNOWN_KEY}` });
    const { ask, events } = await serve(
      failingSearch(new SkillSearchError('SERVICE_UNAVAILABLE', UNKNOWN_KEY, { cause })),
    );
    await ask(HEALTH);
    const { error } = events[0] as { readonly error: SkillSearchError };
    expect(error).toBeInstanceOf(SkillSearchError);
    expect(error).toMatchObject({ message: 'sk_live_***', code: 'SERVICE_UNAVAILABLE' });
    expect(error.cause).toMatchObject({ message: 'no sk_live_*** here', path: '/a/sk_live_***' });
    expect(inspect(error)).not.toContain('AAA');
  });
});

const LOCAL = '127.0.0.1';

describe('metrics', () => {
  test('count requests by operation and status, whatever clients ask', async () => {
    await using search = await openSkillSearch({ skills: [row('alpha')] });
    const metrics = await openServerMetrics({ search: () => search });
    const server = await running(search, { pages: true, log: metrics.log });
    for (const path of ['search?q=alpha', 'search?q=alpha', 'search', 'secret-path']) {
      await fetch(`${server.url}/api/v1/skills/${path}`);
    }
    await fetch(`${server.url}/skills/alpha`);
    const text = await metrics.text();
    expect(linesOf(text, 'skill_discovery_requests_total{')).toEqual([
      'skill_discovery_requests_total{operation="keyword",status="200"} 2',
      'skill_discovery_requests_total{operation="keyword",status="400"} 1',
      'skill_discovery_requests_total{operation="other",status="404"} 1',
      'skill_discovery_requests_total{operation="page",status="200"} 1',
    ]);
    expect(linesOf(text, 'skill_discovery_request_duration_seconds_count')).toContain(
      'skill_discovery_request_duration_seconds_count{operation="keyword"} 3',
    );
    expect(text).not.toMatch(/secret-path|alpha/);
  });

  test('tell the catalogue, reloads, failures, what waits, and the memory of the process', async () => {
    await using search = await openSkillSearch({ skills: [row('a'), row('b')] });
    const server = await running(search);
    const metrics = await openServerMetrics({ search: () => search, server: () => server });
    metrics.onReload({ kind: 'failed', during: 'opening', error: new Error('no') });
    metrics.log({ kind: 'failure', requestId: 'x', error: new Error('no') });
    const text = await metrics.text();
    expect(linesOf(text, 'skill_discovery_catalogue_skills')).toEqual(['skill_discovery_catalogue_skills 2']);
    expect(linesOf(text, 'skill_discovery_reloads_total')).toEqual([
      'skill_discovery_reloads_total{result="reloaded"} 0',
      'skill_discovery_reloads_total{result="failed"} 1',
    ]);
    expect(linesOf(text, 'skill_discovery_failures_total')).toEqual(['skill_discovery_failures_total 1']);
    expect(linesOf(text, 'skill_discovery_waiting_requests')).toEqual(['skill_discovery_waiting_requests 0']);
    expect(linesOf(text, 'process_resident_memory_bytes')).toHaveLength(1);
  });

  test('are served at one path of a port of their own, to be read only', async () => {
    const metrics = await openServerMetrics();
    const served = closing(await startMetricsServer(metrics, LOCAL, 0));
    const url = `http://${LOCAL}:${served.port}`;
    const answer = await fetch(`${url}/metrics`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    expect(await answer.text()).toContain('# TYPE skill_discovery_requests_total counter');
    expect((await fetch(`${url}/`)).status).toBe(404);
    expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(405);
    expect(await codeOf(() => startMetricsServer(metrics, LOCAL, served.port))).toBe('ADDRESS_NOT_AVAILABLE');
  });
});

function linesOf(text: string, name: string): string[] {
  return text.split('\n').filter((line) => line.startsWith(name));
}
