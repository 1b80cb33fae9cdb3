import { existsSync } from 'node:fs';
import { type FileHandle, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { clearUnfinished, makeFolder, SkillSearchError, syncToDisk, unfinishedFor } from '../../core/index.js';
import { derivedFiles, FileLock, isLoading, openForReading, readStamp, signatureOf } from '../../store/index.js';
import {
  CATALOGUE_NAME,
  CHUNK_BYTES,
  chunkPath,
  digestOf,
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

/** The manifest of a snapshot; the one before it is kept for {@link SnapshotOptions.prune}. */
const MANIFEST = 'manifest.json';
const FORMER = 'manifest-before.json';
const LOCK = '.snapshot-lock';

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
  try {
    makeFolder(folder, { code: 'SNAPSHOT_NOT_WRITABLE' });
    return await write(files);
  } catch (error) {
    if (error instanceof SkillSearchError || signal?.aborted === true) throw error;
    const message = `cannot write a snapshot into ${folder}: ${(error as Error).message}`;
    throw new SkillSearchError('SNAPSHOT_NOT_WRITABLE', message, { path: folder, cause: error });
  }
}

async function write(files: FilesToWrite): Promise<WrittenFiles> {
  const { folder } = files;
  const lock = FileLock.take(join(folder, LOCK));
  if (lock === undefined) {
    throw new SkillSearchError('LOAD_IN_PROGRESS', `another snapshot is being written into ${folder}`, {
      path: folder,
    });
  }
  try {
    return await writeLocked(files);
  } finally {
    lock.release();
  }
}

async function writeLocked({ database, folder, prunes, written, signal }: FilesToWrite): Promise<WrittenFiles> {
  const path = join(folder, MANIFEST);
  const before = await readFile(path, 'utf8').catch(() => undefined);
  if (before !== undefined && manifestIn(before) === undefined) {
    const message = `${path} is not the manifest of a snapshot: choose another folder, or remove it`;
    throw new SkillSearchError('SNAPSHOT_NOT_WRITABLE', message, { path });
  }
  const sink = new ChunkSink(folder);
  const read = await readWhileUnchanged(database, (chunk) => sink.put(chunk), signal);
  const manifest = written === undefined ? read : { ...read, written: written.toISOString() };
  const text = manifestText(manifest);
  if (before !== text) {
    if (before !== undefined) await replace(join(folder, FORMER), before);
    await replace(path, text);
  }
  const used = new Set(manifest.files.flatMap(({ chunks }) => chunks));
  const pruned = prunes ? await prune(folder, used) : 0;
  return {
    manifest: path,
    bytes: manifest.files.reduce((sum, { bytes }) => sum + bytes, 0),
    chunks: used.size,
    written: [...used].filter((digest) => sink.written.has(digest)).length,
    writtenBytes: sink.writtenBytes,
    pruned,
  };
}

/** Writes chunks that are not there yet. */
class ChunkSink {
  readonly #folder: string;
  /** Digests of chunks that were written. */
  readonly written = new Set<string>();
  writtenBytes = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async put(chunk: Buffer): Promise<string> {
    const digest = digestOf(chunk);
    const path = join(this.#folder, chunkPath(digest));
    // Read, not believed: a disk may have lost bits of it.
    const there = await readFile(path).catch(() => undefined);
    if (there?.equals(chunk) === true) return digest;
    makeFolder(dirname(path), { code: 'SNAPSHOT_NOT_WRITABLE' });
    await replace(path, chunk);
    this.written.add(digest);
    this.writtenBytes += chunk.length;
    return digest;
  }
}

/** Writes a file that is whole, and on the disk, before it has its name. */
async function replace(path: string, content: string | Buffer): Promise<void> {
  clearUnfinished(path);
  const unfinished = unfinishedFor(path);
  try {
    const file = await open(unfinished, 'wx');
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
    syncToDisk(dirname(path));
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** Deletes the chunks that neither the manifest nor the one before it uses. */
async function prune(folder: string, used: ReadonlySet<string>): Promise<number> {
  const before = await readFile(join(folder, FORMER), 'utf8').catch(() => undefined);
  const former = before === undefined ? undefined : manifestIn(before);
  const kept = new Set([...used, ...(former?.files ?? []).flatMap(({ chunks }) => chunks)]);
  let pruned = 0;
  const entries = await readdir(join(folder, 'chunks'), { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    // A file that somebody else put there has another name, and is left alone.
    const path = join(entry.parentPath ?? entry.path, entry.name);
    if (!entry.isFile() || kept.has(entry.name) || resolve(folder, chunkPath(entry.name)) !== path) continue;
    if (!/^[0-9a-f]{64}$/.test(entry.name)) continue;
    await rm(path, { force: true });
    pruned++;
  }
  return pruned;
}

/** The manifest that a text is; undefined if this version cannot read it as one. */
function manifestIn(text: string): Manifest | undefined {
  try {
    return readManifest(text, MANIFEST);
  } catch {
    return undefined;
  }
}

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
  return isLoading(database) || existsSync(`${database}-journal`);
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
