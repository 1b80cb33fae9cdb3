import { existsSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, SkillSearchError, syncToDisk } from '../../core/index.js';
import { beyondRepair, CatalogueReader, derivedFiles, LoadLock } from '../../store/index.js';
import { forgetJournal, structureFaults } from '../../store/writing.js';
import {
  bytesOfChunk,
  CATALOGUE_NAME,
  digestOf,
  FILE_NAMES,
  type Manifest,
  manifestText,
  readChunk,
  readManifest,
  type SnapshotFile,
} from './manifest.js';
import { REQUESTS_AT_ONCE } from './origin.js';

/** Fetches a chunk and checks it. */
export type FetchChunk = (digest: string, bytes: number, signal: AbortSignal) => Promise<Buffer>;

/** A snapshot whose files are no catalogue is looked at again after so many milliseconds: fetching it takes long. */
const REFUSED_FOR = 300_000;

/** Milliseconds after which it is noted again that a copy is the newest state. */
const CONFIRMED_EVERY = 5000;

/** Where a chunk lies on this machine. */
interface Place {
  readonly path: string;
  readonly offset: number;
}

/** Whose copy a folder holds. */
export interface CopyOrigin {
  /** Stands for the address. */
  readonly key: string;
  /** The address without secrets. */
  readonly shown: string;
}

/**
 * The catalogue that a snapshot becomes on this machine: a folder with the files of a catalogue, and the manifest that
 * they were made from. What is new is put together beside them, from the chunks that are there already and those that
 * are fetched; the former state answers until all of it is there and checked. Several processes may share the folder.
 */
export class LocalCopy {
  /** Path of the catalogue. */
  readonly database: string;
  readonly #folder: string;
  readonly #origin: CopyOrigin;
  /** The last manifest whose files were no catalogue that can be used, and since when that is known. */
  #refused: { readonly text: string; readonly error: SkillSearchError; readonly since: number } | undefined;

  /** When this process last saw that the copy is the newest state, and when it last said so, by `Date.now()`. */
  #confirmed = 0;
  #noted = 0;

  constructor(folder: string, origin: CopyOrigin) {
    this.#folder = folder;
    this.#origin = origin;
    this.database = join(folder, CATALOGUE_NAME);
  }

  /** Which state is here; undefined if none is, or what is here was not put together to its end. */
  get manifest(): Manifest | undefined {
    try {
      const manifest = readManifest(readFileSync(this.#note, 'utf8'), this.#note);
      return manifest.files.every(({ name, bytes }) => sizeOf(join(this.#folder, name)) === bytes)
        ? manifest
        : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * Whether there is a copy, of whatever state.
   *
   * @throws {SkillSearchError} `CATALOGUE_EXISTS` if the folder holds a catalogue that is no copy of this snapshot
   */
  get exists(): boolean {
    if (!existsSync(this.database)) return false;
    const [key, shown] = this.#marked();
    if (key === this.#origin.key) return true;
    const meant = this.#origin.shown;
    const what =
      key === undefined ? `a catalogue that is no copy of ${meant}` : `the copy of ${shown}, not of ${meant}`;
    const message = `${this.#folder} holds ${what}: give another folder as the cache`;
    throw new SkillSearchError('CATALOGUE_EXISTS', message, { path: this.#folder });
  }

  /**
   * When the copy was last confirmed to be the newest state, by this process or another, in Unix seconds; undefined if
   * that is not known.
   */
  get confirmedAt(): number | undefined {
    const noted = statSync(this.#marker, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const latest = Math.max(this.#confirmed, existsSync(this.database) ? noted : 0);
    return latest === 0 ? undefined : Math.floor(latest / 1000);
  }

  /** Notes that the copy is the newest state, now and then also for other processes. */
  confirm(): void {
    this.#confirmed = Date.now();
    if (this.#confirmed - this.#noted < CONFIRMED_EVERY) return;
    this.#noted = this.#confirmed;
    try {
      utimesSync(this.#marker, new Date(), new Date());
    } catch {
      // In a folder that may not be written this process alone knows it.
    }
  }

  /**
   * Makes the files those of a manifest. A run that is interrupted leaves what it has for the next one.
   *
   * @param atOnce chunks that are fetched at the same time
   * @throws {SkillSearchError} `CATALOGUE_EXISTS` as {@link exists}; `LOAD_IN_PROGRESS` if another process is doing
   *   that; `INVALID_SNAPSHOT` if the files are not the catalogue that the manifest says; `UNSUPPORTED_FORMAT`;
   *   `DATABASE_NOT_WRITABLE`; those of fetching
   * @throws the signal's reason when aborted
   */
  async bringTo(
    manifest: Manifest,
    fetch: FetchChunk,
    signal: AbortSignal = new AbortController().signal,
    atOnce: number = REQUESTS_AT_ONCE,
  ): Promise<void> {
    const text = manifestText(manifest);
    const refused = this.#refused;
    if (refused?.text === text && performance.now() - refused.since < REFUSED_FOR) throw refused.error;
    let lock: LoadLock | undefined;
    try {
      this.claim();
      lock = new LoadLock(this.database);
      const former = this.manifest;
      const changed = manifest.files.filter((file) => !isSame(file, manifest, former));
      const places = placesOf(former, this.#folder);
      for (const file of changed) {
        const inPlace = join(this.#folder, file.name);
        const part = this.#part(file.name);
        await assemble(file, part, { manifest, places, inPlace, fetch, signal, atOnce });
        notePlaces(places, file, part, manifest.chunkBytes);
      }
      try {
        await this.#check(manifest, changed.includes(manifest.files[0]!), signal);
      } catch (error) {
        this.discard();
        if (error instanceof SkillSearchError) this.#refused = { text, error, since: performance.now() };
        throw error;
      }
      this.#swap(manifest, changed);
    } catch (error) {
      if (error instanceof SkillSearchError || signal.aborted) throw error;
      // Whatever else is on the disk needs room, too.
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') this.discard();
      const message = `cannot write the local copy in ${this.#folder}: ${(error as Error).message}`;
      throw new SkillSearchError('DATABASE_NOT_WRITABLE', message, { path: this.#folder, cause: error });
    } finally {
      lock?.release();
    }
  }

  /** Chunks may be as the manifest says, and yet make no catalogue, or one that nobody can read to its end. */
  async #check(manifest: Manifest, isNew: boolean, signal: AbortSignal): Promise<void> {
    const path = isNew ? this.#part(CATALOGUE_NAME) : this.database;
    let stamp: string;
    try {
      const [fault] = isNew ? await structureFaults(path, 'quick', signal) : [];
      if (fault !== undefined) throw beyondRepair(path, `SQLite says "${fault}"`);
      // Its tables as well: a stamp alone makes no catalogue.
      const reader = CatalogueReader.open(path);
      stamp = reader.stamp;
      reader.close();
    } catch (error) {
      if (!(error instanceof SkillSearchError)) throw error;
      if (error.code === 'UNSUPPORTED_FORMAT') {
        const message =
          'the snapshot has a format that this version does not read: update this program, or write it with the same version';
        throw new SkillSearchError('UNSUPPORTED_FORMAT', message, { cause: error });
      }
      throw new SkillSearchError('INVALID_SNAPSHOT', `the snapshot holds no catalogue: ${error.message}`, {
        cause: error,
      });
    }
    if (stamp === manifest.stamp) return;
    const message = `the snapshot is not the state that its manifest says: ${stamp}, not ${manifest.stamp}`;
    throw new SkillSearchError('INVALID_SNAPSHOT', message);
  }

  /** The catalogue first, as a load does it; the note last, so that a run that is killed here begins again. */
  #swap(manifest: Manifest, changed: readonly SnapshotFile[]): void {
    forgetJournal(this.database);
    rmSync(this.#note, { force: true });
    // What the origin wrote is as old here as there.
    const written = new Date(manifest.written);
    if (changed.some(({ name }) => name === CATALOGUE_NAME)) {
      utimesSync(this.#part(CATALOGUE_NAME), written, written);
    }
    // Derived files are told by their stamp. Those of another file may have the same one, and must never lie beside it.
    const kept = new Set(manifest.files.filter((file) => !changed.includes(file)).map(({ name }) => name));
    for (const name of derivedFiles(CATALOGUE_NAME)) {
      if (!kept.has(name)) rmSync(join(this.#folder, name), { force: true });
    }
    for (const { name } of changed) renameSync(this.#part(name), join(this.#folder, name));
    syncToDisk(this.#folder);
    const note = `${this.#note}-part`;
    writeFileSync(note, manifestText(manifest));
    syncToDisk(note);
    renameSync(note, this.#note);
    syncToDisk(this.#folder);
    // Of a snapshot that was given up.
    this.discard();
  }

  /**
   * Makes the folder if there is none, and says whose copy it will hold.
   *
   * @throws {SkillSearchError} `CATALOGUE_EXISTS` as {@link exists}; `DATABASE_NOT_WRITABLE`
   */
  claim(): void {
    try {
      makeFolder(this.#folder, { code: 'DATABASE_NOT_WRITABLE' });
    } catch (cause) {
      const { shown } = this.#origin;
      const message = `${(cause as Error).message}: give another folder as the cache, for the local copy of ${shown}`;
      throw new SkillSearchError('DATABASE_NOT_WRITABLE', message, { path: this.#folder, cause });
    }
    if (!this.exists) this.#mark();
  }

  /** Believes no more that the files are those of a manifest: somebody writes to them. */
  forget(): void {
    rmSync(this.#note, { force: true });
  }

  /** Deletes what is being put together. */
  discard(): void {
    for (const name of FILE_NAMES) rmSync(this.#part(name), { force: true });
  }

  /** Says whose copy this folder will hold, before there is anything of it. */
  #mark(): void {
    writeFileSync(this.#marker, `${this.#origin.key}\n${this.#origin.shown}\n`);
    syncToDisk(this.#marker);
    syncToDisk(this.#folder);
  }

  #marked(): readonly (string | undefined)[] {
    try {
      return readFileSync(this.#marker, 'utf8').split('\n');
    } catch {
      return [];
    }
  }

  get #note(): string {
    return `${this.database}.snapshot`;
  }

  get #marker(): string {
    return `${this.database}.snapshot-of`;
  }

  #part(name: string): string {
    return join(this.#folder, `${name}.snapshot-part`);
  }
}

function isSame(file: SnapshotFile, { chunkBytes }: Manifest, former: Manifest | undefined): boolean {
  const before = former?.chunkBytes === chunkBytes ? former.files.find(({ name }) => name === file.name) : undefined;
  return before?.bytes === file.bytes && before.chunks.every((digest, i) => digest === file.chunks[i]);
}

function placesOf(manifest: Manifest | undefined, folder: string): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const file of manifest?.files ?? []) notePlaces(places, file, join(folder, file.name), manifest!.chunkBytes);
  return places;
}

function notePlaces(places: Map<string, Place>, { chunks }: SnapshotFile, path: string, chunkBytes: number): void {
  for (const [i, digest] of chunks.entries()) places.set(digest, { path, offset: i * chunkBytes });
}

interface Assembling {
  readonly manifest: Manifest;
  readonly places: Map<string, Place>;
  /** The file that answers now, if there is one. */
  readonly inPlace: string;
  readonly fetch: FetchChunk;
  readonly signal: AbortSignal;
  readonly atOnce: number;
}

/** Writes a file chunk by chunk: what an interrupted run has left stays where it is right. Each chunk is checked. */
async function assemble(
  file: SnapshotFile,
  part: string,
  { manifest, places, inPlace, fetch, signal, atOnce }: Assembling,
): Promise<void> {
  const sources = new Map<string, FileHandle>();
  const target = await open(part, existsSync(part) ? 'r+' : 'w+');
  try {
    const there = (await target.stat()).size;
    /** Where each chunk that has to be fetched belongs. */
    const missing = new Map<string, number[]>();
    const buffer = Buffer.allocUnsafe(manifest.chunkBytes);
    for (const [i, digest] of file.chunks.entries()) {
      signal.throwIfAborted();
      const bytes = bytesOfChunk(file, manifest.chunkBytes, i);
      const offset = i * manifest.chunkBytes;
      const chunk = buffer.subarray(0, bytes);
      if (offset + bytes <= there && (await isAt(target, offset, chunk, digest))) continue;
      // Without a note of what is here, as after a kill, most chunks still are where they were.
      const place = places.get(digest) ?? { path: inPlace, offset };
      const source = await opened(sources, place.path);
      if (source !== undefined && (await isAt(source, place.offset, chunk, digest))) {
        await writeAll(target, chunk, offset);
      } else {
        const others = missing.get(digest);
        if (others === undefined) missing.set(digest, [i]);
        else others.push(i);
      }
    }
    // Each worker holds one chunk at a time, however often it is written.
    const waiting = missing.entries();
    const fetchOthers = async (): Promise<void> => {
      for (const [digest, places] of waiting) {
        const chunk = await fetch(digest, bytesOfChunk(file, manifest.chunkBytes, places[0]!), signal);
        for (const i of places) await writeAll(target, chunk, i * manifest.chunkBytes);
      }
    };
    const workers = await Promise.allSettled(Array.from({ length: atOnce }, fetchOthers));
    const failure = workers.find((worker) => worker.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
    await target.truncate(file.bytes);
    await target.sync();
  } finally {
    await Promise.all([target, ...sources.values()].map((handle) => handle.close()));
  }
}

async function opened(handles: Map<string, FileHandle>, path: string): Promise<FileHandle | undefined> {
  let handle = handles.get(path);
  if (handle === undefined) {
    handle = await open(path).catch(() => undefined);
    if (handle !== undefined) handles.set(path, handle);
  }
  return handle;
}

/** Reads a chunk, and says whether it is the one with a digest. */
async function isAt(file: FileHandle, offset: number, chunk: Buffer, digest: string): Promise<boolean> {
  return (await readChunk(file, chunk, offset)) === chunk.length && digestOf(chunk) === digest;
}

async function writeAll(file: FileHandle, chunk: Buffer, offset: number): Promise<void> {
  for (let at = 0; at < chunk.length; )
    at += (await file.write(chunk, at, chunk.length - at, offset + at)).bytesWritten;
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}
