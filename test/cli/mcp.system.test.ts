import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { buildCatalogue } from '../../src/index.js';
import { callTool, ERAS, type Era, newClient } from '../mcp/connect.js';
import { type WholeSkill, wholeRow } from '../mcp/whole-skills.js';
import { projectWithout } from '../project-copy.js';
import { scratchFile } from '../scratch-folder.js';
import { linesOf, runCaptured } from './run-captured.js';
import { catchOutput, runProcess, startProcess } from './run-process.js';

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const PDF: WholeSkill = { id: 'pdf', name: 'pdf-forms', description: 'Fills in PDF forms.' };
const CHARTS: WholeSkill = { id: 'charts', name: 'draw-charts', description: 'Draws charts.' };

const WORDS_ONLY = ['--no-semantic'];

describe.each(ERAS)('mcp in revision %s', (era) => {
  test('answers the client of the SDK', async () => {
    const client = await connect(['--database', await catalogue([PDF, CHARTS]), ...WORDS_ONLY], era);
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
    const database = await catalogue([PDF]);
    const client = await connect(['--database', database, ...WORDS_ONLY], era);
    const changed = new Promise<void>((resolve) => {
      client.setNotificationHandler('notifications/resources/list_changed', () => resolve());
    });
    if (era === '2026-07-28') await client.listen({ resourcesListChanged: true });
    expect((await client.listResources()).resources).toHaveLength(1);
    await load(database, [PDF, CHARTS]);
    await changed;
    expect((await client.listResources(undefined, { cacheMode: 'refresh' })).resources).toHaveLength(2);
  });
});

describe('mcp', () => {
  test.skipIf(process.platform === 'win32')(
    'loads a model without its runtime leaving an id of the machine',
    async () => {
      const database = scratchFile('skills.db');
      await buildCatalogue({ database, sources: [[wholeRow(PDF)]] });
      const home = join(database, '..', 'home');
      mkdirSync(home);
      const env: NodeJS.ProcessEnv = { ...process.env, HOME: home, XDG_CACHE_HOME: join(home, '.cache') };
      // Threads of this test have set it.
      delete env['ORT_DISABLE_TELEMETRY'];
      const words = ['--import', 'tsx', MAIN, 'mcp', '--database', database];
      const child = spawn(process.execPath, words, { env });
      const output = catchOutput(child);
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
      const asked = [
        { jsonrpc: '2.0', id: 1, method: 'initialize', params },
        { jsonrpc: '2.0', method: 'notifications/initialized' },
        {
          jsonrpc: '2.0',
          id: 2,
          method: 'tools/call',
          params: { name: 'search_skills', arguments: { query: 'fill in a form' } },
        },
      ];
      child.stdin.write(asked.map((message) => `${JSON.stringify(message)}\n`).join(''));
      await vi.waitFor(() => expect(output().error).toContain('semantic search is ready'), 20_000);
      child.stdin.end();
      await once(child, 'close');
      const left = readdirSync(home, { recursive: true }).filter((path) => String(path).includes('onnxruntime'));
      expect(left).toEqual([]);
    },
  );

  test('says that there is no catalogue, stays, and works once there is one', async () => {
    const database = scratchFile('skills.db');
    const client = await connect(['--database', database, ...WORDS_ONLY], '2026-07-28');
    const missing = await callTool(client, 'search_skills', { query: 'charts' });
    expect(missing).toMatchObject({ isError: true, text: expect.stringContaining('skill-discovery load') });
    await expect(new SkillsClient(client).list()).rejects.toMatchObject({ code: -32603 });
    await load(database, [CHARTS]);
    const { structured } = await callTool(client, 'search_skills', { query: 'charts' });
    expect(structured).toMatchObject({ skills: [{ id: 'charts' }] });
  });

  test('prints nothing but messages, and answers all before it ends with its input', async () => {
    const database = await catalogue([PDF, { id: 'x', name: 'Not Published' }]);
    const asked = [
      request(1, 'server/discover'),
      request(2, 'tools/list'),
      call(3, 'search_skills', { query: 'pdf', by: 'words' }),
      request(4, 'skills/list'),
    ];
    const { status, out, error } = await runProcess(['mcp', '--database', database, ...WORDS_ONLY], asked.join(''));
    expect(status).toBe(0);
    expect(ids(out).sort()).toEqual([1, 2, 3, 4]);
    expect(logged(error)).toContainEqual(
      expect.objectContaining({ level: 'info', msg: 'found but not published', skill: 'x' }),
    );
  });

  test('ends at once where nothing is asked', async () => {
    const { status, out, error } = await runProcess(['mcp', '--database', await catalogue([PDF])], '');
    expect([status, out, error]).toEqual([0, '', '']);
  });

  test('answers a thousand calls in flight', async () => {
    const mcp = await start(['--database', await catalogue([PDF, CHARTS]), ...WORDS_ONLY]);
    for (let id = 0; id < 1000; id++)
      mcp.child.stdin.write(call(id, 'search_skills', { query: id % 2 ? 'pdf' : 'charts' }));
    mcp.child.stdin.end();
    expect(await mcp.ended()).toBe(0);
    const answers = linesOf(mcp.output().out).map((line) => JSON.parse(line));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1000);
    expect(
      answers.filter(({ id, result }) => result.structuredContent.skills[0].id === (id % 2 ? 'pdf' : 'charts')).length,
    ).toBe(1000);
  });

  test('answers 10 MB of arguments, refuses what is no message, and answers what comes next', async () => {
    const mcp = await start(['--database', await catalogue([PDF]), ...WORDS_ONLY]);
    mcp.child.stdin.write(call(1, 'search_skills', { query: 'pdf '.repeat(2_500_000) }));
    mcp.child.stdin.write('{"jsonrpc":"2.0","id":2,\n\u0000\n[]\n');
    mcp.child.stdin.end(call(3, 'search_skills', { query: 'pdf', by: 'words' }));
    expect(await mcp.ended()).toBe(0);
    const answers = linesOf(mcp.output().out).map((line) => JSON.parse(line));
    expect(answers.find(({ id }) => id === 1).result.structuredContent.skills).toHaveLength(1);
    expect(answers.filter(({ error }) => error !== undefined).map(({ error }) => error.code)).toEqual([
      -32700, -32700, -32600,
    ]);
    expect(answers.find(({ id }) => id === 3).result.structuredContent.skills).toHaveLength(1);
  });

  test('ends when nobody reads its answers any more', async () => {
    const mcp = await start(['--database', await catalogue([PDF]), ...WORDS_ONLY]);
    mcp.child.stdout.destroy();
    mcp.child.stdin.on('error', () => {});
    const asking = setInterval(() => mcp.child.stdin.write(request(Date.now(), 'tools/list')), 10);
    expect(await mcp.ended()).toBe(0);
    clearInterval(asking);
  });

  test('ends on SIGTERM', async () => {
    const mcp = await start(['--database', await catalogue([PDF]), ...WORDS_ONLY]);
    mcp.child.stdin.write(request(1, 'tools/list'));
    await vi.waitUntil(() => mcp.output().out.includes('\n'), { timeout: 20_000 });
    mcp.child.kill('SIGTERM');
    expect(await mcp.ended()).toBe(0);
  });

  test('goes on with the former catalogue when it is damaged, and with the next good one', async () => {
    const database = await catalogue([PDF]);
    const client = await connect(['--database', database, ...WORDS_ONLY], '2026-07-28');
    const find = async () =>
      (await callTool(client, 'search_skills', { query: 'charts OR pdf', by: 'words' })).structured;
    expect(await find()).toMatchObject({ skills: [{ id: 'pdf' }] });
    const broken = scratchFile('broken.db');
    writeFileSync(broken, 'no catalogue '.repeat(1000));
    renameSync(broken, database);
    expect(await find()).toMatchObject({ skills: [{ id: 'pdf' }] });
    const next = await catalogue([{ ...CHARTS, id: 'next' }]);
    for (const end of ['', '.keyword']) {
      rmSync(`${database}${end}`, { force: true });
      renameSync(`${next}${end}`, `${database}${end}`);
    }
    await vi.waitFor(async () => expect(await find()).toMatchObject({ skills: [{ id: 'next' }] }), { timeout: 10_000 });
  });

  test('without its optional package says what to install', async () => {
    const project = projectWithout('@modelcontextprotocol/server');
    const { status, out, error } = await runProcess(['mcp', '--database', 'none.db'], '', { project });
    expect([status, out]).toEqual([1, '']);
    expect(error).toMatch(/^error: .*npm install @modelcontextprotocol\/server\n$/);
  });

  test.each([
    ['no catalogue', 'no catalogue '.repeat(1000)],
    ['an empty file', ''],
  ])('says so where the file is %s', async (_, text) => {
    const database = scratchFile('skills.db');
    writeFileSync(database, text);
    const asked = call(1, 'search_skills', { query: 'pdf' }) + request(2, 'skills/list');
    const { status, out } = await runProcess(['mcp', '--database', database, ...WORDS_ONLY], asked);
    const [tool, list] = linesOf(out).map((line) => JSON.parse(line));
    const shown = await runCaptured(['search', '--database', database, 'pdf']);
    const message = shown.error.replace(/^error: /, '').trimEnd();
    expect(status).toBe(0);
    expect(tool.result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(message) }] });
    expect(list.error).toEqual({ code: -32603, message });
  });
});

async function connect(words: readonly string[], era: Era) {
  const client = newClient(era);
  const args = ['--import', 'tsx', MAIN, 'mcp', ...words];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
  onTestFinished(() => client.close());
  return client;
}

interface RunningMcp {
  readonly child: ChildProcessWithoutNullStreams;
  readonly output: () => { out: string; error: string };
  ended(): Promise<number | string | null>;
}

async function start(words: readonly string[]): Promise<RunningMcp> {
  const child = startProcess(['mcp', ...words]);
  const closed = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  const output = catchOutput(child);
  return {
    child,
    output,
    async ended() {
      await closed;
      return child.exitCode ?? child.signalCode;
    },
  };
}

async function catalogue(skills: readonly WholeSkill[]): Promise<string> {
  const database = scratchFile('skills.db');
  await load(database, skills);
  return database;
}

async function load(database: string, skills: readonly WholeSkill[]): Promise<void> {
  await buildCatalogue({ database, sources: [skills.map(wholeRow)], semantic: false });
}

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A line with a request of the newer revision, which needs no handshake. */
function request(id: number, method: string, params: object = {}): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: ENVELOPE } })}\n`;
}

function call(id: number, name: string, args: object): string {
  return request(id, 'tools/call', { name, arguments: args });
}

function ids(out: string): unknown[] {
  return linesOf(out).map((line) => JSON.parse(line).id);
}

function logged(error: string): unknown[] {
  return linesOf(error).map((line) => JSON.parse(line));
}
