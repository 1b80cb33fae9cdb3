import { appendFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { HOOK_LIMITS, makeFolder } from '../../core/index.js';

/**
 * Writes a line to `hook.log` in a folder: when, and what went wrong. Nothing that a prompt says may be in it, so of an
 * error only its code, or its name and the place in our code, never its message. Fails silently: there is nowhere to
 * say it.
 */
export function logFailure(folder: string, error: unknown): void {
  try {
    const path = join(folder, 'hook.log');
    makeFolder(folder, { mode: 0o700 });
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > HOOK_LIMITS.logBytes) renameSync(path, `${path}.1`);
    appendFileSync(path, `${new Date().toISOString()} ${nameOf(error)}\n`, { mode: 0o600 });
  } catch {
    // A folder that cannot be written.
  }
}

const CODE = /^[A-Z][A-Z_]{2,50}$/;
/** A place in a stack, which no message of an error begins a line like. */
const PLACE = /^ {4}at (?:.*[/\\(])?([\w.-]+\.[cm]?[jt]s:\d+:\d+)\)?$/m;

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'UNKNOWN';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (CODE.test(code)) return code;
  const place = PLACE.exec((error.stack ?? '').slice(error.message.length))?.[1];
  return `${error.constructor.name} ${place ?? ''}`.trim();
}
