import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'pipe-key';
const KEY = /^[0-9a-f]{32}$/;

/**
 * The secret part of the names of this user's pipes. Pipes of Windows lie in no folder: whoever knows a name could
 * listen at it first, and would be asked.
 *
 * @returns undefined if there is none yet, or it cannot be read
 */
export function readPipeKey(folder: string): string | undefined {
  try {
    const key = readFileSync(join(folder, FILE), 'utf8');
    return KEY.test(key) ? key : undefined;
  } catch {
    return undefined;
  }
}

/** The same, made where there is none. */
export function ensurePipeKey(folder: string): string | undefined {
  try {
    writeFileSync(join(folder, FILE), randomBytes(16).toString('hex'), { flag: 'wx', mode: 0o600 });
  } catch {
    // Another process was first, or nothing can be written; reading tells.
  }
  return readPipeKey(folder);
}

/** The name of the pipe at which a catalogue's process listens. */
export function pipeName(name: string, key: string): string {
  return String.raw`\\.\pipe\skill-discovery-${name}-${key}`;
}
