import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccessOptions } from '../../src/access/index.js';
import { openSkillSearch, type SkillSearch, SkillSearchError } from '../../src/index.js';
import { callTool, ERAS } from '../mcp/connect.js';
import { wholeRow } from '../mcp/whole-skills.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { failingSearch, KEYWORD, SEMANTIC } from './ask.js';
import { type McpServing, type Posted, rpc, serveMcp, toldBy, toolCall } from './mcp-serving.js';

let search: SkillSearch;

beforeAll(async () => {
  const skills = [wholeRow({ id: 'kite', name: 'kite' }), wholeRow({ id: 'boat', name: 'boat' })];
  search = await openSkillSearch({ skills, embedder: new StandInEmbedder() });
});
afterAll(() => search.close());

const SEARCH = { query: 'kite' };
const HOUR = 3_600_000;

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
    const broken = new SkillSearchError('DATABASE_NOT_READABLE', 'cannot read /secret/skills.db', { path: '/secret' });
    const failing = Object.assign(failingSearch(broken), { isComplete: () => false });
    const serving = await serveMcp(failing, { quotas: { anonymous: { daily: 5, perMinute: 0 } } });
    const told = toldBy(await serving.post(toolCall('search_skills', SEARCH)));
    expect(told).toEqual({ text: expect.stringContaining('the database cannot answer'), isError: true });
    expect(told.text).not.toContain('secret');
    expect(leftOf(serving)).toBe(5);
    expect(serving.events).toContainEqual(expect.objectContaining({ kind: 'failure', error: broken }));
  });

  test('counts in a batch as if it came alone, for the minute and for the day', async () => {
    const serving = await counted({ daily: 3, perMinute: 6 });
    const search = (): Record<string, unknown> => toolCall('search_skills', SEARCH);
    const first = await serving.post([search(), rpc('tools/list'), search()]);
    expect([first.status, first.text.match(/"result"/g)?.length]).toEqual([200, 3]);
    expect(quotaOf(first)).toEqual(['3', '1']);
    const second = await serving.post([search(), search(), rpc('ping'), rpc('ping')]);
    const told = [...second.text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json!));
    expect(told.map(({ error, result }) => error?.data.code ?? result.isError ?? 'answered')).toEqual([
      'answered',
      true,
      'answered',
      'RATE_LIMIT_EXCEEDED',
    ]);
    expect(told[1].result.content[0].text).toContain('the 3 requests of this day are used up');
    expect(second.headers.get('Retry-After')).not.toBeNull();
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

  test('is not needed where nobody is asked for one', async () => {
    const { startServer } = await import('../../src/http/index.js');
    const server = await startServer(search, { port: 0, mcp: true, access: false });
    const response = await fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: JSON.stringify(toolCall('search_skills', { ...SEARCH, by: 'meaning' })),
    });
    expect(await response.text()).toContain('"by":"meaning"');
    expect((await fetch(`${server.url}${SEMANTIC}?q=kite`)).status).toBe(200);
    await server.close(0);
  });
});

test('a day that ends makes searches possible again', async () => {
  let now = Date.UTC(2026, 4, 1, 23);
  const serving = await counted({ daily: 1, perMinute: 0 }, { now: () => now });
  await serving.post(toolCall('search_skills', SEARCH));
  const refused = await serving.post(toolCall('search_skills', SEARCH));
  expect(refused.headers.get('Retry-After')).toBe('3600');
  now += HOUR;
  expect(toldBy(await serving.post(toolCall('search_skills', SEARCH))).isError).toBe(false);
});

function quotaOf({ headers }: Posted | Response): [string | null, string | null] {
  return [headers.get('X-RateLimit-Daily-Limit'), headers.get('X-RateLimit-Daily-Remaining')];
}
