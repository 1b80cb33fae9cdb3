import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runHook } from '../../../src/agents/hook/run-hook.js';
import { buildCatalogue } from '../../../src/index.js';
import { row } from '../../rows.js';
import { scratchFolder } from '../../scratch-folder.js';

vi.mock('node:os', async (original) => {
  const os = await original<typeof import('node:os')>();
  return { ...os, homedir: vi.fn(os.homedir) };
});

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

  test('is silent for a user without a home', async () => {
    vi.mocked(homedir).mockImplementation(() => {
      throw new Error('ENOENT: no such file or directory, uv_os_homedir');
    });
    expect(await hook([])).toBe('');
    expect(existsSync(join(folder, 'STATE'))).toBe(false);
  });
});

/** What is printed for the prompt. */
async function hook(words: readonly string[], input = new PassThrough()): Promise<string> {
  const output = new PassThrough();
  input.end(PROMPT);
  await runHook(['--format', 'plain', '--timeout', '60000', ...words], { input, output });
  return String(output.read() ?? '');
}
