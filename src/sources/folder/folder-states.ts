import { type BigIntStats, lstatSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { hasRest, isSame, SETTLED_MS } from './file-state.js';

interface Noted {
  readonly path: string;
  readonly realPath: string;
  readonly state: BigIntStats | undefined;
}

/** Tells which folders changed since they were listed: a file has come or gone, or another folder stood there. */
export class FolderStates {
  readonly #noted: Noted[] = [];

  /** Call it before the folder is listed. It waits if the folder has just changed. */
  async note(path: string, realPath: string): Promise<void> {
    const state = stateOf(realPath);
    this.#noted.push({ path, realPath, state });
    if (state !== undefined && !hasRest(state)) await setTimeout(SETTLED_MS);
  }

  /** Paths of those folders, as they were noted. */
  changed(): string[] {
    return this.#noted.filter(isChanged).map(({ path }) => path);
  }
}

function isChanged({ realPath, state }: Noted): boolean {
  // One that cannot be looked at was reported when it was listed.
  const now = stateOf(realPath);
  return now === undefined ? state !== undefined : state === undefined || !isSame(state, now);
}

function stateOf(realPath: string): BigIntStats | undefined {
  try {
    return lstatSync(realPath, { bigint: true });
  } catch {
    return undefined;
  }
}
