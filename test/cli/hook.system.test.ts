import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildCatalogue } from '../../src/index.js';
import { permanentFolder } from '../package/permanent-folder.js';
import { row } from '../rows.js';
import { scratchFolder } from '../scratch-folder.js';
import { type Captured, runCaptured } from './run-captured.js';
import { catchOutput, startProcess } from './run-process.js';

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
  const others = Array.from({ length: 30 }, (_, i) => row(`other-${i}`, { description: `Other matter number ${i}.` }));
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

  test('by meaning finds skills as well', async () => {
    const machine = newMachine();
    const prompt = 'write release notes for customers that tell what changed between two versions, features and fixes';
    const given = ['--mode', 'meaning', '--timeout', '60000', '--format', 'plain', '--limit', '2'];
    const { out } = await machine.hook(given, prompt);
    expect([machine.log(), out]).toEqual(['', expect.stringContaining('release-notes')]);
    expect(out.match(/<skill>/g)).toHaveLength(2);
  });

  test('says nothing where nothing fits', async () => {
    const machine = newMachine();
    for (const prompt of ['yes, do that', 'thanks!', '/clear', '👍', '']) {
      expect(await machine.hook(WORDS, JSON.stringify({ prompt }))).toEqual(SILENT);
    }
    expect(machine.log()).toBe('');
  });

  test('shows with --agent only what that agent has', async () => {
    const machine = newMachine();
    const input = JSON.stringify({ prompt: PROMPT });
    expect(await machine.hook([...WORDS, '--agent', 'claude-code'], input)).toEqual(SILENT);
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
      [WORDS, PROMPT, /INPUT_NOT_JSON/],
      [WORDS, input.slice(0, -3), /INPUT_NOT_JSON/],
      [WORDS, '{"session_id": "a"}', /NO_PROMPT/],
      [['--mode', 'magic'], input, /INVALID_OPTION/],
      [['--limit', '0'], input, /INVALID_OPTION/],
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
    const thrown = `setInterval(() => { if (process.stdin.listenerCount('data') > 0) throw new Error('late'); }, 10)`;
    const child = startProcess(['hook', '--timeout', '60000'], {
      env: { ...machine.env, NODE_OPTIONS: `--import="data:text/javascript,${thrown}"` },
    });
    const output = catchOutput(child);
    await once(child, 'close');
    expect([child.exitCode, output()]).toEqual([0, { out: '', error: '' }]);
  });

  test('ends at its time limit where the input never does', async () => {
    const machine = newMachine();
    const child = machine.start(['--timeout', '2500', '--format', 'plain']);
    child.stdin.write(PROMPT);
    const output = catchOutput(child);
    await once(child, 'close');
    expect([child.exitCode, output()]).toEqual([0, { out: '', error: '' }]);
    expect(machine.log()).toContain('TIME_LIMIT');
  });

  test('answers as soon as the object is whole, though the input never ends', async () => {
    const machine = newMachine();
    const child = machine.start([...WORDS, '--timeout', '60000']);
    child.stdin.write(JSON.stringify({ prompt: PROMPT }));
    const output = catchOutput(child);
    await once(child, 'close');
    expect([child.exitCode, output().out]).toEqual([0, expect.stringContaining('pdf-forms')]);
  });

  test('ends well where nobody reads what it prints, and where its log cannot be written', async () => {
    const machine = newMachine();
    const child = machine.start(WORDS);
    child.stdout.destroy();
    child.stdin.end(JSON.stringify({ prompt: PROMPT }));
    await once(child, 'close');
    expect(child.exitCode).toBe(0);

    const readOnly = newMachine();
    chmodSync(readOnly.folder, 0o500);
    expect(await readOnly.hook(WORDS, 'not json')).toEqual(SILENT);
    chmodSync(readOnly.folder, 0o700);
  });

  test('cuts a huge prompt, and refuses an input beyond its limit', async () => {
    const machine = newMachine();
    const huge = JSON.stringify({ prompt: `${PROMPT} ${'x '.repeat(500_000)}` });
    expect((await machine.hook(WORDS, huge)).status).toBe(0);
    expect(machine.log()).toBe('');
    expect(await machine.hook(WORDS, JSON.stringify({ prompt: 'x'.repeat(5_000_000) }))).toEqual(SILENT);
    expect(machine.log()).toContain('INPUT_TOO_LONG');
  });

  test('has a help, and is listed in that of the program', async () => {
    const { out } = await runCaptured(['hook', '--help']);
    expect(out).toContain('--max-tokens <n>');
    expect((await runCaptured(['--help'])).out).toContain('hook [options]');
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
