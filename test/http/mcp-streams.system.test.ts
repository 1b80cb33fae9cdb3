import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createHandler, MCP_HTTP_LIMITS } from '../../src/http/index.js';
import { buildCatalogue, followCatalogue, type SkillSearch } from '../../src/index.js';
import { callTool, ERAS, newClient } from '../mcp/connect.js';
import { openWholeSkills, wholeRow } from '../mcp/whole-skills.js';
import { row } from '../rows.js';
import { closing, scratchFile } from '../scratch-folder.js';
import { replacing, searchOver } from './ask.js';
import { ACCEPTED, rpc, serveMcp, toolCall } from './mcp-serving.js';

const KITE = { id: 'kite', name: 'kite' };

afterEach(() => vi.restoreAllMocks());

test.each(ERAS)('a new load shows up without a restart, and clients of revision %s are told', async (era) => {
  const database = scratchFile('skills.db');
  const load = (...skills: Record<string, unknown>[]) =>
    buildCatalogue({ database, sources: [skills], semantic: false });
  await load(wholeRow(KITE));
  const search = closing(await followCatalogue({ database, interval: 20 }));
  const { connect, events } = await serveMcp(search);
  const client = await connect(era);
  const changed = vi.fn();
  client.setNotificationHandler('notifications/resources/list_changed', changed);
  if (era === '2026-07-28') await client.listen({ resourcesListChanged: true });
  else await vi.waitFor(() => expect(events).toContainEqual(expect.objectContaining({ method: 'GET', status: 200 })));
  await load(wholeRow(KITE), wholeRow({ id: 'boat', name: 'boat' }));
  await vi.waitFor(() => expect(changed).toHaveBeenCalled(), { timeout: 10_000 });
  expect((await callTool(client, 'search_skills', { query: 'boat' })).structured).toMatchObject({
    skills: [{ id: 'boat' }],
  });
});

/** Opens a stream as clients of a revision until 2025-11-25 do. */
async function openStream(url: string): Promise<{ response: Response; close: () => void }> {
  const gone = new AbortController();
  const response = await fetch(url, { headers: { Accept: 'text/event-stream' }, signal: gone.signal });
  return { response, close: () => gone.abort() };
}

describe('streams of notifications', () => {
  test('are as many as each client may have, and one that ends makes room', async () => {
    const { url, post, connect } = await serveMcp(await searchOver([row('kite')]));
    const all = await Promise.all(Array.from({ length: MCP_HTTP_LIMITS.streamsPerClient }, () => openStream(url)));
    expect(all.map(({ response }) => response.status)).toEqual(all.map(() => 200));
    const refused = await openStream(url);
    expect([refused.response.status, refused.response.headers.get('Retry-After')]).toEqual([503, '60']);
    expect(await refused.response.json()).toMatchObject({ error: { data: { code: 'BUSY' } } });
    const modern = await connect('2026-07-28');
    await expect(modern.listen({ resourcesListChanged: true })).rejects.toThrow();
    // Calls go on.
    expect((await post(rpc('tools/list'))).status).toBe(200);
    all[0]!.close();
    await vi.waitFor(async () => expect((await openStream(url)).response.status).toBe(200));
  });

  test('are as many as there may be in all', async () => {
    vi.spyOn(MCP_HTTP_LIMITS, 'streams', 'get').mockReturnValue(2);
    const { url } = await serveMcp(await searchOver([row('kite')]));
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) statuses.push((await openStream(url)).response.status);
    expect(statuses).toEqual([200, 200, 503, 503]);
  });

  test('show that they live', async () => {
    vi.spyOn(MCP_HTTP_LIMITS, 'keepAlive', 'get').mockReturnValue(10);
    const { url } = await serveMcp(await searchOver([row('kite')]));
    const { response } = await openStream(url);
    expect(response.headers.get('Content-Type')).toBe('text/event-stream');
    expect(response.headers.get('X-Accel-Buffering')).toBe('no');
    const reader = response.body!.getReader();
    let text = '';
    while (!text.includes(': keepalive\n\n: keepalive\n\n'))
      text += Buffer.from((await reader.read()).value!).toString();
    expect(text).toMatch(/^: listening\n\n/);
    await reader.cancel();
  });

  test.each(ERAS)('end when the server stops, in revision %s, and keep it from nothing', async (era) => {
    const { server, url } = await serveMcp(await searchOver([row('kite')]));
    const ended: Promise<unknown>[] = [];
    if (era === '2026-07-28') {
      const client = newClient(era);
      await client.connect(new StreamableHTTPClientTransport(new URL(url)));
      const subscription = await client.listen({ resourcesListChanged: true });
      ended.push(subscription.closed);
      onTestFinished(() => client.close());
    } else ended.push((await openStream(url)).response.text());
    // With the usual grace: a stream that went on would take all of it.
    const started = performance.now();
    await server.close(60_000);
    await Promise.all(ended);
    expect(performance.now() - started).toBeLessThan(30_000);
  });

  test('of a handler end when nobody reads them', async () => {
    vi.spyOn(MCP_HTTP_LIMITS, 'streams', 'get').mockReturnValue(1);
    const handle = createHandler(await searchOver([row('kite')]), { mcp: true });
    const open = (): Promise<Response> =>
      handle(new Request('http://localhost/mcp', { headers: { Accept: 'text/event-stream' } }));
    const first = await open();
    expect([first.status, (await open()).status]).toEqual([200, 503]);
    await first.body!.cancel();
    expect((await open()).status).toBe(200);
  });
});

describe('calls in flight', () => {
  test('are cancelled when their clients go, and give back the quota', async () => {
    const real = await searchOver([row('kite')]);
    const signals: AbortSignal[] = [];
    const semantic: SkillSearch['semantic'] = (_, { signal } = {}) => {
      signals.push(signal!);
      return new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason as Error)));
    };
    const search = replacing(real, { semantic });
    const { post, access, events } = await serveMcp(search, { quotas: { anonymous: { daily: 9, perMinute: 0 } } });
    for (const headers of [{}, { 'MCP-Protocol-Version': '2025-11-25' }]) {
      const gone = new AbortController();
      const before = signals.length;
      const asked = post(toolCall('search_skills', { query: 'kite' }), headers, gone.signal);
      await vi.waitFor(() => expect(signals.length).toBeGreaterThan(before));
      gone.abort();
      await expect(asked).rejects.toThrow();
      await vi.waitFor(() => expect(signals.at(-1)!.aborted).toBe(true));
    }
    await vi.waitFor(() => expect(events.map((event) => event.kind === 'request' && event.status)).toEqual([499, 499]));
    expect(access.admit(access.identify(undefined, '127.0.0.1')).dailyRemaining).toBe(8);
  });

  test('that waited too long for their turn are refused as an error of the tool', async () => {
    const real = await openWholeSkills([KITE]);
    const semantic: SkillSearch['semantic'] = (...given) => {
      for (const end = performance.now() + 30; performance.now() < end; );
      return real.semantic(...given);
    };
    const { post, events } = await serveMcp(replacing(real, { semantic }), { longestWait: 0.1 });
    const all = await Promise.all(Array.from({ length: 20 }, () => post(toolCall('search_skills', { query: 'kite' }))));
    const busy = all.filter(({ headers }) => headers.get('Retry-After') === '1');
    expect(busy.length).toBeGreaterThan(0);
    expect(busy.length).toBeLessThan(20);
    for (const { text } of busy) expect(text).toContain('too many requests wait; try again in 1 s');
    expect(events.filter((event) => event.kind === 'request' && event.code === 'BUSY')).toHaveLength(busy.length);
  });
});

test('of a request the log has method and tool, and nothing that was asked', async () => {
  const { post, events } = await serveMcp(await openWholeSkills([KITE]));
  await post(toolCall('search_skills', { query: 'mysecretquestion' }));
  await post(toolCall('my secret tool\n', {}));
  await post(rpc('my\nsecret method'));
  expect(events.map((event) => event.kind === 'request' && event.operation)).toEqual([
    'tools/call search_skills',
    'tools/call ?',
    '?',
  ]);
  expect(JSON.stringify(events)).not.toContain('secret');
});

test('the specification is served the same with MCP and without, and MCP only where it is asked for', async () => {
  const search = await searchOver([row('kite')]);
  const [plain, more] = [createHandler(search, { pages: true }), createHandler(search, { pages: true, mcp: true })];
  const asked = ['/api/v1/skills/search?q=kite', '/api/v1/skills/ai-search?q=kite', '/api/health', '/', '/x'];
  const told = async (handle: typeof plain, path: string) => {
    const response = await handle(new Request(`http://skills.test${path}`));
    const headers = [...response.headers].filter(([name]) => !/^x-(?:request-id|ratelimit)/.test(name));
    return [response.status, headers, (await response.text()).replace(/"meta":\{[^}]*\}/, '')];
  };
  for (const path of asked) expect(await told(more, path)).toEqual(await told(plain, path));
  const described = async (handle: typeof plain) => {
    const response = await handle(new Request('http://skills.test/openapi.json'));
    const { '/mcp': mcp, ...others } = ((await response.json()) as { paths: Record<string, unknown> }).paths;
    return { mcp, others };
  };
  const [extended, specified] = [await described(more), await described(plain)];
  expect(extended.others).toEqual(specified.others);
  expect([specified.mcp, extended.mcp === undefined]).toEqual([undefined, false]);
  const body = JSON.stringify(rpc('ping'));
  const mcp = new Request('http://localhost/mcp', { method: 'POST', headers: ACCEPTED, body });
  expect((await plain(mcp.clone())).status).toBe(404);
  expect((await more(mcp)).status).toBe(200);
});
