import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { DoctorReport } from '../../src/agents/index.js';
import { buildCatalogue } from '../../src/index.js';
import { callTool, newClient } from '../mcp/connect.js';
import { permanentFolder } from '../package/permanent-folder.js';
import { projectWithout } from '../project-copy.js';
import { row } from '../rows.js';
import { scratchFolder } from '../scratch-folder.js';
import type { Captured } from './run-captured.js';
import { catchOutput, runProcess, startProcess } from './run-process.js';

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

  test('has a server that asks its client for the project, and whose first call waits for the first load', async () => {
    const home = new Home();
    await home.init('--yes');
    const project = join(home.path, 'work');
    const folder = join(project, '.cursor', 'skills', 'whole');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'SKILL.md'), '---\nname: whole\ndescription: Fills in forms of the project.\n---\n');
    const client = newClient('2025-11-25', { roots: {} });
    client.setRequestHandler('roots/list', () => ({ roots: [{ uri: pathToFileURL(project).href }] }));
    const args = ['--import', 'tsx', join(process.cwd(), 'src/cli/main.ts'), 'mcp', '--installed', '--no-semantic'];
    const env = { ...(process.env as Record<string, string>), ...home.env };
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, env, cwd: home.path, stderr: 'ignore' }),
    );
    onTestFinished(() => client.close());
    const { structured, text } = await callTool(client, 'search_skills', { query: 'forms of the project' });
    expect(structured).toMatchObject({ skills: [{ name: 'whole', path: folder }, { name: 'pdf-fill' }] });
    expect(text).toContain('Searched by words only: the server was started with --no-semantic');
  }, 60_000);

  test('prints one JSON object, and ends with 1 where a configuration cannot be edited', async () => {
    const home = new Home();
    writeFileSync(home.config, '{"a": \n');
    const { status, out, error } = await home.init('--yes', '--json', '--agents', 'cursor,codex', '--no-hook');
    expect(status).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      agents: [
        {
          agent: 'cursor',
          entries: [{ action: 'refused', reason: expect.stringMatching(/in line 2, column 1$/) }],
        },
        { agent: 'codex', entries: [{ part: 'server', action: 'add', place: 'mcp_servers.skills' }] },
      ],
      ...{ changes: true, written: true, backups: [], report: { added: 1 } },
    });
    expect(error).toContain(`left as they are: ${home.config}: it is not JSON: value expected in line 2, column 1`);
    expect(existsSync(join(home.path, '.codex', 'config.toml'))).toBe(true);
  }, 60_000);

  test('says why skills are not found by meaning, as doctor does, and makes up for it later', async () => {
    const home = new Home();
    const project = projectWithout('onnxruntime-node');
    const run = (words: readonly string[], options = {}): Promise<Captured> =>
      runProcess(words, '', { cwd: home.path, env: home.env, ...options });
    const meaning = async (options = {}): Promise<unknown> => {
      const { problems } = JSON.parse((await run(['doctor', '--json'], options)).out) as DoctorReport;
      return problems.find(({ about }) => about === 'meaning');
    };
    const init = ['init', '--yes', '--agents', 'claude-code'];
    const { out } = await run(init, { project });
    expect(out).toMatch(/^Skills are found by words only, not by meaning: .*package onnxruntime-node, which cannot/m);
    expect(await meaning({ project })).toEqual({
      about: 'meaning',
      problem: expect.stringMatching(/has no vectors, and the package onnxruntime-node, .* is not installed$/),
      remedy: expect.stringMatching(/^install it with `.*npm install onnxruntime-node`, then run `.* init`$/),
    });
    expect((await run(init)).out).toContain('is built from the installed skills');
    expect(await meaning()).toBeUndefined();
    expect(await meaning({ project })).toMatchObject({
      problem: expect.stringMatching(/^words only: .*cannot be loaded \(Cannot find package/),
    });
    expect((await run(init)).out).toMatch(/Nothing to change\.\n$/);
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
});

describe('hook.system', () => {
  const PROMPT = 'fill in PDF forms from a folder of invoices: names, dates, amounts and addresses of customers';
  const WORDS = ['--mode', 'words'];

  /** A catalogue of a folder with skills, in a home of its own. */
  const home = permanentFolder();
  const database = join(home, 'data', 'skill-discovery', 'skills.db');
  const pdf = join(home, 'skills', 'pdf-forms');

  beforeAll(async () => {
    const skills: Readonly<Record<string, string>> = {
      'pdf-forms': 'description: Fills in PDF forms from a folder, such as invoices.',
      'release-notes': 'description: Turns the git history between two tags into a changelog.',
      'hidden-forms': 'description: Fills in PDF forms in a folder of invoices.\ndisable-model-invocation: true',
      'bread-dough': 'description: Plans a sourdough bread over three days.',
    };
    for (const [name, lines] of Object.entries(skills)) {
      mkdirSync(join(home, 'skills', name), { recursive: true });
      writeFileSync(join(home, 'skills', name, 'SKILL.md'), `---\nname: ${name}\n${lines}\n---\nDo it.\n`);
    }
    mkdirSync(join(database, '..'), { recursive: true });
    const others = Array.from({ length: 30 }, (_, i) =>
      row(`other-${i}`, { description: `Other matter number ${i}.` }),
    );
    await buildCatalogue({ database, sources: [join(home, 'skills'), others] });
  });

  describe('the command hook', () => {
    test('prints the skills that fit, with the paths of their SKILL.md, for Claude Code', async () => {
      const machine = newMachine();
      const { status, out, error } = await machine.hook(WORDS, JSON.stringify({ ...EVENT, prompt: PROMPT }));
      expect([status, error, machine.log()]).toEqual([0, '', '']);
      const { hookSpecificOutput, ...others } = JSON.parse(out);
      expect([hookSpecificOutput.hookEventName, others]).toEqual(['UserPromptSubmit', {}]);
      const context: string = hookSpecificOutput.additionalContext;
      expect(context).toContain(`<name>pdf-forms</name>`);
      expect(context).toContain(`<location>${join(pdf, 'SKILL.md')}</location>`);
      expect(context).not.toContain('hidden-forms');
    });

    test('never fails: whatever is wrong, it is silent, and the log has a line that quotes nothing', async () => {
      const folder = scratchFolder();
      const damaged = join(folder, 'damaged.db');
      writeFileSync(damaged, readFileSync(database));
      truncateSync(damaged, 5000);
      const other = join(folder, 'other.db');
      writeFileSync(other, 'SQLite format 3? no');
      const input = JSON.stringify({ prompt: PROMPT });
      const faults: readonly (readonly [words: readonly string[], input: string, line: RegExp])[] = [
        [WORDS, '', /INPUT_NOT_JSON/],
        [WORDS, input.slice(0, -3), /INPUT_NOT_JSON/],
        [WORDS, '{"session_id": "a"}', /NO_PROMPT/],
        [['--mode', 'magic'], input, /INVALID_OPTION/],
        [['--bogus'], input, /ERR_PARSE_ARGS_UNKNOWN_OPTION/],
        [['--agent', 'Not A Slug', ...WORDS], input, /INVALID_PARAMETER/],
        [['--database', join(folder, 'missing.db')], input, /DATABASE_NOT_FOUND/],
        [['--database', folder], input, /NOT_A_CATALOGUE/],
        [['--database', other, ...WORDS], input, /NOT_A_CATALOGUE/],
        [['--database', damaged, ...WORDS], input, /DATABASE_DAMAGED|NOT_A_CATALOGUE/],
        [['--model', folder, '--mode', 'meaning'], input, /MODEL_NOT_READABLE/],
        [['--timeout', '1', ...WORDS], input, /TIME_LIMIT/],
      ];
      for (const [words, given, line] of faults) {
        const machine = newMachine();
        expect(await machine.hook(words, given), words.join(' ')).toEqual(SILENT);
        expect(machine.log()).toMatch(line);
        expect(machine.log().trimEnd().split('\n')).toHaveLength(1);
        expect(machine.log()).not.toMatch(/pdf|invoices|fill|folder|customers/i);
      }
    });

    test('answers by words where the model cannot be loaded, unless only meaning will do', async () => {
      const machine = newMachine();
      const input = JSON.stringify({ prompt: PROMPT });
      const { out } = await machine.hook(['--model', scratchFolder()], input);
      expect(out).toContain('pdf-forms');
      expect(await machine.hook(['--model', scratchFolder(), '--mode', 'meaning'], input)).toEqual(SILENT);
    });

    test('is silent after an error that nobody has caught', async () => {
      const machine = newMachine();
      // While it waits for its input.
      const thrown = `setInterval(() => { if (process.stdin.listenerCount('readable') > 0) throw new Error('late'); }, 10)`;
      const child = startProcess(['hook', '--timeout', '60000'], {
        env: { ...machine.env, NODE_OPTIONS: `--import="data:text/javascript,${thrown}"` },
      });
      const output = catchOutput(child);
      await once(child, 'close');
      expect([child.exitCode, output()]).toEqual([0, { out: '', error: '' }]);
    });

    test('ends well where its input never ends, nobody reads what it prints, and its log cannot be written', async () => {
      for (const isRead of [true, false]) {
        const child = newMachine().start([...WORDS, '--timeout', '60000']);
        const output = catchOutput(child);
        if (!isRead) child.stdout.destroy();
        child.stdin.write(JSON.stringify({ prompt: PROMPT }));
        await once(child, 'close');
        expect([child.exitCode, output().out.includes('pdf-forms')]).toEqual([0, isRead]);
      }
      const readOnly = newMachine();
      chmodSync(readOnly.folder, 0o500);
      expect(await readOnly.hook(WORDS, 'not json')).toEqual(SILENT);
      chmodSync(readOnly.folder, 0o700);
    });
  });

  describe.skipIf(process.platform === 'win32')('a running server', () => {
    for (const command of ['serve', 'mcp']) {
      test(`that is a ${command} answers in place of the command, and only while it runs`, async () => {
        const machine = newMachine();
        const words = command === 'serve' ? ['--port', '0', '--state', join(machine.folder, 'access.db')] : [];
        const server = machine.start([...words, '--database', database, '--log-level', 'silent'], command);
        // It opens the catalogue when its client has had an answer.
        if (command === 'mcp') server.stdin.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n');
        await expect.poll(() => machine.sockets()).toHaveLength(1);
        // Without a model of its own, so it must be the server that knows the meaning.
        const given = ['--mode', 'meaning', '--timeout', '60000', '--model', machine.folder];
        const prompt =
          'write release notes for customers that tell what changed between two versions, features and fixes';
        const { out } = await machine.hook(given, JSON.stringify({ prompt }));
        expect([machine.log(), out]).toEqual(['', expect.stringContaining('release-notes')]);
        const found = await machine.hook(['--timeout', '60000'], JSON.stringify({ prompt: PROMPT }));
        expect(found.out).toContain(join(pdf, 'SKILL.md'));
        expect(found.out).not.toContain('hidden-forms');
        expect(await machine.hook([...given, '--alone'], JSON.stringify({ prompt }))).toEqual(SILENT);

        if (command === 'serve') server.kill('SIGTERM');
        else server.stdin.end();
        await once(server, 'close');
        expect(machine.sockets()).toEqual([]);
        expect(await machine.hook(given, JSON.stringify({ prompt }))).toEqual(SILENT);
      });
    }
  });

  const EVENT = {
    session_id: '5f3c',
    transcript_path: '/home/a/.claude/projects/x/5f3c.jsonl',
    cwd: '/home/a/x',
    permission_mode: 'default',
    hook_event_name: 'UserPromptSubmit',
  };

  const SILENT: Captured = { status: 0, out: '', error: '' };

  /** A machine whose state and sockets lie in a folder of their own, and whose catalogue is that of this file. */
  function newMachine() {
    const folder = scratchFolder();
    const env = { XDG_STATE_HOME: folder, XDG_RUNTIME_DIR: folder, XDG_DATA_HOME: join(home, 'data') };
    const ours = join(folder, 'skill-discovery');
    const start = (words: readonly string[], command = 'hook'): ChildProcessWithoutNullStreams => {
      const child = startProcess([command, ...words], { env });
      child.stdin.on('error', () => {});
      onTestFinished(() => void child.kill('SIGKILL'));
      return child;
    };
    return {
      folder,
      env,
      start,
      async hook(words: readonly string[], input: string): Promise<Captured> {
        // A busy machine may need longer than a prompt should wait.
        const child = start(['--timeout', '60000', ...words]);
        const output = catchOutput(child);
        child.stdin.end(input);
        await once(child, 'close');
        return { status: child.exitCode ?? -1, ...output() };
      },
      log: () => (existsSync(join(ours, 'hook.log')) ? readFileSync(join(ours, 'hook.log'), 'utf8') : ''),
      sockets: () => (existsSync(ours) ? readdirSync(ours).filter((name) => name.endsWith('.sock')) : []),
    };
  }
});
