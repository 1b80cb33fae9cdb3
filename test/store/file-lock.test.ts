import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { FileLock } from '../../src/store/locks.js';
import { scratchFile } from '../scratch-folder.js';

const MODULE = new URL('../../src/store/locks.ts', import.meta.url).href;

/** Whether another process gets the lock. */
async function isFreeElsewhere(path: string): Promise<boolean> {
  const program = `const { FileLock } = await import(process.argv[1]);
    const lock = FileLock.take(process.argv[2]);
    lock?.release();
    process.stdout.write(lock === undefined ? 'taken' : 'free');`;
  const args = ['--import', 'tsx', '--input-type=module', '-e', program, MODULE, path];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return stdout === 'free';
}

describe('a lock on a file', { timeout: 120_000 }, () => {
  test('is held once, and free again when it is released, without a file', () => {
    const path = scratchFile('lock');
    const lock = FileLock.take(path)!;
    expect(FileLock.take(path)).toBeUndefined();
    lock.release();
    lock.release();
    expect(existsSync(path)).toBe(false);
    const again = FileLock.take(path);
    expect(again).toBeDefined();
    again!.release();
  });

  test('keeps other processes out, also after somebody in its own process was refused', async () => {
    const path = scratchFile('lock');
    const lock = FileLock.take(path)!;
    expect(FileLock.take(path)).toBeUndefined();
    expect(await isFreeElsewhere(path)).toBe(false);
    lock.release();
    expect(await isFreeElsewhere(path)).toBe(true);
  });
});
