import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { HOOK_LIMITS } from '../../../src/agents/hook/host-format.js';
import { logFailure, runHook } from '../../../src/agents/hook/run-hook.js';
import { readUsage, SkillSearchError, usageFile } from '../../../src/core/index.js';
import { buildCatalogue } from '../../../src/index.js';
import { row } from '../../rows.js';
import { scratchFile, scratchFolder } from '../../scratch-folder.js';

describe('run hook', () => {
  const PROMPT = 'fill in PDF forms from a folder of invoices: names, dates, amounts and addresses of customers';

  let folder: string;

  beforeEach(() => {
    folder = scratchFolder();
    for (const kind of ['DATA', 'STATE']) vi.stubEnv(`XDG_${kind}_HOME`, join(folder, kind));
    vi.stubEnv('XDG_RUNTIME_DIR', join(folder, 'run'));
  });

  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });

  describe('the hook of a prompt', () => {
    let database: string;

    beforeEach(async () => {
      database = join(folder, 'skills.db');
      const others = Array.from({ length: 30 }, (_, i) => row(`other-${i}`, { description: `Other matter ${i}.` }));
      const pdf = row('pdf-forms', { description: 'Fills in PDF forms from a folder, such as invoices.' });
      await buildCatalogue({ database, sources: [[pdf, ...others]], semantic: false });
    });

    test('answers where its working folder was removed', async () => {
      vi.spyOn(process, 'cwd').mockImplementation(() => {
        throw Object.assign(new Error('ENOENT: no such file or directory, uv_cwd'), { code: 'ENOENT' });
      });
      expect(await hook(['--database', database, '--mode', 'words'])).toContain('pdf-forms');
      expect(await hook(['--bogus'])).toBe('');
      const log = join(folder, 'STATE', 'skill-discovery', 'hook.log');
      expect(readFileSync(log, 'utf8')).toMatch(/^\S+ ERR_PARSE_ARGS_UNKNOWN_OPTION\n$/);
    });

    test('prints nothing after its time limit, also where the event loop was held until then', async () => {
      const input = new PassThrough();
      const limit = Math.ceil(performance.now()) + 300;
      input.once('newListener', () => {
        while (performance.now() < limit + 50);
      });
      expect(await hook(['--database', database, '--mode', 'words', '--timeout', String(limit)], input)).toBe('');
      const log = join(folder, 'STATE', 'skill-discovery', 'hook.log');
      expect(readFileSync(log, 'utf8')).toMatch(/^\S+ TIME_LIMIT\n$/);
    });
  });

  describe('a prompt of Claude Code', () => {
    const database = (): string => join(folder, 'skills.db');
    const plugin = (): string => join(folder, 'home', '.claude', 'plugins', 'cache', 'market', 'document-skills', '1');

    beforeEach(async () => {
      const plugins = join(folder, 'home', '.claude', 'plugins');
      mkdirSync(plugins, { recursive: true });
      const list = { version: 2, plugins: { 'document-skills@market': [{ installPath: plugin() }] } };
      writeFileSync(join(plugins, 'installed_plugins.json'), JSON.stringify(list));
      const path = join(plugin(), 'skills', 'pdf');
      mkdirSync(path, { recursive: true });
      writeFileSync(join(path, 'SKILL.md'), `---\nname: pdf\ndescription: ${DESCRIPTION}\n---\nText`);
      const others = Array.from({ length: 30 }, (_, i) => row(`other-${i}`, { description: `Other matter ${i}.` }));
      const home = join(folder, 'home');
      const installed = { installed: { home, cwd: home, env: {}, agents: ['claude-code'] } };
      await buildCatalogue({ database: database(), sources: [others, installed], semantic: false });
    });

    const DESCRIPTION = 'Fills in PDF forms from a folder, such as invoices.';

    const asked = (prompt: string, session = 'one', ...more: readonly string[]): Promise<string> => {
      const input = new PassThrough();
      input.end(JSON.stringify({ prompt, session_id: session, hook_event_name: 'UserPromptSubmit' }));
      return hook(['--format', 'claude-code', '--database', database(), '--mode', 'words', ...more], input);
    };

    test('gets a skill that it names, called as its tool calls it, where the search alone would be silent', async () => {
      expect(await asked('and now?')).toBe('');
      expect(await asked('lies bitte den PDF-Skill')).toContain('<name>document-skills:pdf</name>');
    });

    test('gets a skill once in a session, unless it names it, and the log has no word of the prompt', async () => {
      expect(await asked(PROMPT)).toContain('document-skills:pdf');
      expect(await asked(PROMPT)).toBe('');
      expect(await asked(PROMPT, 'two')).toContain('document-skills:pdf');
      expect(await asked('use the pdf skill')).toContain('document-skills:pdf');
      const lines = readUsage(database());
      expect(lines.map(({ skills }) => skills.filter((id) => id.includes('pdf')).length)).toEqual([1, 0, 1, 1]);
      expect(new Set(lines.map(({ host, kind }) => `${host} ${kind}`))).toEqual(new Set(['claude-code shown']));
      expect(readFileSync(usageFile(database()), 'utf8')).not.toMatch(/invoices|folder/);
    });

    test('notes nothing with --no-usage', async () => {
      expect(await asked(PROMPT, 'one', '--no-usage')).toContain('document-skills:pdf');
      expect(readUsage(database())).toEqual([]);
    });
  });

  /** What is printed for the prompt. */
  async function hook(words: readonly string[], input = new PassThrough()): Promise<string> {
    const output = new PassThrough();
    if (!input.writableEnded) input.end(PROMPT);
    await runHook(['--format', 'plain', '--timeout', '60000', ...words], { input, output });
    return String(output.read() ?? '');
  }
});

const SECRET = 'the words of a prompt';

describe('the log of the hook', () => {
  test('has a line for each failure: when, and its code', () => {
    const folder = join(scratchFile('state'), 'skill-discovery');
    logFailure(folder, new SkillSearchError('DATABASE_NOT_FOUND', SECRET));
    logFailure(folder, new SkillSearchError('NO_VECTORS', SECRET));
    expect(linesIn(folder)).toEqual([
      expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z DATABASE_NOT_FOUND$/),
      expect.stringMatching(/Z NO_VECTORS$/),
    ]);
  });

  test('says nothing of the message of an error, nor of a code that is none', () => {
    const folder = scratchFolder();
    const failures = [new TypeError(SECRET), Object.assign(new Error(SECRET), { code: SECRET }), SECRET, undefined];
    for (const failure of failures) logFailure(folder, failure);
    expect(linesIn(folder).map((line) => line.split(' ')[1])).toEqual(['TypeError', 'Error', 'UNKNOWN', 'UNKNOWN']);
  });

  test('is for the user alone, and at most two files of a bounded size', () => {
    const folder = scratchFolder();
    const path = join(folder, 'hook.log');
    for (let round = 0; round < 3; round++) {
      writeFileSync(path, 'x'.repeat(HOOK_LIMITS.logBytes), { flag: 'a' });
      for (let i = 0; i < 3; i++) logFailure(folder, new SkillSearchError('BUSY', ''));
    }
    expect(readdirSync(folder).sort()).toEqual(['hook.log', 'hook.log.1']);
    for (const name of readdirSync(folder)) {
      expect(statSync(join(folder, name)).size).toBeLessThan(2 * HOOK_LIMITS.logBytes + 1000);
    }
    const fresh = scratchFolder();
    logFailure(fresh, new SkillSearchError('BUSY', ''));
    if (process.platform !== 'win32') expect(statSync(join(fresh, 'hook.log')).mode & 0o777).toBe(0o600);
  });
});

function linesIn(folder: string): string[] {
  return readFileSync(join(folder, 'hook.log'), 'utf8').trimEnd().split('\n');
}
