import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type LoadReport, openSkillSearch } from '../../src/index.js';
import { scratchFolder } from '../scratch-folder.js';
import { MadeUpHome, skillMarkdown } from '../sources/installed/made-up-home.js';
import type { Captured } from './run-captured.js';
import { catchOutput, runProcess, startProcess } from './run-process.js';

describe('init.system', () => {
  /** The first file of the command line of the package that is tested, wherever that is installed. */
  const ENTRY = expect.stringMatching(/dist[/\\]cli[/\\]main\.js$/);

  /** A home with Cursor and one skill. */
  class Home {
    readonly path: string = scratchFolder();
    readonly config: string = join(this.path, '.cursor', 'mcp.json');

    constructor() {
      const skill = join(this.path, '.cursor', 'skills', 'pdf-fill');
      mkdirSync(skill, { recursive: true });
      writeFileSync(join(skill, 'SKILL.md'), '---\nname: pdf-fill\ndescription: Fills in PDF forms.\n---\n');
      writeFileSync(this.config, '{}\n');
      // The sources are run, by a package that is looked for from the working folder.
      symlinkSync(join(process.cwd(), 'node_modules'), join(this.path, 'node_modules'), 'junction');
    }

    init(...words: readonly string[]): Promise<Captured> {
      return this.in(this.path, ...words);
    }

    /** Runs it in a folder. */
    in(cwd: string, ...words: readonly string[]): Promise<Captured> {
      return runProcess(['init', '--no-semantic', ...words], '', { cwd, env: this.env });
    }

    /** Runs it where no file can grow over so many blocks of 512 bytes, as on a full disk. */
    async onFullDisk(blocks: number, ...words: readonly string[]): Promise<Captured> {
      const program = [process.execPath, '--import', 'tsx', join(process.cwd(), 'src/cli/main.ts'), 'init', ...words];
      const child = spawn('sh', ['-c', `ulimit -f ${blocks}; exec "$@"`, 'sh', ...program], {
        ...{ cwd: this.path, env: { ...process.env, ...this.env, TSX_DISABLE_CACHE: '1' } },
      });
      const output = catchOutput(child);
      await once(child, 'close');
      return { status: child.exitCode ?? -1, ...output() };
    }

    get env(): Readonly<Record<string, string>> {
      const inside = (name: string): string => join(this.path, name);
      // Nothing of the machine that the test runs on.
      return {
        ...{ HOME: this.path, USERPROFILE: this.path, APPDATA: inside('roaming'), LOCALAPPDATA: inside('local') },
        ...{ XDG_CONFIG_HOME: '', XDG_DATA_HOME: inside('data'), XDG_STATE_HOME: '', XDG_RUNTIME_DIR: '' },
        ...{ CLAUDE_CONFIG_DIR: '', CODEX_HOME: '', COPILOT_HOME: '' },
      };
    }
  }

  describe('init', () => {
    test('shows what it would write and ends with 2 where nobody can be asked', async () => {
      const home = new Home();
      const { status, out, error } = await home.init();
      expect(status).toBe(2);
      expect(out).toContain(`${home.config}: mcpServers.skills is added\n`);
      expect(out).toMatch(/Nothing was written\.\n$/);
      expect(error).toBe('error: nobody can be asked here: --yes writes this, --dry-run only shows it\n');
      expect(readFileSync(home.config, 'utf8')).toBe('{}\n');
      expect(await home.init('--dry-run')).toMatchObject({ status: 0, out, error: '' });
      expect(existsSync(join(home.path, 'data'))).toBe(false);
    });

    test('builds the catalogue, writes absolute paths, changes nothing in a second run, and undoes all', async () => {
      const home = new Home();
      const database = join(home.path, 'data', 'skill-discovery', 'skills.db');
      const first = await home.init('--yes');
      expect(first).toMatchObject({ status: 0, error: '' });
      expect(first.out).toContain(`${database} has 1 installed skill.`);
      const args = [ENTRY, 'mcp', '--installed', '--watch', '--no-semantic'];
      const written = readFileSync(home.config, 'utf8');
      expect(JSON.parse(written)).toEqual({ mcpServers: { skills: { command: process.execPath, args } } });
      const second = await home.init('--yes');
      expect(second).toMatchObject({ status: 0, out: expect.stringMatching(/Nothing to change\.\n$/) });
      expect(readFileSync(home.config, 'utf8')).toBe(written);
      expect(await home.init('--remove', '--yes')).toMatchObject({
        status: 0,
        out: expect.stringMatching(/Undone\.\n$/),
      });
      expect(readFileSync(home.config, 'utf8')).toBe('{}\n');
      expect(existsSync(join(home.path, 'data'))).toBe(false);
      expect(await home.init('--remove')).toMatchObject({ status: 0, out: 'There is nothing to undo.\n' });
    }, 60_000);

    test('loads the skills of the user only, wherever it is run, and names a catalogue only if one is given', async () => {
      const home = new Home();
      const project = join(home.path, 'work');
      const skill = join(project, '.claude', 'skills', 'whole');
      mkdirSync(skill, { recursive: true });
      writeFileSync(join(skill, 'SKILL.md'), '---\nname: whole\ndescription: Belongs to the project.\n---\n');
      const first = await home.in(project, '--yes', '--json');
      expect(JSON.parse(first.out)).toMatchObject({ report: { added: 1 } });
      const database = join(home.path, 'my.db');
      await home.in(project, '--yes', '--database', database);
      expect(JSON.parse(readFileSync(home.config, 'utf8')).mcpServers.skills.args).toEqual([
        ...[ENTRY, 'mcp', '--database', database, '--installed', '--watch', '--no-semantic'],
      ]);
    }, 60_000);

    test('prints one JSON object, and ends with 1 where a configuration cannot be edited', async () => {
      const home = new Home();
      writeFileSync(home.config, '{"a": \n');
      const { status, out, error } = await home.init('--yes', '--json', '--agents', 'cursor,codex', '--no-hook');
      expect(status).toBe(1);
      expect(JSON.parse(out)).toMatchObject({
        agents: [
          { agent: 'cursor', entries: [{ action: 'refused', reason: expect.stringMatching(/in line 2, column 1$/) }] },
          { agent: 'codex', entries: [{ part: 'server', action: 'add', place: 'mcp_servers.skills' }] },
        ],
        ...{ changes: true, written: true, backups: [], report: { added: 1 } },
      });
      expect(error).toContain(`left as they are: ${home.config}: it is not JSON: value expected in line 2, column 1`);
      expect(existsSync(join(home.path, '.codex', 'config.toml'))).toBe(true);
    }, 60_000);

    test('says what it left because it was changed since, and ends with 1', async () => {
      const home = new Home();
      await home.init('--yes', '--agents', 'cursor,codex', '--no-hook');
      writeFileSync(home.config, readFileSync(home.config, 'utf8').replace('"--watch"', '"--changed"'));
      const removed = await home.init('--remove', '--yes');
      expect([removed.status, removed.out]).toEqual([1, expect.stringMatching(/\nUndone in part\.\n$/)]);
      const left = `error: left as they are: ${home.config}: mcpServers.skills: it was changed after init had written it`;
      expect(removed.error).toContain(left);
      expect(existsSync(join(home.path, '.codex'))).toBe(false);
      const again = await home.init('--remove', '--yes');
      expect([again.status, again.out]).toEqual([1, expect.stringMatching(/Nothing to change\.\n$/)]);
      expect(again.error).toContain(left);
    }, 60_000);

    test.skipIf(process.platform === 'win32')(
      'says nothing is undone, or a part, where the disk is full',
      async () => {
        const home = new Home();
        writeFileSync(home.config, `{ "a": "${'x'.repeat(4000)}" }\n`);
        await home.init('--yes', '--agents', 'cursor,codex', '--no-hook');
        const written = readFileSync(home.config, 'utf8');
        const record = join(home.path, 'data/skill-discovery/init.json');
        const full = await home.onFullDisk(1, '--remove', '--yes', '--agents', 'cursor');
        expect([full.status, full.out]).toEqual([1, expect.stringMatching(/\nNothing was undone\.\n$/)]);
        expect(full.error).toMatch(/^error: left as they are: .*mcp\.json: it cannot be written: EFBIG/);
        expect(readFileSync(home.config, 'utf8')).toBe(written);
        // What needs no room is undone; only the record of it cannot be written.
        const part = await home.onFullDisk(1, '--remove', '--yes');
        expect([part.status, part.out]).toEqual([1, expect.stringMatching(/\nUndone in part\.\n$/)]);
        expect(part.error).toContain(`the record of what is written, ${record}, cannot be written: EFBIG`);
        expect(existsSync(join(home.path, '.codex'))).toBe(false);
        expect(await home.init('--remove', '--yes')).toMatchObject({ status: 0, error: '' });
        expect(readdirSync(join(home.path, '.cursor')).sort()).toEqual(['mcp.json', 'skills']);
        expect(existsSync(join(home.path, 'data'))).toBe(false);
      },
      60_000,
    );

    test.skipIf(process.platform !== 'linux')(
      'ends with 1 where its output cannot be written',
      async () => {
        const home = new Home();
        await home.init('--yes');
        const stdout = openSync('/dev/full', 'w');
        const { status, error } = await runProcess(['init', '--remove', '--yes'], '', {
          ...{ cwd: home.path, env: home.env, stdout },
        });
        closeSync(stdout);
        expect([status, error]).toEqual([1, expect.stringMatching(/^error: the output cannot be written: ENOSPC/)]);
        expect((await home.init('--remove', '--yes')).status).toBe(0);
        expect(existsSync(join(home.path, 'data'))).toBe(false);
      },
      60_000,
    );

    test('is wrong use with an unknown agent', async () => {
      const { status, error } = await new Home().init('--agents', 'curser');
      expect(status).toBe(2);
      expect(error).toBe('error: unknown agent "curser": did you mean cursor?\n');
      expect((await new Home().init('--agents', 'cursor', '--database', '')).status).toBe(2);
    });
  });
});

describe('installed projects.system', () => {
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
});
