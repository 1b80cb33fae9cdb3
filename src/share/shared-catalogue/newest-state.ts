import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDamage, makeFolder, SkillSearchError } from '../../core/index.js';
import { applyChanges, derivedFiles, putInPlace } from '../../store/index.js';
import type { FetchChunk, LocalCopy } from '../snapshot/local-copy.js';
import { CATALOGUE_NAME, readManifest } from '../snapshot/manifest.js';
import { copyState, noteOf } from './copy-state.js';
import { nothingPublished, sharedDamage } from './helpers.js';
import { lockIndexing } from './lock-copy.js';
import type { SharedChanges } from './shared-changes.js';
import type { SharedState } from './shared-state.js';
import type { SharedStore } from './shared-store.js';

/** Chunks that are fetched at the same time: as many as a follower has connections. */
export const CHUNKS_AT_ONCE = 4;

/** A checkpoint that is replaced while it is fetched is given up for the next one, so often at most. */
const MOST_CHECKPOINTS = 5;

/** Codes of a file that no change can be written to: another is put in its place. */
const OF_NO_USE: ReadonlySet<string> = new Set([
  'DATABASE_NOT_FOUND',
  'DATABASE_DAMAGED',
  'NOT_A_CATALOGUE',
  'UNSUPPORTED_FORMAT',
]);

/**
 * Codes of a checkpoint that is damaged, or that a later version of this program has written. All skills can be had
 * without it.
 */
const CHECKPOINT_OF_NO_USE: ReadonlySet<string> = new Set([
  'INVALID_SNAPSHOT',
  'UNSUPPORTED_FORMAT',
  'DATABASE_DAMAGED',
]);

interface Reached {
  readonly state: SharedState;
  /** Whether the database is a standby that has not got there yet. */
  readonly isBehind: boolean;
}

/** Brings the files of a copy to the newest state of a shared catalogue. Nobody else works on them meanwhile. */
export class NewestState {
  readonly #files: LocalCopy;
  readonly #store: SharedStore;

  constructor(files: LocalCopy, store: SharedStore) {
    this.#files = files;
    this.#store = store;
  }

  /**
   * Goes on from what is here; else from a checkpoint; else reads everything. What runs have left that were killed on
   * another way is deleted. What a standby has not got to yet stays as it is, and so does the copy where what has
   * changed is damaged in the database.
   *
   * @param anew whether to make it of nothing that is here
   * @throws {SkillSearchError} `DATABASE_NOT_FOUND` if nothing was ever published; `DATABASE_DAMAGED`, with the address
   *   of the database as its path; those of the store
   */
  async reach(anew: boolean, signal: AbortSignal | undefined): Promise<Reached> {
    const reached = await this.#follow(anew, signal);
    rmSync(dirname(this.#scratch), { recursive: true, force: true });
    this.#files.discard();
    return reached;
  }

  async #follow(anew: boolean, signal: AbortSignal | undefined): Promise<Reached> {
    const here = copyState(this.#database);
    const led = here === undefined || anew ? undefined : await this.#lead(here, signal);
    if (led !== undefined) return led;
    const checkpoint = await this.#takeCheckpoint(signal);
    const fromThere = checkpoint === undefined ? undefined : await this.#lead(checkpoint, signal);
    const { state, isBehind } = fromThere ?? { state: await this.#readAll(signal), isBehind: false };
    // A copy that had to be made anew is what a standby has, which may be less.
    const wasLater = anew && here?.identity === state.identity && here.version > state.version;
    return { state, isBehind: isBehind || wasLater };
  }

  /**
   * Writes what has changed since a state into the copy, which is that state.
   *
   * @returns undefined if no changes lead on from it
   */
  #lead(from: SharedState, signal: AbortSignal | undefined): Promise<Reached | undefined> {
    const work = async (changes: SharedChanges): Promise<Reached | undefined> => {
      const { state, isWhole, isBehind } = changes;
      if (isBehind) return { state: from, isBehind };
      const reached = { state, isBehind };
      if (state.version === 0) throw nothingPublished(this.#store.shown);
      if (isWhole) return undefined;
      if (state.version === from.version) return reached;
      try {
        await this.#apply(this.#database, changes, signal);
        return reached;
      } catch (error) {
        if (error instanceof SkillSearchError && OF_NO_USE.has(error.code) && !this.#isOfDatabase(error))
          return undefined;
        throw error;
      }
    };
    return this.#store.withChangesSince(from, work, signal);
  }

  async #apply(file: string, changes: SharedChanges, signal: AbortSignal | undefined): Promise<void> {
    try {
      await applyChanges(file, changes, { note: noteOf(changes.state), signal });
    } catch (error) {
      // What comes is checked, skill by skill. Damage of the file is said with its path.
      if (!isDamage(error) || error.skill === undefined || error.path !== undefined) throw error;
      throw sharedDamage(this.#store.shown, error.message, { skill: error.skill });
    }
  }

  /** Whether an error says what is wrong with the database: the copy is as good as it was. */
  #isOfDatabase(error: SkillSearchError): boolean {
    return error.path === this.#store.shown;
  }

  /** Writes all skills into a new file, which takes the place of the copy. */
  #readAll(signal: AbortSignal | undefined): Promise<SharedState> {
    const scratch = this.#scratch;
    const work = async (changes: SharedChanges): Promise<SharedState> => {
      const { state } = changes;
      if (state.version === 0) throw nothingPublished(this.#store.shown);
      makeFolder(dirname(scratch), { code: 'DATABASE_NOT_WRITABLE' });
      // One that a killed run has finished may have what is gone by now. What it had begun is gone on with.
      rmSync(scratch, { force: true });
      await this.#apply(scratch, changes, signal);
      await this.#whileNobodyIndexes(signal, async () => {
        // They are told by their stamp. A file that was made another way may have had the same one, and other numbers.
        for (const derived of derivedFiles(this.#database)) rmSync(derived, { force: true });
        putInPlace(this.#database, scratch);
      });
      return state;
    };
    return this.#store.withChangesSince(undefined, work, signal);
  }

  /**
   * Makes the copy the newest checkpoint, if there is one that can be used.
   *
   * @returns its state
   */
  async #takeCheckpoint(signal: AbortSignal | undefined): Promise<SharedState | undefined> {
    for (let attempt = 1; attempt <= MOST_CHECKPOINTS; attempt++) {
      const found = await this.#store.checkpoint(signal);
      if (found === undefined) return undefined;
      try {
        const manifest = readManifest(found.manifest, this.#store.shown);
        // Changes that were written since have made other files of those that a note tells of.
        this.#files.forget();
        const fetch: FetchChunk = (digest, bytes, ending) => this.#chunk(digest, bytes, ending);
        await this.#whileNobodyIndexes(signal, () => this.#files.bringTo(manifest, fetch, signal, CHUNKS_AT_ONCE));
        this.#files.forget();
        return copyState(this.#database);
      } catch (error) {
        if (!(error instanceof SkillSearchError)) throw error;
        // Fetching it began before another took its place: what is fetched already stays.
        if (error.code === 'SNAPSHOT_NOT_AVAILABLE') continue;
        if (!CHECKPOINT_OF_NO_USE.has(error.code)) throw error;
        // Whoever may only read leaves it to others.
        if (error.code !== 'UNSUPPORTED_FORMAT') await this.#store.deleteCheckpoint(found.state).catch(() => {});
        return undefined;
      }
    }
    return undefined;
  }

  /** Whoever indexes the former file would put its derived files beside the one that takes its place. */
  async #whileNobodyIndexes(signal: AbortSignal | undefined, work: () => Promise<void>): Promise<void> {
    const lock = await lockIndexing(this.#database, signal);
    try {
      await work();
    } finally {
      lock?.release();
    }
  }

  async #chunk(digest: string, bytes: number, signal: AbortSignal): Promise<Buffer> {
    const chunk = await this.#store.chunk(digest, signal);
    const { shown } = this.#store;
    if (chunk === undefined) {
      throw new SkillSearchError('SNAPSHOT_NOT_AVAILABLE', `the checkpoint of ${shown} has been replaced`);
    }
    // The store has compared it with its digest.
    if (chunk.length === bytes) return chunk;
    const message = `${shown}: chunk ${digest.slice(0, 12)} of its checkpoint has not ${bytes} bytes`;
    throw new SkillSearchError('INVALID_SNAPSHOT', message);
  }

  get #database(): string {
    return this.#files.database;
  }

  /** Where all skills are written into a new file. */
  get #scratch(): string {
    return join(dirname(this.#database), 'new', CATALOGUE_NAME);
  }
}
