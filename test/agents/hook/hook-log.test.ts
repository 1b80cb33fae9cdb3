import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HOOK_LIMITS } from '../../../src/agents/hook/host-format.js';
import { logFailure } from '../../../src/agents/hook/run-hook.js';
import { SkillSearchError } from '../../../src/core/index.js';
import { scratchFile, scratchFolder } from '../../scratch-folder.js';

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
    expect(lines[0]).toMatch(/Z TypeError hook-log\.test\.ts:\d+:\d+$/);
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

  test('fails silently where nothing can be written', () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, 'file'), '');
    logFailure(join(folder, 'file'), new Error(SECRET));
    chmodSync(folder, 0o500);
    logFailure(join(folder, 'state'), new Error(SECRET));
    chmodSync(folder, 0o700);
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('');
  });
});

function linesIn(folder: string): string[] {
  return readFileSync(join(folder, 'hook.log'), 'utf8').trimEnd().split('\n');
}
