import { stat } from 'node:fs/promises';
import { resolveDatabase } from '../core/index.js';

/**
 * The files beside a catalogue:
 *
 *     skills.db                     the catalogue: what readers open; a load never writes to it
 *     skills.db.keyword             derived: the index of words and the columns
 *     skills.db.vectors             derived: the codes of the vectors
 *     skills.db.vectors-graph       derived: the graph of near neighbours; with several of them the first
 *     skills.db.vectors-graph-2     derived: the second of these, and so on, at most four
 *     skills.db.usage               which skills were used for what; see usage-log.ts of core
 *     skills.db.loading             the staging file of a load; survives a kill, and the next load takes its vectors
 *     skills.db.loading-part        a staging file that is being made
 *     skills.db.loading-lock        locked while a load runs
 *     skills.db.watch-KEY           locked by the one watch of some sources that loads; see {@link watchLock}
 *     skills.db.watch-KEY-ready     there once its first load has ended
 */
export interface CatalogueFiles {
  readonly keyword: string;
  readonly vectors: string;
  readonly graphs: readonly string[];
  readonly loading: string;
  readonly loadingPart: string;
  readonly loadingLock: string;
}

/** Paths of the files beside a catalogue. */
export function filesBeside(catalogue: string): CatalogueFiles {
  return {
    keyword: `${catalogue}.keyword`,
    vectors: `${catalogue}.vectors`,
    graphs: ['', '-2', '-3', '-4'].map((which) => `${catalogue}.vectors-graph${which}`),
    loading: `${catalogue}.loading`,
    loadingPart: `${catalogue}.loading-part`,
    loadingLock: `${catalogue}.loading-lock`,
  };
}

/**
 * Path of the file that is locked by a watch.
 *
 * @param key stands for its sources and options
 */
export function watchLock(catalogue: string, key: string): string {
  return `${catalogue}.watch-${key}`;
}

/** Paths of the files that can be rebuilt from a catalogue at any time. */
export function derivedFiles(catalogue: string): readonly string[] {
  const { keyword, vectors, graphs } = filesBeside(catalogue);
  return [keyword, vectors, ...graphs];
}

/** Paths of a database and of the files that SQLite may keep beside it while it writes. */
export function sqliteFiles(database: string): readonly string[] {
  return ['', '-wal', '-shm', '-journal'].map((suffix) => database + suffix);
}

/**
 * A text that changes whenever a catalogue's file or one of its derived files is replaced or written to.
 *
 * @returns an empty text if there is no catalogue
 */
export async function signatureOf(path: string): Promise<string> {
  const database = resolveDatabase(path);
  const files = [database, ...derivedFiles(database)];
  const [catalogue, ...derived] = await Promise.all(files.map(signatureOfFile));
  return catalogue === '' ? '' : [catalogue, ...derived].join(' ');
}

/** Which file a signature is of, whatever was written to it since. */
export function inodeIn(signature: string): string {
  return signature.split(':', 1)[0]!;
}

async function signatureOfFile(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs } = await stat(path);
    return [ino, size, mtimeMs].join(':');
  } catch {
    return '';
  }
}
