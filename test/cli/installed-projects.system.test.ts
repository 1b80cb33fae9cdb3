import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type LoadReport, openSkillSearch } from '../../src/index.js';
import { MadeUpHome, skillMarkdown } from '../sources/installed/made-up-home.js';
import type { Captured } from './run-captured.js';
import { catchOutput, runProcess, startProcess } from './run-process.js';

const PROMPT = 'fill in PDF forms from a folder of invoices: names, dates, amounts and addresses of customers';
const LOAD = ['load', '--installed', '--no-semantic', '--json'];

describe('two projects on one machine', () => {
  test('have catalogues of their own, which prune nothing of each other', async () => {
    const machine = await newMachine();
    const [a, b, home] = [await machine.load('a'), await machine.load('b/src'), await machine.load('')];
    expect(new Set([a.database, b.database, home.database]).size).toBe(3);
    expect(home.database).toBe(join(machine.data, 'skills.db'));
    const again = await machine.load('a');
    expect([again.database, again.report]).toMatchObject([a.database, { added: 0, removed: 0, unchanged: 32 }]);
    for (const [{ database }, own] of [
      [a, ['pdf-forms', 'whole']],
      [b, ['bread-dough']],
      [home, []],
    ] as const) {
      expect(await namesIn(database)).toEqual([...own, ...OTHERS].sort());
    }
  }, 120_000);

  test('are told apart by the hook, by the folder in which a prompt was written', async () => {
    const machine = await newMachine();
    for (const at of ['a', 'b', '']) await machine.load(at);
    const input = (cwd: string): string => JSON.stringify({ prompt: PROMPT, cwd });
    expect((await machine.hook(input(join(machine.home, 'a/src')))).out).toContain('pdf-forms');
    for (const at of ['b', '', '..', 'nowhere']) {
      expect((await machine.hook(input(join(machine.home, at)))).out, at).not.toContain('pdf-forms');
    }
    const inFolder = await machine.hook(JSON.stringify({ prompt: PROMPT }), join(machine.home, 'a'));
    expect(inFolder.out).toContain('pdf-forms');
  }, 120_000);
});

describe.skipIf(process.platform === 'win32')('two servers of a project', () => {
  test('load into one catalogue in turns, and one of them answers the hook', async () => {
    const machine = await newMachine();
    const servers = [machine.serve('a'), machine.serve('a/src')];
    const [database] = await machine.projectCatalogues(1);
    await expect.poll(() => namesIn(database!), POLL).toEqual(['pdf-forms', 'whole', ...OTHERS].sort());
    const name = createHash('sha256').update(realpathSync(database!)).digest('hex').slice(0, 16);
    await expect.poll(() => readdirSync(machine.run), POLL).toContain(`${name}.sock`);
    expect((await machine.hook(JSON.stringify({ prompt: PROMPT }), join(machine.home, 'a'))).out).toContain(
      'pdf-forms',
    );

    await machine.made.add('home/a/.claude/skills/new-one');
    await expect.poll(() => namesIn(database!), POLL).toContain('new-one');
    for (const { child, output } of servers) {
      child.stdin.end();
      await once(child, 'close');
      expect(output().error).not.toMatch(/load-failed|"level":"error"|LOAD_IN_PROGRESS/);
    }
    expect(existsSync(join(machine.data, 'skills.db'))).toBe(false);
  }, 120_000);
});

/** What the user has, and so each project. */
const OTHERS = Array.from({ length: 30 }, (_, i) => `other-${String(i).padStart(2, '0')}`);
const POLL = { timeout: 60_000, interval: 200 };

async function namesIn(database: string): Promise<string[]> {
  if (!existsSync(database)) return [];
  await using search = await openSkillSearch({ database });
  return search
    .list({ limit: 50 })
    .hits.map(({ skill }) => skill.name)
    .sort();
}

/** A machine with the projects `a` and `b`, repositories in the user's home. */
async function newMachine() {
  const made = await MadeUpHome.with(...OTHERS.map((name) => `home/.claude/skills/${name}`));
  await made.add('home/a/.agents/skills/whole', 'home/b/.claude/skills/bread-dough');
  const pdf = skillMarkdown('pdf-forms', 'Fills in PDF forms from a folder, such as invoices.');
  await made.write({
    ...{ 'home/a/.git/HEAD': '', 'home/b/.git/HEAD': '', 'home/a/src/x': '', 'home/b/src/x': '' },
    'home/a/.claude/skills/pdf-forms/SKILL.md': pdf,
  });
  // The sources are run, by a package that is looked for from the working folder.
  await symlink(join(process.cwd(), 'node_modules'), join(made.root, 'node_modules'), 'junction');
  const { home } = made;
  const inside = (path: string): string => join(made.root, path);
  const env = {
    ...{ HOME: home, USERPROFILE: home, APPDATA: inside('roaming'), LOCALAPPDATA: inside('local') },
    ...{
      XDG_CONFIG_HOME: '',
      XDG_DATA_HOME: inside('data'),
      XDG_STATE_HOME: inside('s'),
      XDG_RUNTIME_DIR: inside('r'),
    },
    ...{ CLAUDE_CONFIG_DIR: '', CODEX_HOME: '', COPILOT_HOME: '' },
  };
  const data = inside('data/skill-discovery');
  return {
    ...{ made, home, data, run: inside('r/skill-discovery') },

    /** Loads in a folder of the home. */
    async load(at: string): Promise<{ readonly database: string; readonly report: LoadReport }> {
      const { status, out, error } = await runProcess(LOAD, '', { cwd: join(home, at), env });
      expect([status, error]).toEqual([0, expect.stringMatching(/^Catalogue: .+\n$/)]);
      return { database: error.slice('Catalogue: '.length, -1), report: JSON.parse(out) };
    },

    hook(input: string, cwd = made.root): Promise<Captured> {
      return runProcess(['hook', '--mode', 'words', '--format', 'json', '--timeout', '60000'], input, { cwd, env });
    },

    /** Starts `mcp` in a folder of the home, as an agent does. */
    serve(at: string): { child: ChildProcessWithoutNullStreams; output: () => { error: string } } {
      const words = ['mcp', '--installed', '--watch', '--no-semantic'];
      const child = startProcess(words, { cwd: join(home, at), env });
      onTestFinished(() => void child.kill('SIGKILL'));
      const output = catchOutput(child);
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
      return { child, output };
    },

    /** Paths of the catalogues of projects, as soon as there are so many. */
    async projectCatalogues(count: number): Promise<readonly string[]> {
      const folder = join(data, 'projects');
      const names = (): string[] => (existsSync(folder) ? readdirSync(folder) : []);
      await expect.poll(names, POLL).toHaveLength(count);
      return names().map((name) => join(folder, name, 'skills.db'));
    },
  };
}
