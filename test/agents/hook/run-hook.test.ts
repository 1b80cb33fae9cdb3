import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { HOOK_LIMITS } from '../../../src/agents/hook/host-format.js';
import { logFailure, runHook } from '../../../src/agents/hook/run-hook.js';
import { SkillSearchError } from '../../../src/core/index.js';
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
    test('answers where its working folder was removed', async () => {
      const database = join(folder, 'skills.db');
      const others = Array.from({ length: 30 }, (_, i) =>
        row(`other-${i}`, { description: `Other matter number ${i}.` }),
      );
      const pdf = row('pdf-forms', { description: 'Fills in PDF forms from a folder, such as invoices.' });
      await buildCatalogue({ database, sources: [[pdf, ...others]], semantic: false });
      vi.spyOn(process, 'cwd').mockImplementation(() => {
        throw Object.assign(new Error('ENOENT: no such file or directory, uv_cwd'), { code: 'ENOENT' });
      });
      expect(await hook(['--database', database, '--mode', 'words'])).toContain('pdf-forms');
      expect(await hook(['--bogus'])).toBe('');
      const log = join(folder, 'STATE', 'skill-discovery', 'hook.log');
      expect(readFileSync(log, 'utf8')).toMatch(/^\S+ ERR_PARSE_ARGS_UNKNOWN_OPTION\n$/);
    });

    test('prints nothing after its time limit, also where the event loop was held until then', async () => {
      const database = join(folder, 'skills.db');
      const pdf = row('pdf-forms', { description: 'Fills in PDF forms from a folder, such as invoices.' });
      await buildCatalogue({ database, sources: [[pdf]], semantic: false });
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

  /** What is printed for the prompt. */
  async function hook(words: readonly string[], input = new PassThrough()): Promise<string> {
    const output = new PassThrough();
    input.end(PROMPT);
    await runHook(['--format', 'plain', '--timeout', '60000', ...words], { input, output });
    return String(output.read() ?? '');
  }
});

describe('hook log', () => {
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

    test('says of an error without a code where it was thrown, and nothing of its message', () => {
      const folder = scratchFolder();
      const failures: unknown[] = [
        new TypeError(SECRET),
        new Error(`${SECRET}\n    at ${SECRET} (/home/secret.ts:1:1)`),
        Object.assign(new Error(SECRET), { code: SECRET }),
        Object.assign(new Error(SECRET), { name: SECRET }),
        SECRET,
        undefined,
      ];
      for (const failure of failures) logFailure(folder, failure);
      const lines = linesIn(folder);
      expect(lines).toHaveLength(failures.length);
      expect(lines[0]).toMatch(/Z TypeError run-hook\.test\.ts:\d+:\d+$/);
      expect(lines[4]).toMatch(/Z UNKNOWN$/);
      for (const line of lines) expect(line).not.toMatch(/secret|words|prompt/);
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
});
