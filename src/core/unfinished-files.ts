import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isAlive } from './is-alive.js';

/** Where a file is written before it takes its place. Two runs at once have two of them. */
export function unfinishedFor(target: string): string {
  return `${target}.${process.pid}-${randomBytes(6).toString('hex')}.skill-discovery-part`;
}

/** What {@link unfinishedFor} puts behind the name of a file, or of a copy of it. */
const UNFINISHED = /^(?:\.[\dTZ-]+\.bak)?\.(\d+)-[0-9a-f]{12}\.skill-discovery-part$/;

/** Removes what runs that are no more have left unfinished of a file, and of copies beside it. */
export function clearUnfinished(path: string): void {
  const [folder, name] = [dirname(path), basename(path)];
  for (const other of namesIn(folder)) {
    const pid = other.startsWith(name) ? UNFINISHED.exec(other.slice(name.length))?.[1] : undefined;
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, other), { force: true });
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
