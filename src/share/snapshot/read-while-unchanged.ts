import { existsSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { SkillSearchError } from '../../core/index.js';
import { derivedFiles, isIndexing, isLoading, openForReading, readStamp, signatureOf } from '../../store/index.js';
import { readChunk } from './chunks.js';
import { CATALOGUE_NAME, CHUNK_BYTES, type Manifest, type SnapshotFile } from './manifest.js';

/** How often a catalogue is read at most, if it changes while it is read. */
const MOST_ATTEMPTS = 10;
/** Milliseconds to wait for a load that is running, and between two looks at it. */
const LONGEST_LOAD = 120_000;
const LOOK_AGAIN = 100;

/**
 * Keeps a chunk.
 *
 * @param path of the file that it was read from
 * @param offset of its first byte in that file
 * @returns its SHA-256, in hex
 */
export type PutChunk = (chunk: Buffer, path: string, offset: number) => Promise<string>;

/**
 * Reads the files of one state of a catalogue in chunks: if they change meanwhile they are read again.
 *
 * @throws {SkillSearchError} `LOAD_IN_PROGRESS` if a load does not end, or changes follow one another too fast; those
 *   of opening the catalogue
 * @throws the signal's reason when aborted
 */
export async function readWhileUnchanged(
  database: string,
  put: PutChunk,
  signal: AbortSignal | undefined,
): Promise<Manifest> {
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    await untilNobodyWrites(database, signal);
    // Clocks of some file systems are too coarse for two changes in a row; SQLite counts them.
    const catalogue = openForReading(database);
    const version = (): unknown => catalogue.pragma('data_version', { simple: true });
    const before = [await signatureOf(database), version()].join();
    const stamp = readStamp(database);
    const files: SnapshotFile[] = [];
    try {
      for (const path of [database, ...derivedFiles(database)]) {
        const file = await readInChunks(path, put, signal);
        if (file !== undefined) files.push({ name: CATALOGUE_NAME + path.slice(database.length), ...file });
      }
      const { mtime } = await stat(database);
      if (!isBeingWritten(database) && [await signatureOf(database), version()].join() === before) {
        return { stamp, written: mtime.toISOString(), chunkBytes: CHUNK_BYTES, files };
      }
    } finally {
      catalogue.close();
    }
  }
  throw new SkillSearchError('LOAD_IN_PROGRESS', `${database} was changed again and again while it was read`, {
    path: database,
  });
}

async function untilNobodyWrites(database: string, signal: AbortSignal | undefined): Promise<void> {
  const began = performance.now();
  while (isBeingWritten(database)) {
    if (performance.now() - began > LONGEST_LOAD) {
      const message = `a load into ${database} has not ended: write the snapshot after it`;
      throw new SkillSearchError('LOAD_IN_PROGRESS', message, { path: database });
    }
    await wait(LOOK_AGAIN, undefined, { signal });
  }
}

function isBeingWritten(database: string): boolean {
  return isLoading(database) || isIndexing(database) || existsSync(`${database}-journal`);
}

async function readInChunks(
  path: string,
  put: PutChunk,
  signal: AbortSignal | undefined,
): Promise<Omit<SnapshotFile, 'name'> | undefined> {
  const file = await openIfThere(path);
  if (file === undefined) return undefined;
  try {
    const chunks: string[] = [];
    let bytes = 0;
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (;;) {
      signal?.throwIfAborted();
      const length = await readChunk(file, buffer, bytes);
      if (length === 0) return { bytes, chunks };
      chunks.push(await put(buffer.subarray(0, length), path, bytes));
      bytes += length;
    }
  } finally {
    await file.close();
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
