import { constants, existsSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { copyFile, type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { appendTo, makeFolder, orUndefined, SkillSearchError, sha256Of, syncToDisk } from '../../core/index.js';
import { beyondRepair, CatalogueReader, derivedFiles, FileLock } from '../../store/index.js';
import { forgetJournal, structureFaults } from '../../store/writing.js';
import {
  bytesOfChunk,
  CATALOGUE_NAME,
  FILE_NAMES,
  type Manifest,
  manifestText,
  readChunk,
  readManifest,
} from './manifest.js';

/** Fetches a chunk and checks it. */
export type FetchChunk = (digest: string, bytes: number, signal: AbortSignal) => Promise<Buffer>;

/** A snapshot whose files are no catalogue is looked at again after so many milliseconds: fetching it takes long. */
const REFUSED_FOR = 300_000;

/** Milliseconds after which it is noted again that a replica is the newest revision. */
const CONFIRMED_EVERY = 5000;

/** What a folder holds a replica of. */
export interface ReplicaOrigin {
  /** Stands for the address. */
  readonly key: string;
  /** The address without secrets. */
  readonly shown: string;
}

/**
 * A replica on this machine: a folder with the files of a catalogue. The files of a snapshot are put together beside
 * them, from the chunks that are there and those that are fetched; the former revision answers until all of it is there
 * and checked. Several processes may share the folder; one of them works on it at a time.
 */
export class ReplicaFiles {
  /** Path of the catalogue. */
  readonly database: string;
  readonly folder: string;
  readonly #origin: ReplicaOrigin;
  /** The last manifest whose files were no catalogue that can be used, and since when that is known. */
  #refused: { readonly text: string; readonly error: SkillSearchError; readonly since: number } | undefined;
  /** When this process last saw that the replica is the newest revision, and when it last noted it, by `Date.now()`. */
  #confirmed = 0;
  #noted = 0;

  constructor(folder: string, origin: ReplicaOrigin) {
    this.folder = folder;
    this.#origin = origin;
    this.database = join(folder, CATALOGUE_NAME);
  }

  /** Of which snapshot the files are; undefined if of none, or if they were not put together to their end. */
  get manifest(): Manifest | undefined {
    const manifest = orUndefined(() => readManifest(readFileSync(this.#note, 'utf8'), this.#note));
    const isWhole = manifest?.files.every(({ name, bytes }) => sizeOf(join(this.folder, name)) === bytes);
    return isWhole === true ? manifest : undefined;
  }

  /**
   * Whether there is a replica, of any revision.
   *
   * @throws {SkillSearchError} `CATALOGUE_EXISTS` if the folder holds a catalogue that is no replica of this one
   */
  get exists(): boolean {
    if (!existsSync(this.database)) return false;
    const [key, shown] = this.#marked();
    if (key === this.#origin.key) return true;
    const meant = this.#origin.shown;
    const what =
      key === undefined ? `a catalogue that is no copy of ${meant}` : `the copy of ${shown}, not of ${meant}`;
    const message = `${this.folder} holds ${what}: give another folder as the cache`;
    throw new SkillSearchError('CATALOGUE_EXISTS', message, { path: this.folder });
  }

  /**
   * When a process last saw that the replica is the newest revision, in Unix seconds; undefined if that is not known.
   */
  get confirmedAt(): number | undefined {
    const noted = statSync(this.#marker, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const latest = Math.max(this.#confirmed, existsSync(this.database) ? noted : 0);
    return latest === 0 ? undefined : Math.floor(latest / 1000);
  }

  /** Notes that the replica is the newest revision, now and then also for other processes. */
  confirm(): void {
    this.#confirmed = Date.now();
    if (this.#confirmed - this.#noted < CONFIRMED_EVERY) return;
    this.#noted = this.#confirmed;
    // In a folder that may not be written this process alone knows it.
    orUndefined(() => utimesSync(this.#marker, new Date(), new Date()));
  }

  /**
   * Makes the folder if there is none, and notes what it will hold a replica of.
   *
   * @throws {SkillSearchError} `CATALOGUE_EXISTS` as {@link exists}; `DATABASE_NOT_WRITABLE`
   */
  claim(): void {
    try {
      makeFolder(this.folder, { code: 'DATABASE_NOT_WRITABLE' });
    } catch (cause) {
      const { shown } = this.#origin;
      const message = `${(cause as Error).message}: give another folder as the cache, for the local copy of ${shown}`;
      throw new SkillSearchError('DATABASE_NOT_WRITABLE', message, { path: this.folder, cause });
    }
    if (this.exists) return;
    writeFileSync(this.#marker, `${this.#origin.key}\n${this.#origin.shown}\n`);
    syncToDisk(this.#marker);
    syncToDisk(this.folder);
  }

  /** Does work while no other process works on the replica. The folder is made if there is none. */
  async alone<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const lock = await this.writing(signal, async () => {
      this.claim();
      return FileLock.takeInTurn(lockOf(this.database), signal, () => true);
    });
    try {
      return await work();
    } finally {
      lock?.release();
    }
  }

  /** Does work of which errors of the file system become `DATABASE_NOT_WRITABLE`. */
  async writing<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof SkillSearchError || signal?.aborted === true) throw error;
      // What else is on the disk needs room, too.
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') this.discard();
      const message = `cannot write the local copy in ${this.folder}: ${(error as Error).message}`;
      throw new SkillSearchError('DATABASE_NOT_WRITABLE', message, { path: this.folder, cause: error });
    }
  }

  /**
   * Makes the files those of a manifest; called in {@link alone}. A run that is interrupted leaves what it has for the
   * next one.
   *
   * @param atOnce chunks that are fetched at the same time
   * @throws {SkillSearchError} `INVALID_SNAPSHOT` if the files are not the catalogue that the manifest says;
   *   `UNSUPPORTED_FORMAT`; `DATABASE_NOT_WRITABLE`; those of fetching
   * @throws the signal's reason when aborted
   */
  async bringTo(
    manifest: Manifest,
    fetch: FetchChunk,
    atOnce: number,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<void> {
    const text = manifestText(manifest);
    const refused = this.#refused;
    if (refused?.text === text && performance.now() - refused.since < REFUSED_FOR) throw refused.error;
    await this.writing(signal, async () => {
      const changed = await this.#assemble(manifest, fetch, atOnce, signal);
      try {
        await this.#check(manifest, changed.has(CATALOGUE_NAME), signal);
      } catch (error) {
        this.discard();
        if (error instanceof SkillSearchError) this.#refused = { text, error, since: performance.now() };
        throw error;
      }
      this.#swap(manifest, changed);
    });
  }

  /** Believes no more that the files are those of a manifest: they are written to, or damaged. */
  forget(): void {
    rmSync(this.#note, { force: true });
  }

  /** Deletes what is being put together. */
  discard(): void {
    for (const name of FILE_NAMES) rmSync(this.#part(name), { force: true });
  }

  /**
   * Puts the files together beside those that are in use: each begins as what an interrupted run has left of it, or as
   * a copy of the file in use. Every chunk is compared with its digest, and fetched if it is another one.
   *
   * @returns names of the files that are not those in use
   */
  async #assemble(
    { chunkBytes, files }: Manifest,
    fetch: FetchChunk,
    atOnce: number,
    signal: AbortSignal,
  ): Promise<Set<string>> {
    const changed = new Set<string>();
    /** Where each chunk that has to be fetched belongs. */
    const missing = new Map<string, ChunkPlace[]>();
    const parts: FileHandle[] = [];
    const buffer = Buffer.allocUnsafe(chunkBytes);
    try {
      for (const file of files) {
        const [inUse, path] = [join(this.folder, file.name), this.#part(file.name)];
        if (existsSync(path) || sizeOf(inUse) !== file.bytes) changed.add(file.name);
        if (!existsSync(path) && existsSync(inUse)) await copyFile(inUse, path, constants.COPYFILE_FICLONE);
        const part = await open(path, constants.O_RDWR | constants.O_CREAT);
        parts.push(part);
        for (const [i, digest] of file.chunks.entries()) {
          signal.throwIfAborted();
          const [offset, bytes] = [i * chunkBytes, bytesOfChunk(file, chunkBytes, i)];
          const chunk = buffer.subarray(0, bytes);
          if ((await readChunk(part, chunk, offset)) === bytes && sha256Of(chunk) === digest) continue;
          changed.add(file.name);
          appendTo(missing, digest, { part, offset, bytes });
        }
      }
      // Each worker holds one chunk at a time, however often it is written.
      const waiting = missing.entries();
      const fetchOthers = async (): Promise<void> => {
        for (const [digest, places] of waiting) {
          const chunk = await fetch(digest, places[0]!.bytes, signal);
          for (const { part, offset } of places) await writeAll(part, chunk, offset);
        }
      };
      const workers = await Promise.allSettled(Array.from({ length: atOnce }, fetchOthers));
      const failure = workers.find((worker) => worker.status === 'rejected');
      if (failure !== undefined) throw failure.reason;
      for (const [i, { name, bytes }] of files.entries()) {
        if (!changed.has(name)) continue;
        await parts[i]!.truncate(bytes);
        await parts[i]!.sync();
      }
      return changed;
    } finally {
      await Promise.all(parts.map((part) => part.close()));
    }
  }

  /** Chunks may be as the manifest says, and yet make no catalogue, or one that cannot be read to its end. */
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
    } catch (cause) {
      if (!(cause instanceof SkillSearchError)) throw cause;
      const isOther = cause.code === 'UNSUPPORTED_FORMAT';
      const message = isOther
        ? 'the snapshot has a format that this version does not read: update this program, or write it with the same version'
        : `the snapshot holds no catalogue: ${cause.message}`;
      throw new SkillSearchError(isOther ? cause.code : 'INVALID_SNAPSHOT', message, { cause });
    }
    if (stamp === manifest.stamp) return;
    const message = `the snapshot is not the state that its manifest says: ${stamp}, not ${manifest.stamp}`;
    throw new SkillSearchError('INVALID_SNAPSHOT', message);
  }

  /** The catalogue first, as a load does it; the note last, so that a run that is killed here begins again. */
  #swap(manifest: Manifest, changed: ReadonlySet<string>): void {
    forgetJournal(this.database);
    this.forget();
    // What the origin wrote is as old here as there.
    const written = new Date(manifest.written);
    if (changed.has(CATALOGUE_NAME)) utimesSync(this.#part(CATALOGUE_NAME), written, written);
    // Index files are told by their stamp. Those of another file may have the same one, and must never lie beside it.
    const kept = manifest.files.map(({ name }) => name).filter((name) => !changed.has(name));
    for (const name of derivedFiles(CATALOGUE_NAME)) {
      if (!kept.includes(name)) rmSync(join(this.folder, name), { force: true });
    }
    for (const name of changed) renameSync(this.#part(name), join(this.folder, name));
    syncToDisk(this.folder);
    const note = `${this.#note}-part`;
    writeFileSync(note, manifestText(manifest));
    syncToDisk(note);
    renameSync(note, this.#note);
    syncToDisk(this.folder);
    // Copies of files that have not changed.
    this.discard();
  }

  #marked(): readonly (string | undefined)[] {
    return orUndefined(() => readFileSync(this.#marker, 'utf8').split('\n')) ?? [];
  }

  get #note(): string {
    return `${this.database}.snapshot`;
  }

  get #marker(): string {
    return `${this.database}.snapshot-of`;
  }

  #part(name: string): string {
    return join(this.folder, `${name}.snapshot-part`);
  }
}

/** Where a chunk belongs. */
interface ChunkPlace {
  readonly part: FileHandle;
  readonly offset: number;
  readonly bytes: number;
}

/** Locked by the process that works on a replica: that changes it, writes its index files, or needs it as it is. */
export function lockOf(database: string): string {
  return `${database}.replica-lock`;
}

async function writeAll(file: FileHandle, chunk: Buffer, offset: number): Promise<void> {
  for (let at = 0; at < chunk.length; )
    at += (await file.write(chunk, at, chunk.length - at, offset + at)).bytesWritten;
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}
