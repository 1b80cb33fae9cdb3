import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { buildCatalogue } from '../../src/index.js';
import { callTool, ERAS, newClient } from '../mcp/connect.js';
import { row } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { describeWithPostgres } from '../share/postgres/describe-with-postgres.js';
import { PASSWORD } from '../share/postgres/postgres-cluster.js';
import { linesOf, runCaptured } from './run-captured.js';
import { SEARCH, startServing } from './serving.js';

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

afterEach(() => vi.unstubAllEnvs());

describeWithPostgres('a catalogue in PostgreSQL', (server) => {
  /** The address of a database with two skills, without the password. */
  async function catalogue(): Promise<string> {
    const database = await server.database();
    const sources = [{ name: 'rows', rows: [row('alpha', { stars: 2 }), row('beta')] }];
    await buildCatalogue({ database, cache: scratchFolder(), semantic: false, sources });
    return database.replace(/:[^:@]+@/, '@');
  }

  test('is searched, listed and shown, from a copy that is kept', async () => {
    vi.stubEnv('PGPASSWORD', PASSWORD);
    const where = ['--database', await catalogue(), '--cache', scratchFolder()];
    const outputs = await Promise.all(
      [
        ['search', 'alpha', '--json'],
        ['list', '--json'],
        ['show', 'alpha', '--json'],
      ].map(async (words) => {
        const { status, out, error } = await runCaptured([...words, ...where]);
        expect([status, error]).toEqual([0, '']);
        return JSON.parse(out) as { readonly hits?: readonly unknown[]; readonly skill?: { readonly id: string } };
      }),
    );
    expect(outputs.map(({ hits, skill }) => hits?.length ?? skill?.id)).toEqual([1, 2, 'alpha']);
    await server.stop();
    const { status, out, error } = await runCaptured(['list', ...where]);
    await server.start();
    expect([status, linesOf(error)]).toEqual([0, [expect.stringMatching(/^answers are from the copy that is here: /)]]);
    expect(out).toContain('alpha');
  });

  test('takes the password from a file, and never from the address', async () => {
    const address = await catalogue();
    const file = scratchFile('password');
    writeFileSync(file, PASSWORD);
    const cache = ['--cache', scratchFolder()];
    const found = await runCaptured(['list', '--database', address, '--database-password-file', file, ...cache]);
    expect([found.status, found.error]).toEqual([0, '']);
    const telling = address.replace('@', ':s3cret-zebra@');
    const commands = [['list'], ['search', 'x'], ['show', 'x'], ['serve'], ['mcp'], ['install', 'x']];
    const calls = commands.map((command) => [...command, '--database', telling]);
    for (const command of [...calls, ['list', '--database', telling.replace(/@([^/]+)/, '@$1,$1')]]) {
      const { status, error } = await runCaptured([...command, ...cache]);
      expect([status, linesOf(error)], command[0]).toEqual([
        2,
        [expect.stringMatching(/address of --database has a password.*--database-password-file/)],
      ]);
      expect(error).not.toContain('zebra');
    }
  });

  test('is told to be empty, with what fills it', async () => {
    vi.stubEnv('PGPASSWORD', PASSWORD);
    const database = (await server.database()).replace(/:[^:@]+@/, '@');
    for (const words of [['list'], ['serve', '--port', '0']]) {
      const { status, error } = await runCaptured([...words, '--database', database, '--cache', scratchFolder()]);
      expect([status, linesOf(error)]).toEqual([
        1,
        [expect.stringMatching(/^error: postgres:.* holds no catalogue yet: load sources/)],
      ]);
    }
  });

  test('is served, with keys and quotas in the same database, and followed', async () => {
    const address = await catalogue();
    const file = scratchFile('password');
    writeFileSync(file, PASSWORD);
    const where = ['--database', address, '--database-password-file', file];
    const made = await runCaptured(['keys', 'create', ...where]);
    expect(made.status).toBe(0);
    const serving = (cache: string) =>
      startServing([...where, '--cache', cache, '--key-daily', '3', '--look-every', '1']);
    const caches = [scratchFolder(), scratchFolder()];
    const [one, other] = [await serving(caches[0]!), await serving(caches[1]!)];
    const ask = async (url: string): Promise<[number, string | null, string]> => {
      const answer = await fetch(url + SEARCH, { headers: { Authorization: `Bearer ${made.out.trim()}` } });
      return [answer.status, answer.headers.get('X-RateLimit-Daily-Remaining'), await answer.text()];
    };
    expect(await ask(one.url)).toEqual([200, '2', expect.stringContaining('alpha')]);
    expect(await ask(other.url)).toEqual([200, '1', expect.stringContaining('alpha')]);
    const withPassword = address.replace('@', `:${encodeURIComponent(PASSWORD)}@`);
    const sources = [{ name: 'rows', rows: [row('alpha'), row('alpha-two')] }];
    await buildCatalogue({ database: withPassword, cache: scratchFolder(), semantic: false, sources });
    for (const { heard } of [one, other]) {
      expect(await heard('catalogue reloaded')).toMatchObject({ skills: 3, version: 2 });
    }
    await server.stop();
    await one.heard('a newer state of the catalogue cannot be had: the present one stays in use');
    await server.start();
    await one.heard('newer states of the catalogue can be had again');
    for (const { output } of [one, other]) expect(output().error + output().out).not.toContain('zebra');
    one.child.kill('SIGTERM');
    expect(await one.ended()).toBe(0);
  }, 60_000);

  test('is offered to agents over MCP', async () => {
    const database = await catalogue();
    const args = ['--import', 'tsx', MAIN, 'mcp', '--no-semantic', '--database', database, '--cache', scratchFolder()];
    const client = newClient(ERAS[0]!);
    const env = { ...(process.env as Record<string, string>), PGPASSWORD: PASSWORD };
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
    onTestFinished(() => client.close());
    const { structured } = await callTool(client, 'search_skills', { query: 'alpha' });
    expect(structured).toMatchObject({ skills: [{ id: 'alpha' }] });
  });

  test('cannot be what --watch loads into', async () => {
    const words = ['--database', 'postgres://u@127.0.0.1:1/d', '--watch', scratchFolder()];
    for (const command of ['serve', 'mcp']) {
      const { status, error } = await runCaptured([command, ...words]);
      expect([status, error]).toEqual([2, expect.stringContaining('load into a file')]);
    }
  });
});

describe('options for a catalogue that is no file', () => {
  test.each([
    ['--cache', 'folder', 'list'],
    ['--database-password-file', 'file', 'list'],
    ['--look-every', '5', 'serve'],
  ])('%s is refused for a file', async (option, value, command) => {
    const { status, error } = await runCaptured([command, '--database', scratchFile('skills.db'), option, value]);
    expect([status, error]).toEqual([2, expect.stringContaining(`${option} is for a catalogue`)]);
  });
});
