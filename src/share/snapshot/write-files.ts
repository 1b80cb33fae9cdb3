import { existsSync } from 'node:fs';
import { open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  clearUnfinished,
  makeFolder,
  orUndefined,
  SkillSearchError,
  sha256Of,
  syncToDisk,
  unfinishedFor,
} from '../../core/index.js';
import { derivedFiles, FileLock, isLoading, openForReading, readStamp, signatureOf } from '../../store/index.js';
import {
  CATALOGUE_NAME,
  CHUNK_BYTES,
  chunkPath,
  type Manifest,
  manifestText,
  readChunk,
  readManifest,
  type SnapshotFile,
} from './manifest.js';

/** What {@link writeFiles} did. */
export interface WrittenFiles {
  /** Path of the manifest. */
  readonly manifest: string;
  /** Bytes of all files of the catalogue. */
  readonly bytes: number;
  /** Chunks of the snapshot, each counted once. */
  readonly chunks: number;
  /** Chunks among them that were not there before. */
  readonly written: number;
  /** Bytes of these. */
  readonly writtenBytes: number;
  /** Chunks that were deleted. */
  readonly pruned: number;
}

/** What {@link writeFiles} writes, and where. */
export interface FilesToWrite {
  /** Absolute path of the catalogue. It is only read. */
  readonly database: string;
  /** Absolute path of the folder. */
  readonly folder: string;
  /** Whether to delete chunks that neither this snapshot nor the one before it uses. */
  readonly prunes: boolean;
  /** When the catalogue was written; left out for what its file says. */
  readonly written?: Date | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The manifest of a snapshot; the one before it is kept for {@link FilesToWrite.prunes}. */
const MANIFEST = 'manifest.json';
const FORMER = 'manifest-before.json';
const LOCK = '.snapshot-lock';

/**
 * The work of `writeSnapshot`: writes the files of a catalogue into a folder. The manifest is written last. A chunk
 * that is there already is not written again.
 *
 * @throws {SkillSearchError} those of opening the catalogue; `LOAD_IN_PROGRESS` if a load does not end, or changes
 *   follow one another too fast; `SNAPSHOT_NOT_WRITABLE`
 * @throws the signal's reason when aborted
 */
export async function writeFiles(files: FilesToWrite): Promise<WrittenFiles> {
  const { database, folder, signal } = files;
  // Plays back what a killed change has left, and says what is wrong with the catalogue.
  openForReading(database).close();
  let lock: FileLock | undefined;
  try {
    makeFolder(folder, { code: 'SNAPSHOT_NOT_WRITABLE' });
    lock = FileLock.take(join(folder, LOCK));
    if (lock !== undefined) return await write(files);
    const message = `another snapshot is being written into ${folder}`;
    throw new SkillSearchError('LOAD_IN_PROGRESS', message, { path: folder });
  } catch (error) {
    if (error instanceof SkillSearchError || signal?.aborted === true) throw error;
    const message = `cannot write a snapshot into ${folder}: ${(error as Error).message}`;
    throw new SkillSearchError('SNAPSHOT_NOT_WRITABLE', message, { path: folder, cause: error });
  } finally {
    lock?.release();
  }
}

async function write({ database, folder, prunes, written, signal }: FilesToWrite): Promise<WrittenFiles> {
  const path = join(folder, MANIFEST);
  const before = await readFile(path, 'utf8').catch(() => undefined);
  if (before !== undefined && digestsIn(before) === undefined) {
    const message = `${path} is not the manifest of a snapshot: choose another folder, or remove it`;
    throw new SkillSearchError('SNAPSHOT_NOT_WRITABLE', message, { path });
  }
  /** Bytes of the chunks that were not there, by digest. */
  const added = new Map<string, number>();
  const put = async (chunk: Buffer): Promise<string> => {
    const digest = sha256Of(chunk);
    const at = join(folder, chunkPath(digest));
    // Read, not believed: a disk may have lost bits of it.
    const there = await readFile(at).catch(() => undefined);
    if (there?.equals(chunk) === true) return digest;
    makeFolder(dirname(at), { code: 'SNAPSHOT_NOT_WRITABLE' });
    await replace(at, chunk);
    added.set(digest, chunk.length);
    return digest;
  };
  const read = await readWhileUnchanged(database, put, signal);
  const manifest = written === undefined ? read : { ...read, written: written.toISOString() };
  const text = manifestText(manifest);
  if (before !== text) {
    if (before !== undefined) await replace(join(folder, FORMER), before);
    await replace(path, text);
  }
  const used = new Set(digestsIn(text));
  return {
    manifest: path,
    bytes: manifest.files.reduce((sum, { bytes }) => sum + bytes, 0),
    chunks: used.size,
    written: [...used].filter((digest) => added.has(digest)).length,
    writtenBytes: [...added.values()].reduce((sum, bytes) => sum + bytes, 0),
    pruned: prunes ? await prune(folder, used) : 0,
  };
}

/** Writes a file that is whole, and on the disk, before it has its name. */
async function replace(path: string, content: string | Buffer): Promise<void> {
  clearUnfinished(path);
  const unfinished = unfinishedFor(path);
  try {
    await writeFile(unfinished, content);
    syncToDisk(unfinished);
    await rename(unfinished, path);
    syncToDisk(dirname(path));
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** Deletes the chunks that neither the manifest nor the one before it uses. */
async function prune(folder: string, used: ReadonlySet<string>): Promise<number> {
  const former = await readFile(join(folder, FORMER), 'utf8').catch(() => '');
  const kept = new Set([...used, ...(digestsIn(former) ?? [])]);
  let pruned = 0;
  for (const entry of await readdir(join(folder, 'chunks'), { recursive: true, withFileTypes: true })) {
    // A file that somebody else put there has another name, and is left alone.
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const isChunk = /^[0-9a-f]{64}$/.test(entry.name) && resolve(folder, chunkPath(entry.name)) === path;
    if (!entry.isFile() || kept.has(entry.name) || !isChunk) continue;
    await rm(path, { force: true });
    pruned++;
  }
  return pruned;
}

/** Digests of all chunks of a manifest; undefined if the text is none that this version can read. */
function digestsIn(text: string): string[] | undefined {
  return orUndefined(() => readManifest(text, MANIFEST).files.flatMap(({ chunks }) => chunks));
}

/** How often a catalogue is read at most, if it changes while it is read. */
const MOST_ATTEMPTS = 10;
/** Milliseconds to wait for a load that is running, and between two looks at it. */
const LONGEST_LOAD = 120_000;
const LOOK_AGAIN = 100;

/** Keeps a chunk, and returns its SHA-256, in hex. */
export type PutChunk = (chunk: Buffer) => Promise<string>;

/**
 * Reads the files of one revision of a catalogue in chunks: if they change meanwhile they are read again.
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
  const isBeingWritten = (): boolean => isLoading(database) || existsSync(`${database}-journal`);
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    for (const began = performance.now(); isBeingWritten(); ) {
      if (performance.now() - began > LONGEST_LOAD) {
        const message = `a load into ${database} has not ended: write the snapshot after it`;
        throw new SkillSearchError('LOAD_IN_PROGRESS', message, { path: database });
      }
      await wait(LOOK_AGAIN, undefined, { signal });
    }
    // Clocks of some file systems are too coarse for two changes in a row; SQLite counts them.
    const catalogue = openForReading(database);
    const state = async (): Promise<string> =>
      [await signatureOf(database), catalogue.pragma('data_version', { simple: true })].join();
    try {
      const before = await state();
      const stamp = readStamp(database);
      const files: SnapshotFile[] = [];
      for (const path of [database, ...derivedFiles(database)]) {
        const file = await readInChunks(path, put, signal);
        if (file !== undefined) files.push({ name: CATALOGUE_NAME + path.slice(database.length), ...file });
      }
      const { mtime } = await stat(database);
      if (!isBeingWritten() && (await state()) === before) {
        return { stamp, written: mtime.toISOString(), chunkBytes: CHUNK_BYTES, files };
      }
    } finally {
      catalogue.close();
    }
  }
  const message = `${database} was changed again and again while it was read`;
  throw new SkillSearchError('LOAD_IN_PROGRESS', message, { path: database });
}

/** @returns undefined if there is no such file */
async function readInChunks(
  path: string,
  put: PutChunk,
  signal: AbortSignal | undefined,
): Promise<Omit<SnapshotFile, 'name'> | undefined> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (file === undefined) return undefined;
  try {
    const chunks: string[] = [];
    let bytes = 0;
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (;;) {
      signal?.throwIfAborted();
      const length = await readChunk(file, buffer, bytes);
      if (length === 0) return { bytes, chunks };
      chunks.push(await put(buffer.subarray(0, length)));
      bytes += length;
    }
  } finally {
    await file.close();
  }
}
