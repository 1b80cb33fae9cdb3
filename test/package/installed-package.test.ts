import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { transform } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import { codeBlocksOf, readPage } from '../docs/pages.js';
import { PROJECT } from '../project-copy.js';
import { scratchFolder } from '../scratch-folder.js';
import type { Installation } from './install.js';
import {
  commandIn,
  describeOnEachNode,
  environment,
  installed,
  packageIn,
  runCommand,
  runProgram,
} from './installations.js';
import { permanentFolder } from './permanent-folder.js';

const { version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as { version: string };

const PROMPT = 'write release notes for customers that tell what changed between two versions, features and fixes';

test('a build leaves a command that the shell can start in the project itself', () => {
  expect(statSync(join(PROJECT, 'dist', 'cli', 'main.js')).mode & 0o111).toBe(0o111);
});

test('the documentation names as many packages as an installation brings', () => {
  const lock = readFileSync(join(installed.folder, 'node_modules', '.package-lock.json'), 'utf8');
  const count = Object.keys((JSON.parse(lock) as { packages: object }).packages).length;
  for (const page of ['README.md', 'docs/library.md']) {
    const [, named] = /by words and by meaning +\|[^|]+\| +(\d+) \|/.exec(readPage(page)) ?? [];
    expect(Number(named), page).toBe(count);
  }
});

describeOnEachNode('the installed command', (installation) => {
  const cwd = permanentFolder();
  const run = (words: readonly string[], input?: string) =>
    runCommand(installation, words, { cwd, ...(input !== undefined && { input }) });

  beforeAll(() => {
    const sample = join(packageIn(installation), 'data', 'sample');
    const { status, out } = run(['load', join(sample, 'skills.jsonl'), join(sample, 'folders')]);
    expect([status, out]).toEqual([0, expect.stringMatching(/^added +251\n[\s\S]*^embedded +\d{3}$/m)]);
  });

  test('shows its help and its version', () => {
    expect(run(['--help'])).toMatchObject({ status: 0, out: expect.stringMatching(/^Usage: /), error: '' });
    expect(run(['--version'])).toEqual({ status: 0, out: `${version}\n`, error: '' });
  });

  test('finds by words and by meaning, lists, shows and checks', () => {
    expect(run(['search', 'react', 'testing']).out).toContain('react-component-testing');
    const meaning = run(['search', '--mode', 'semantic', 'write up what changed since the last release']);
    expect(meaning).toMatchObject({ status: 0, out: expect.stringMatching(/release-notes|changelog/), error: '' });
    expect(run(['list', '--sort', 'stars', '--facets', 'category']).out).toMatch(/^1 to 10 of 251 skills/m);
    expect(run(['show', 'folders-office-expense-report']).out).toContain('expense-report');
    expect(run(['check'])).toMatchObject({ status: 0, error: '' });
  });

  test('serves: words without a key, meaning with one', async () => {
    const created = run(['keys', 'create', '--name', 'me']);
    const [key] = /sk_live_\w+/.exec(created.out) ?? [];
    expect(key).toBeDefined();
    const child = start(installation, ['serve', '--port', '0'], cwd);
    try {
      const url = await urlOf(child);
      const ask = (path: string, headers = {}): Promise<Response> => fetch(url + path, { headers });
      const found = (await (await ask('/api/v1/skills/search?q=react+testing')).json()) as {
        data: { skills: { name: string }[] };
      };
      expect(found.data.skills.map(({ name }) => name)).toContain('react-component-testing');
      const meaning = '/api/v1/skills/ai-search?q=write+release+notes';
      expect((await ask(meaning)).status).toBe(401);
      expect((await ask(meaning, { Authorization: `Bearer ${key}` })).status).toBe(200);
      for (const path of ['/', '/openapi.json']) expect((await ask(path)).status).toBe(200);
    } finally {
      child.kill();
      await once(child, 'close');
    }
    expect(child.exitCode).toBe(0);
  });

  test('answers an MCP client on standard input, with its version', async () => {
    const child = start(installation, ['mcp'], cwd);
    const answers = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
    const send = (message: object): unknown =>
      child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const answer = async (): Promise<{ result: Record<string, unknown> }> =>
      JSON.parse((await answers.next()).value as string);
    const clientInfo = { name: 'test', version: '1' };
    send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
    const { result } = await answer();
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/call', params: { name: 'search_skills', arguments: { query: 'react testing' } } });
    expect(JSON.stringify(await answer())).toContain('react-component-testing');
    child.stdin!.end();
    await once(child, 'close');
    expect([child.exitCode, result['serverInfo']]).toEqual([0, expect.objectContaining({ version })]);
  });

  test('puts the skills that fit in front of a prompt', () => {
    const words = ['hook', '--database', 'skills.db', '--mode', 'meaning', '--timeout', '60000', '--format', 'plain'];
    expect(run(words, PROMPT)).toMatchObject({ status: 0, out: expect.stringContaining('<skill>'), error: '' });
  });

  test.each([100, 200, 300, 400, 500, 600])('ends quietly where a prompt may wait %i ms for the model', (limit) => {
    const words = ['hook', '--database', 'skills.db', '--mode', 'meaning', '--timeout', String(limit)];
    expect(run(words, PROMPT)).toMatchObject({ status: 0, error: '' });
  });

  test('sets a machine up, and undoes all of it', () => {
    const home = scratchFolder();
    mkdirSync(join(home, '.cursor', 'skills', 'pdf-fill'), { recursive: true });
    const skill = '---\nname: pdf-fill\ndescription: Fills in PDF forms.\n---\n';
    writeFileSync(join(home, '.cursor', 'skills', 'pdf-fill', 'SKILL.md'), skill);
    writeFileSync(join(home, '.cursor', 'mcp.json'), '{}\n');
    const files = (): string[] => (readdirSync(join(home, '.cursor'), { recursive: true }) as string[]).sort();
    const before = files();
    const init = (...words: string[]) => runCommand(installation, ['init', '--yes', ...words], { cwd: home });
    expect(init()).toMatchObject({ status: 0, error: '' });
    const { mcpServers } = JSON.parse(readFileSync(join(home, '.cursor', 'mcp.json'), 'utf8'));
    expect(mcpServers.skills.args[0]).toBe(join(packageIn(installation), 'dist', 'cli', 'main.js'));
    expect(init('--remove')).toMatchObject({ status: 0, out: expect.stringMatching(/Undone\.\n$/) });
    expect([files(), readFileSync(join(home, '.cursor', 'mcp.json'), 'utf8')]).toEqual([before, '{}\n']);
  });
});

/** What needs more than the package and its sample. */
const NEEDS_MORE = /postgres:|\.\/my-model|api\.example/;

describeOnEachNode('the installed library', (installation) => {
  const blocks = ['README.md', 'docs/library.md'].flatMap((page) =>
    codeBlocksOf(readPage(page))
      .filter(({ language, code }) => language === 'ts' && !NEEDS_MORE.test(code))
      .map(({ line, code }) => ({ page, line, code })),
  );

  test.each(blocks)('runs the example of $page, line $line', async ({ page, line, code }) => {
    const home = join(installation.folder, 'home');
    const opens = /\bsearch = await\b/.test(code) || !/\bsearch\./.test(code);
    const opening = `import { openSkillSearch } from 'skill-discovery';\nawait using search = await openSkillSearch({ database: 'skills.db' });\n`;
    const compiled = await transform(opens ? code : opening + code, { loader: 'ts', target: 'node20', format: 'esm' });
    const program = join(installation.folder, `${page.replaceAll('/', '-')}-${line}.mjs`);
    writeFileSync(program, compiled.code);
    const { status, out, error } = runProgram(installation, [program], environment(installation, home));
    expect({ status, error: status === 0 ? '' : error }).toEqual({ status: 0, error: '' });
    if (page === 'README.md') expect(out).toMatch(/^251 added, 1 rejected\nreact-component-testing /);
    if (code.includes('installSkills')) expect(out).toMatch(/^\[ 'expense-report: installed' \]\n/);
  });
});

describeOnEachNode('a program that exits while its first question is read', (installation) => {
  test('ends with the status that it gives, at whatever moment', { timeout: 600_000 }, async () => {
    const rows = [{ name: 'release-notes', description: 'Turns the git history between two tags into a changelog.' }];
    const program = join(installation.folder, 'exit.mjs');
    writeFileSync(
      program,
      `import { buildCatalogue, openSkillSearch } from 'skill-discovery';
      const [, , after] = process.argv;
      if (after === undefined) await buildCatalogue({ database: 'exit.db', sources: [${JSON.stringify(rows)}] });
      else {
        const search = await openSkillSearch({ database: 'exit.db' });
        search.semantic({ q: 'announce what is new' }).catch(() => {});
        setTimeout(() => process.exit(7), Number(after));
      }`,
    );
    expect(runProgram(installation, [program]).status).toBe(0);
    const ends: string[] = [];
    const exitAfter = async (after: number): Promise<void> => {
      const child = spawn(installation.node, [program, String(after)], { cwd: installation.folder });
      const [said] = await Promise.all([text(child.stderr), once(child, 'close')]);
      ends.push(`${child.exitCode ?? child.signalCode} ${said}`);
    };
    // Several at once, so that a thread is often stopped in the middle.
    const moments = Array.from({ length: 60 }, (_, i) => i * 10);
    for (let i = 0; i < moments.length; i += 3) await Promise.all(moments.slice(i, i + 3).map(exitAfter));
    expect(ends.filter((end) => end !== '7 ')).toEqual([]);
  });
});

function start(installation: Installation, words: readonly string[], cwd: string): ChildProcess {
  return spawn(commandIn(installation), words, { cwd, env: environment(installation, cwd) });
}

/** Where a server listens, once it tells. */
async function urlOf(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const [, url] = / at (http:\S+),/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('the server ended instead of starting');
}
