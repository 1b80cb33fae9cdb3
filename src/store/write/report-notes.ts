import { appendFileSync, closeSync, existsSync, fsyncSync, openSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncToDisk } from '../../core/index.js';
import type { WriterStatements } from './writer-statements.js';

/** What changed skills were before: their hash, null for one that was not there. By id. */
type FormerVersions = ReadonlyMap<string, Buffer | null>;

/** What a load changed of which nobody has been told: all skills are new, or these were something else before. */
export type Unreported = 'all-new' | FormerVersions;

/** A load and the state of the catalogue that it makes. */
interface Section {
  readonly stamp: string;
  readonly loadKey: string;
  readonly allNew: boolean;
}

/** Lines that are written at once. */
const LINES_AT_ONCE = 4096;
const END = 'end';

/**
 * Notes what a load changed, in a file beside the catalogue, from its last commit until its report was given. If the
 * process dies in between, the next load of the same sources finds everything unchanged. By the notes its report says
 * what happened to the catalogue all the same.
 *
 * The file has a section for each commit, of JSON lines: the head, a line for each changed skill, and the end. Only one
 * section can be of the catalogue's present state. A section without an end was cut off, so it was never committed.
 */
export class ReportNotes {
  readonly #path: string;

  /** @param path of the file */
  constructor(path: string) {
    this.#path = path;
  }

  /** @returns what a load with this key changed that made the state with this stamp; undefined if nothing is noted */
  read(stamp: string, loadKey: string): Unreported | undefined {
    if (!existsSync(this.#path)) return undefined;
    let found: { readonly allNew: boolean; readonly versions: Map<string, Buffer | null> } | undefined;
    for (const line of readFileSync(this.#path, 'utf8').split('\n')) {
      const value = parse(line);
      if (value === END && found !== undefined) return found.allNew ? 'all-new' : found.versions;
      if (Array.isArray(value)) {
        const [id, was] = value as [string, string | null];
        found?.versions.set(id, was === null ? null : Buffer.from(was, 'hex'));
      } else {
        const head = value as Partial<Section> | undefined;
        const isAsked = head?.stamp === stamp && head.loadKey === loadKey;
        found = isAsked ? { allNew: head.allNew === true, versions: new Map() } : undefined;
      }
    }
    return undefined;
  }

  /** Adds a section. It is on the disk when this returns. */
  append(
    stamp: string,
    loadKey: string,
    changes: 'all-new' | Iterable<readonly [id: string, was: Buffer | null]>,
  ): void {
    const head: Section = { stamp, loadKey, allNew: changes === 'all-new' };
    const file = openSync(this.#path, 'a');
    try {
      // A section that was cut off may end without a line end.
      let lines = ['', JSON.stringify(head)];
      for (const [id, was] of changes === 'all-new' ? [] : changes) {
        lines.push(JSON.stringify([id, was === null ? null : was.toString('hex')]));
        if (lines.length < LINES_AT_ONCE) continue;
        appendFileSync(file, `${lines.join('\n')}\n`);
        lines = [];
      }
      lines.push(JSON.stringify(END));
      appendFileSync(file, `${lines.join('\n')}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    // Else a power cut may leave the commit, but no file of this name.
    syncToDisk(dirname(this.#path));
  }

  /** Deletes the file: the report was given. */
  forget(): void {
    rmSync(this.#path, { force: true });
  }
}

/** How many skills changed since the state that the notes begin at, and how many of some skills did not. */
export function countUnreported(
  unreported: Unreported,
  statements: WriterStatements,
  brought: ReadonlySet<number>,
): { readonly added: number; readonly updated: number; readonly removed: number; readonly unchanged: number } {
  if (unreported === 'all-new') return { ...statements.countAllAsAdded(), unchanged: 0 };
  let [added, updated, removed, unchanged] = [0, 0, 0, brought.size];
  for (const [id, was] of unreported) {
    const stored = statements.find.get(id);
    if (stored === undefined) removed += was === null ? 0 : 1;
    else if (was?.equals(stored.hash) !== true) {
      if (was === null) added += 1;
      else updated += 1;
      if (brought.has(stored.number)) unchanged -= 1;
    }
  }
  return { added, updated, removed, unchanged };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
