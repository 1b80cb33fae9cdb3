import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { buildCatalogue } from '../../src/index.js';
import { catalogueOf, PDF_FORMS, skillMarkdown } from '../agents/install/skill-catalogue.js';
import { request, Wire } from '../http/wire.js';
import { callTool, ERAS, type Era, newClient } from '../mcp/connect.js';
import { type WholeSkill, wholeRow } from '../mcp/whole-skills.js';
import { projectWithout } from '../project-copy.js';
import { type Row, row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { linesOf } from './run-captured.js';
import { keepAsking, runProcess, SEARCH, type Serving, startRunning, startServing } from './run-process.js';

const SEMANTIC = '/api/v1/skills/ai-search?q=alpha';
const NO_LIMIT = ['--anonymous-daily', '0', '--anonymous-per-minute', '0', '--requests-per-second', '0'];

describe('serve', () => {
  test('serves the three operations at the address that it prints', async () => {
    const database = await catalogue([row('a', { description: 'alpha' })]);
    const server = await startServing(['--database', database]);
    expect(server.output().out).toBe(
      `Serving 1 skill at http://127.0.0.1:${server.port}, by word only: the catalogue has no vectors.\n`,
    );

    const found = await ask(server, SEARCH);
    expect([found.status, found.body]).toEqual([
      200,
      expect.objectContaining({
        data: expect.objectContaining({ skills: [expect.objectContaining({ id: 'a' })] }),
      }),
    ]);
    expect(found.headers.get('x-ratelimit-daily-limit')).toBe('50');
    expect(await codeAt(server, SEMANTIC)).toEqual([401, 'MISSING_API_KEY']);
    const health = await ask(server, '/api/health');
    expect([health.status, health.body]).toEqual([200, { status: 'ok' }]);
    expect((await fetch(`${server.url}/openapi.json`)).status).toBe(200);
    expect((await fetch(`${server.url}/skills/a`)).status).toBe(200);
    const warning = await server.heard('semantic search is not available');
    expect(warning).toMatchObject({ level: 'warn', reason: expect.stringContaining('no vectors') });
  });

  test('logs each request as a line of JSON on standard error, without key, question and full address', async () => {
    const server = await startServing(['--database', await catalogue(), '--log-level', 'info']);
    const key = `sk_live_${'k'.repeat(43)}`;
    await ask(server, '/api/v1/skills/search?q=mysecretquestion');
    await ask(server, SEARCH, key);
    await ask(server, `/${key}?x=mysecretquestion`.slice(0, 3));
    server.child.kill('SIGTERM');
    expect(await server.ended()).toBe(0);

    const requests = server.logged().filter(({ msg }) => msg === 'request');
    expect(requests).toEqual(
      [
        { path: '/api/v1/skills/search', status: 200 },
        { path: '/api/v1/skills/search', status: 401, code: 'INVALID_API_KEY' },
        { path: '/sk', status: 404, code: 'ENDPOINT_NOT_FOUND' },
      ].map((line) => ({
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        method: 'GET',
        client: '127.0.0.0',
        milliseconds: expect.any(Number),
        msg: 'request',
        ...line,
      })),
    );
    for (const secret of [key, 'mysecretquestion', '127.0.0.1']) expect(server.output().error).not.toContain(secret);
  });

  test('says what it means to listen everywhere', async () => {
    const server = await startServing(['--database', await catalogue(), '--host', '0.0.0.0', '--log-level', 'error']);
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    await vi.waitFor(() => expect(server.output().error).toMatch(/\n$/));
    const lines = linesOf(server.output().error);
    expect(lines).toEqual([expect.stringMatching(/other machines.*API keys can be read/)]);
    expect((await ask(server, SEARCH)).status).toBe(200);
  });

  test('takes keys that are made, and refuses those that are revoked, while it runs', async () => {
    const database = await catalogue();
    const server = await startServing(['--database', database]);
    const made = await runProcess(['keys', 'create', '--name', 'ci', '--daily', '7', '--database', database]);
    const key = made.out.trim();
    const known = await ask(server, SEARCH, key);
    expect([known.status, known.headers.get('x-ratelimit-daily-remaining')]).toEqual([200, '6']);
    expect(await codeAt(server, SEMANTIC, key)).toEqual([503, 'SERVICE_UNAVAILABLE']);

    const revoked = await runProcess(['keys', 'revoke', '1', '--database', database]);
    expect([revoked.status, revoked.out]).toEqual([0, 'Key 1 (ci) is revoked.\n']);
    expect(await codeAt(server, SEARCH, key)).toEqual([401, 'INVALID_API_KEY']);
    expect(await codeAt(server, SEMANTIC, key)).toEqual([401, 'INVALID_API_KEY']);
  });

  test('serves the specified paths only with --no-pages, and what clients of the other service need with --compat', async () => {
    const database = await catalogue();
    const server = await startServing(['--database', database, '--no-pages', '--compat', 'skillsmp']);
    for (const path of ['/', '/openapi.json', '/skills/a']) expect((await ask(server, path)).status).toBe(404);
    const { body } = await ask(server, SEARCH);
    expect(body).toMatchObject({
      data: { skills: [{ githubUrl: expect.any(String) }], pagination: { hasNext: false } },
    });
    expect((await ask(server, '/api/search?q=alpha')).body).toMatchObject({ query: 'alpha' });
  });

  test('believes a trusted proxy who the client is, and links to the public address', async () => {
    const words = ['--trust-proxy', 'loopback', '--public-url', 'https://skills.example/', '--anonymous-daily', '2'];
    const server = await startServing(['--database', await catalogue(), ...words]);
    const remaining = async (client: string): Promise<string | null> => {
      const response = await fetch(server.url + SEARCH, { headers: { 'X-Forwarded-For': client } });
      expect(await response.text()).toContain('"skillUrl":"https://skills.example/skills/a"');
      return response.headers.get('x-ratelimit-daily-remaining');
    };
    expect([await remaining('192.0.2.1'), await remaining('192.0.2.2'), await remaining('192.0.2.1')]).toEqual([
      '1',
      '1',
      '0',
    ]);
    expect(server.output().error).not.toMatch(/192\.0\.2\.[12]/);
  });
});

test('serve --demo prints three commands that do what they say, as they are', async ({ skip }) => {
  skip(!has('curl'), 'there is no curl here');
  const skills = [
    row('a', { description: 'release notes', categories: ['docs'], stars: 1 }),
    row('b', { description: 'release notes', categories: ['code'], stars: 2 }),
  ];
  const server = await startServing(['--database', await catalogue(skills), '--demo']);
  const commands = await demoOf(server);
  expect(commands).toHaveLength(3);
  const [words, filtered, meaning] = await Promise.all(
    commands.map(async (command) => JSON.parse((await promisify(execFile)('bash', ['-c', command])).stdout)),
  );
  expect(words).toMatchObject({ success: true, data: { pagination: { total: 2, limit: 20 } } });
  expect(filtered).toMatchObject({ success: true, data: { pagination: { total: 1, limit: 5 } } });
  expect(meaning).toMatchObject({ success: false, error: { code: 'SERVICE_UNAVAILABLE' } });
});

describe('a signal', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('ends the server with status 0: %s', async (signal) => {
    const server = await startServing(['--database', await catalogue()]);
    await server.heard('semantic search is not available');
    const idle = await Wire.open(server.port);
    expect(await idle.send(request('/api/health')).reply()).toMatchObject({ status: 200 });
    const from = performance.now();
    server.child.kill(signal);
    expect(await server.ended()).toBe(0);
    expect(performance.now() - from).toBeLessThan(3000);
    expect(await idle.reply()).toBe('closed');
    expect(server.logged().at(-1)).toMatchObject({ level: 'info', msg: 'stopping' });
  });

  test('ends the server within its grace time although a client hangs, and the second at once with status 1', async () => {
    const server = await startServing(['--database', await catalogue()]);
    const hanging = await Wire.open(server.port);
    hanging.send('GET /api/health HTTP/1.1\r\nHos');
    // It was accepted, as this one after it was.
    expect(await (await Wire.open(server.port)).send(request('/api/health')).reply()).toMatchObject({
      status: 200,
    });
    server.child.kill('SIGTERM');
    await vi.waitFor(async () => expect(await connects(server.port)).toBe(false), { timeout: 5000 });
    expect([server.child.exitCode, hanging.ended]).toEqual([null, false]);
    server.child.kill('SIGTERM');
    expect(await server.ended()).toBe(1);
  });

  test('ends the server although nobody reads its log', async () => {
    // When the pipe is full, writing out the rest of the log (ServerLog.close) blocks for ever: neither this signal nor
    // the second ends the process.
    const server = await startServing(['--database', await catalogue(), ...NO_LIMIT]);
    server.child.stderr.pause();
    const results = await Promise.all(
      Array.from({ length: 10 }, () => keepAsking(server.port, (answered) => answered >= 150)),
    );
    expect(results.map(({ answers }) => answers.get(200))).toEqual(results.map(() => 150));
    server.child.kill('SIGTERM');
    const late = new Promise((resolve) => setTimeout(() => resolve('late'), 3000));
    expect(await Promise.race([once(server.child, 'exit').then(() => 'ended'), late])).toBe('ended');
  });
});

describe('a new state of the catalogue', () => {
  test('fails no request, and none sees half of it, during ten loads under steady traffic', async () => {
    const stateOf = (version: number): Row[] =>
      Array.from({ length: 20 }, (_, i) => row(`s-${i}`, { description: `alpha version${version}.` }));
    const database = await catalogue(stateOf(0));
    const server = await startServing(['--database', database, ...NO_LIMIT, '--log-level', 'error']);
    let done = false;
    const clients = Array.from({ length: 6 }, () => keepAsking(server.port, () => done));
    try {
      for (let version = 1; version <= 10; version++) {
        await catalogue(stateOf(version), database);
        // Every second one is overtaken by the next.
        if (version % 2 === 0) await served(server, `version${version}.`);
      }
    } finally {
      done = true;
    }
    const seen = new Set<number>();
    for (const { answers, bodies, lost, ended } of await Promise.all(clients)) {
      expect([lost, ended, [...answers.keys()]]).toEqual([false, false, [200]]);
      let newest = 0;
      for (const body of bodies) {
        const versions = [...body.matchAll(/alpha version(\d+)\./g)].map(([, version]) => Number(version));
        expect([versions.length, new Set(versions).size]).toEqual([20, 1]);
        expect(versions[0]).toBeGreaterThanOrEqual(newest);
        newest = versions[0] as number;
        seen.add(newest);
      }
      expect(newest).toBe(10);
    }
    expect([...seen]).toEqual(expect.arrayContaining([0, 2, 4, 6, 8, 10]));
    expect(server.output().error).toBe('');
  });

  test('that is none leaves the former in place', async () => {
    const database = await catalogue([row('a', { description: 'alpha one' })]);
    const server = await startServing(['--database', database, ...NO_LIMIT]);
    const rubbish = `${database}.rubbish`;
    writeFileSync(rubbish, 'this is not a catalogue');
    renameSync(rubbish, database);
    const line = await server.heard('the catalogue changed but cannot be opened: the previous one stays in use');
    expect(line).toMatchObject({ level: 'error', err: { code: 'NOT_A_CATALOGUE' } });
    expect(await descriptionsAt(server)).toEqual(['alpha one']);
    server.child.kill('SIGHUP');
    await vi.waitFor(() => expect(server.logged().filter(({ err }) => err !== undefined)).toHaveLength(2));
    expect(await descriptionsAt(server)).toEqual(['alpha one']);
  });
});

test('a server that cannot start says in one line that the port is in use', async () => {
  const database = await catalogue();
  const first = await startServing(['--database', database]);
  const { status, out, error } = await runProcess(['serve', '--port', String(first.port), '--database', database]);
  expect([status, out, error]).toEqual([
    1,
    '',
    `error: cannot listen at 127.0.0.1, port ${first.port}: the port is in use; choose another port\n`,
  ]);
  expect((await ask(first, SEARCH)).status).toBe(200);
});

/** A catalogue without vectors; over a path, its next state. */
async function catalogue(
  rows: readonly unknown[] = [row('a', { description: 'alpha' })],
  database = scratchFile('skills.db'),
): Promise<string> {
  await buildCatalogue({ database, sources: [rows], semantic: false, prune: true });
  return database;
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

async function ask(server: Serving, path: string, key?: string): Promise<Reply> {
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const response = await fetch(server.url + path, { headers });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text.startsWith('{') ? JSON.parse(text) : text,
  };
}

async function codeAt(server: Serving, path: string, key?: string): Promise<[status: number, code: string]> {
  const { status, body } = await ask(server, path, key);
  return [status, (body as { error?: { code: string } }).error?.code ?? 'no error'];
}

async function descriptionsAt(server: Serving): Promise<string[]> {
  const { status, body } = await ask(server, SEARCH);
  expect(status).toBe(200);
  return (body as { data: { skills: { description: string }[] } }).data.skills.map(({ description }) => description);
}

async function served(server: Serving, words: string): Promise<void> {
  for (const end = performance.now() + 5000; performance.now() < end; ) {
    if ((await descriptionsAt(server)).every((text) => text.includes(words))) return;
  }
  throw new Error(`${words} is not served`);
}

async function connects(port: number): Promise<boolean> {
  return Wire.open(port).then(
    (wire) => {
      wire.cut();
      return true;
    },
    () => false,
  );
}

async function demoOf(server: Serving): Promise<string[]> {
  return vi.waitFor(() => {
    const commands = linesOf(server.output().out).filter((line) => line.startsWith('curl '));
    expect(commands).toHaveLength(3);
    return commands;
  });
}

function has(program: string): boolean {
  try {
    execFileSync(program, ['--version']);
    return true;
  } catch {
    return false;
  }
}

const TWO_SKILLS = [
  wholeRow({ id: 'kite', name: 'kite' }),
  wholeRow({ id: 'bad', name: 'Bad Name', description: 'kite as well' }),
];

test('serve --mcp serves MCP beside the specification, says where, and logs method and tool', async () => {
  const server = await startServing(['--mcp', '--database', await catalogue(TWO_SKILLS)]);
  expect(server.output().out).toContain(`MCP is at ${server.url}/mcp.\n`);
  for (const era of ERAS) {
    const client = newClient(era);
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)));
    onTestFinished(() => client.close());
    const { structured } = await callTool(client, 'search_skills', { query: 'kite', by: 'words' });
    expect((structured['skills'] as { id: string }[]).map(({ id }) => id).sort()).toEqual(['bad', 'kite']);
    expect((await client.listResources()).resources.map(({ name }) => name)).toEqual(['kite']);
  }
  expect((await fetch(`${server.url}/api/v1/skills/search?q=kite`)).status).toBe(200);
  const lines = server.logged().filter(({ operation }) => operation === 'tools/call search_skills');
  expect(lines).toMatchObject([{ msg: 'request', path: '/mcp', status: 200 }, { client: '127.0.0.0' }]);
  const unpublished = await server.heard('found but not published');
  expect(unpublished).toMatchObject({ skill: 'bad', reason: expect.stringContaining('name') });
  server.child.kill('SIGTERM');
  expect(await server.ended()).toBe(0);
});

test('serve --publish publishes what any of its values chooses, and says where', async () => {
  const { database } = await catalogueOf({ ...PDF_FORMS, 'cron/SKILL.md': skillMarkdown('cron') });
  const words = ['--publish', 'category:none', '--publish', 'folders', '--published-per-minute', '2'];
  const server = await startServing(['--database', database, ...words, '--no-pages']);
  const ask = () => fetch(`${server.url}/.well-known/agent-skills/index.json`);
  const { skills } = (await (await ask()).json()) as { skills: { name: string }[] };
  expect(skills.map(({ name }) => name)).toEqual(['cron', 'pdf-forms']);
  expect(server.output().out).toContain(`npx skills add ${server.url}`);
  expect([(await ask()).status, (await ask()).status]).toEqual([200, 429]);
});

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const PDF: WholeSkill = { id: 'pdf', name: 'pdf-forms', description: 'Fills in PDF forms.' };
const CHARTS: WholeSkill = { id: 'charts', name: 'draw-charts', description: 'Draws charts.' };

const WORDS_ONLY = ['--no-semantic'];

describe.each(ERAS)('mcp in revision %s', (era) => {
  test('answers the client of the SDK', async () => {
    const client = await connect(['--database', await catalogue([PDF, CHARTS].map(wholeRow)), ...WORDS_ONLY], era);
    const { structured } = await callTool(client, 'search_skills', { query: 'charts' });
    expect(structured).toMatchObject({ skills: [{ id: 'charts', complete: true }] });
    const skills = new SkillsClient(client);
    const { skills: entries } = await skills.list();
    expect(entries.map(({ uri }) => uri)).toEqual([
      'skill://charts/draw-charts/SKILL.md',
      'skill://pdf/pdf-forms/SKILL.md',
    ]);
    expect(await skills.read(entries[0]!)).toMatchObject({ verified: true });
  });

  test('shows a new load without a restart, and tells the client', async () => {
    const database = await catalogue([PDF].map(wholeRow));
    const client = await connect(['--database', database, ...WORDS_ONLY], era);
    const changed = new Promise<void>((resolve) => {
      client.setNotificationHandler('notifications/resources/list_changed', () => resolve());
    });
    if (era === '2026-07-28') await client.listen({ resourcesListChanged: true });
    expect((await client.listResources()).resources).toHaveLength(1);
    await catalogue([PDF, CHARTS].map(wholeRow), database);
    await changed;
    expect((await client.listResources(undefined, { cacheMode: 'refresh' })).resources).toHaveLength(2);
  });
});

describe('mcp', () => {
  test('says that there is no catalogue, stays, and works once there is one', async () => {
    const database = scratchFile('skills.db');
    const client = await connect(['--database', database, ...WORDS_ONLY], '2026-07-28');
    const missing = await callTool(client, 'search_skills', { query: 'charts' });
    expect(missing).toMatchObject({ isError: true, text: expect.stringContaining('skill-discovery load') });
    await expect(new SkillsClient(client).list()).rejects.toMatchObject({ code: -32603 });
    await catalogue([CHARTS].map(wholeRow), database);
    const { structured } = await callTool(client, 'search_skills', { query: 'charts' });
    expect(structured).toMatchObject({ skills: [{ id: 'charts' }] });
  });

  test('prints nothing but messages, and answers all before it ends with its input', async () => {
    const database = await catalogue([PDF, { id: 'x', name: 'Not Published' }].map(wholeRow));
    const asked = [
      rpc(1, 'server/discover'),
      rpc(2, 'tools/list'),
      call(3, 'search_skills', { query: 'pdf', by: 'words' }),
      rpc(4, 'skills/list'),
    ];
    const { status, out, error } = await runProcess(['mcp', '--database', database, ...WORDS_ONLY], asked.join(''));
    expect(status).toBe(0);
    expect(ids(out).sort()).toEqual([1, 2, 3, 4]);
    expect(logged(error)).toContainEqual(
      expect.objectContaining({ level: 'info', msg: 'found but not published', skill: 'x' }),
    );
  });

  test('ends when nobody reads its answers any more', async () => {
    const mcp = startRunning(['mcp', '--database', await catalogue([PDF].map(wholeRow)), ...WORDS_ONLY]);
    mcp.child.stdout.destroy();
    mcp.child.stdin.on('error', () => {});
    const asking = setInterval(() => mcp.child.stdin.write(rpc(Date.now(), 'tools/list')), 10);
    expect(await mcp.ended()).toBe(0);
    clearInterval(asking);
  });

  test('without its optional package says what to install', async () => {
    const project = projectWithout('@modelcontextprotocol/server');
    const { status, out, error } = await runProcess(['mcp', '--database', 'none.db'], '', { project });
    expect([status, out]).toEqual([1, '']);
    expect(error).toMatch(/^error: .*npm install @modelcontextprotocol\/server\n$/);
  });
});

async function connect(words: readonly string[], era: Era) {
  const client = newClient(era);
  const args = ['--import', 'tsx', MAIN, 'mcp', ...words];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
  onTestFinished(() => client.close());
  return client;
}

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A line with a request of the newer revision, which needs no handshake. */
function rpc(id: number, method: string, params: object = {}): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: ENVELOPE } })}\n`;
}

function call(id: number, name: string, args: object): string {
  return rpc(id, 'tools/call', { name, arguments: args });
}

function ids(out: string): unknown[] {
  return linesOf(out).map((line) => JSON.parse(line).id);
}

function logged(error: string): unknown[] {
  return linesOf(error).map((line) => JSON.parse(line));
}
