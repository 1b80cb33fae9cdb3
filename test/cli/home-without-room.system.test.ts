import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { scratchFolder } from '../scratch-folder.js';
import type { Captured } from './run-captured.js';
import { runProcess } from './run-process.js';

/** A process that waits for ever fails its test by this. */
const PATIENCE = 60_000;

const PROMPT = JSON.stringify({ prompt: 'Fill in the form fields of this PDF for each of our customers' });

const OF_USER = ['XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME', 'XDG_RUNTIME_DIR', 'XDG_CONFIG_HOME'];

/** Runs the command line for a user whose own folders can be made nowhere: their home is /proc, or has a file there. */
function runWithin(home: string, folder: string, words: readonly string[], input = ''): Promise<Captured> {
  const folders = Object.fromEntries(OF_USER.map((name) => [name, folder]));
  // Node 22 and later keep compiled code in such a folder, unless they are told not to.
  const env = { HOME: home, USERPROFILE: home, LOCALAPPDATA: folder, APPDATA: folder, ...folders };
  return runProcess(words, input, { env: { ...env, NODE_DISABLE_COMPILE_CACHE: '' } });
}

describe.each([
  ['a file in the place of its folders', 'file'],
  ...(process.platform === 'linux' ? [['a home in /proc', 'proc'] as const] : []),
] as const)('with %s', (_, kind) => {
  const places = (): { readonly home: string; readonly folder: string } => {
    if (kind === 'proc') return { home: '/proc', folder: '' };
    const home = scratchFolder();
    writeFileSync(join(home, 'file'), '');
    return { home, folder: join(home, 'file', 'below') };
  };

  test('hook is silent and done', { timeout: PATIENCE }, async () => {
    const { home, folder } = places();
    expect(await runWithin(home, folder, ['hook'], PROMPT)).toEqual({ status: 0, out: '', error: '' });
  });

  test('load --installed says which folder cannot be made, and ends with 1', { timeout: PATIENCE }, async () => {
    const { home, folder } = places();
    const { status, out, error } = await runWithin(home, folder, ['load', '--installed', '--no-semantic']);
    expect([status, out]).toEqual([1, '']);
    expect(error).toMatch(/^error: the folder ".*skill-discovery" cannot be made: .+\n$/);
  });

  test('init --yes says which folder cannot be made, and ends with 1', { timeout: PATIENCE }, async () => {
    const { home, folder } = places();
    const words = ['init', '--agents', 'claude-code', '--yes', '--no-semantic'];
    const { status, error } = await runWithin(home, folder, words);
    expect(status).toBe(1);
    expect(error).toMatch(/^error: the folder ".*skill-discovery" cannot be made: .+\n$/);
    if (kind === 'file') expect(readdirSync(home)).toEqual(['file']);
  });
});
