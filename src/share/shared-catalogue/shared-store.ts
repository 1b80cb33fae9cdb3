import type { CatalogueChanges, StoredVector } from '../../store/index.js';
import type { PostgresAddress } from '../postgres/postgres-address.js';
import { POSTGRES_LIMITS, PostgresPool } from '../postgres/postgres-pool.js';
import { findTables, mayWrite, prepareTables } from '../postgres/shared-tables.js';
import { CATALOGUE_TABLES } from './catalogue-tables.js';
import {
  type Checkpoint,
  changedSinceCheckpoint,
  checkpointFault,
  deleteCheckpoint,
  findCheckpoint,
  readChunk,
  storeCheckpoint,
} from './checkpoint-table.js';
import { nothingPublished, runAlone, SHARED_CATALOGUE_LIMITS, Slots } from './helpers.js';
import { type PublishOptions, type PublishOutcome, publishChanges } from './publish-changes.js';
import { readChanges, type SharedChanges } from './shared-changes.js';
import {
  isAhead,
  isKnown,
  type PresentState,
  PUBLISHED_AT,
  readCatalogueRow,
  type SharedState,
} from './shared-state.js';
import { findModel, noteModel, readVectors, storeVectors } from './vector-table.js';

/** Settings of {@link SharedStore.open}. */
export interface SharedStoreOptions {
  /** A file whose first line is the password, read for each new connection. */
  readonly passwordFile?: string | undefined;
  /**
   * Whether the catalogue is only read: then it may be a standby, or one that this user may not write. What may be
   * missing there is nothing to write. @default false
   */
  readonly isReader?: boolean | undefined;
  /** Connections at most, from 2 on: a load publishes on one, and sends bytes on another. */
  readonly connections?: number | undefined;
}

/**
 * A catalogue in PostgreSQL: what was loaded, as the truth that all copies are made from. It is not searched.
 *
 * Besides the errors named below, every method may reject with `SERVICE_UNAVAILABLE` while the database does not answer
 * or after `close`, and with `DATABASE_NOT_READABLE`. Those with a signal throw its reason when aborted.
 */
export class SharedStore {
  readonly #pool: PostgresPool;
  /** One connection is left for everything else. */
  readonly #fetches: Slots;

  private constructor(pool: PostgresPool, connections: number) {
    this.#pool = pool;
    this.#fetches = new Slots(connections - 1);
  }

  /**
   * Connects, and makes the tables if there are none and they may be made.
   *
   * @throws {SkillSearchError} `DATABASE_NOT_READABLE` if the database cannot be reached or lets nobody in;
   *   `DATABASE_NOT_WRITABLE` if it may only be read, and `DATABASE_NOT_FOUND` for a reader who finds no tables and may
   *   make none; `NOT_A_CATALOGUE` if the schema belongs to something else; `UNSUPPORTED_FORMAT` for a newer catalogue,
   *   or an old version of PostgreSQL; `POSTGRES_CLIENT_MISSING`; `INVALID_OPTION` for a password file that cannot be
   *   read
   */
  static async open(address: PostgresAddress, options: SharedStoreOptions = {}): Promise<SharedStore> {
    const { connections = POSTGRES_LIMITS.usualConnections, isReader = false, ...others } = options;
    const settings = { ...others, isReader, connections: Math.max(2, connections) };
    const pool = await PostgresPool.connect(address, settings);
    try {
      if (!isReader) await prepareTables(pool, CATALOGUE_TABLES);
      else if (!(await findTables(pool, CATALOGUE_TABLES))) throw nothingPublished(address.shown);
      return new SharedStore(pool, settings.connections);
    } catch (error) {
      await pool.close();
      throw error;
    }
  }

  /** The address of the database for messages, without password. */
  get shown(): string {
    return this.#pool.address.shown;
  }

  /** The present state, within 2 seconds. */
  async head(): Promise<PresentState> {
    const [row] = await this.#pool.run<PresentState & { readonly publishedAt: number | null }>({
      name: 'skill-discovery head',
      text: `SELECT identity, catalogue.version::float8 AS version, catalogue.stamp,
          ${PUBLISHED_AT} AS "publishedAt", pg_is_in_recovery() AS "isStandby"
        FROM skill_discovery.catalogue LEFT JOIN skill_discovery.version ON version.version = catalogue.version`,
    });
    const { publishedAt, ...state } = row!;
    return publishedAt === null ? state : { ...state, publishedAt };
  }

  /** Whether a state is one of this catalogue, from which changes lead on, or to which a standby will come. */
  knows(state: SharedState, signal?: AbortSignal): Promise<boolean> {
    const { statementTime } = SHARED_CATALOGUE_LIMITS;
    const options = { isSnapshot: true, statementTime, pauseTime: statementTime, signal };
    return this.#pool.session(options, async ({ run }) => {
      const head = await readCatalogueRow(run);
      return isAhead(state, head) || isKnown(run, head, state);
    });
  }

  /**
   * Calls work with what leads from a state to the present one, all of it as it was at the beginning, whatever is
   * published meanwhile.
   *
   * @param since undefined, or a state of which not all later changes are known: the changes are then the whole
   * @throws {SkillSearchError} `DATABASE_DAMAGED`; whatever the work throws
   */
  withChangesSince<T>(
    since: SharedState | undefined,
    work: (changes: SharedChanges) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const { statementTime, readingPause } = SHARED_CATALOGUE_LIMITS;
    return this.#pool.session({ isSnapshot: true, statementTime, pauseTime: readingPause, signal }, async (session) =>
      work(await readChanges(session, this.shown, since)),
    );
  }

  /**
   * Publishes changes as the next version, or none of them. Waits for others who publish.
   *
   * @param onto the state that the changes were made from
   * @throws {SkillSearchError} `LOAD_IN_PROGRESS` if others publish for too long; `MODEL_MISMATCH` if the model has
   *   another number of dimensions there
   */
  publish(changes: CatalogueChanges, onto: SharedState, options: PublishOptions = {}): Promise<PublishOutcome> {
    return publishChanges(this.#pool, changes, onto, options);
  }

  /**
   * Vectors that were made before, by whomever. Those that are not there are left out.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  async fetchVectors(
    model: string,
    textHashes: readonly Buffer[],
    signal?: AbortSignal,
  ): Promise<readonly StoredVector[]> {
    const { statementTime } = SHARED_CATALOGUE_LIMITS;
    const options = { isSnapshot: true, statementTime, pauseTime: statementTime, signal };
    return this.#pool.session(options, async (session) => {
      const found = await findModel(session.run, model);
      return found === undefined ? [] : readVectors(session, this.shown, found, textHashes);
    });
  }

  /**
   * Stores vectors for others, before any skill has them.
   *
   * @throws {SkillSearchError} `MODEL_MISMATCH` if the model has another number of dimensions there
   */
  async offerVectors(
    model: { readonly id: string; readonly dimensions: number },
    vectors: readonly StoredVector[],
    signal?: AbortSignal,
  ): Promise<void> {
    const run = runAlone(this.#pool, signal);
    await storeVectors(run, await noteModel(run, this.shown, model), vectors);
  }

  /** The files of a copy, as a manifest; undefined if there are none, or not all changes since are known. */
  checkpoint(signal?: AbortSignal): Promise<Checkpoint | undefined> {
    return findCheckpoint(runAlone(this.#pool, signal));
  }

  /**
   * A part of these files. Any number may be asked for at a time.
   *
   * @param digest SHA-256, 64 hexadecimal digits
   * @returns undefined if it is not there any more: the checkpoint was replaced
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  chunk(digest: string, signal?: AbortSignal): Promise<Buffer | undefined> {
    return this.#fetches.use(() => readChunk(this.#pool, digest, signal));
  }

  /**
   * Stores the files of a copy in place of those before. Does nothing if there are later ones, if somebody else does
   * the same at the moment, or if not all changes since that state are known.
   *
   * @param chunks is asked for those that are missing
   * @throws {SkillSearchError} `INVALID_SNAPSHOT` for a manifest that is none
   */
  putCheckpoint(
    state: SharedState,
    manifest: string,
    chunks: (digest: string) => Promise<Buffer>,
    signal?: AbortSignal,
  ): Promise<void> {
    return storeCheckpoint(this.#pool, state, manifest, chunks, signal);
  }

  /** What is wrong with these files, as a sentence without a full stop, and of which state they are. */
  checkpointFault(
    signal?: AbortSignal,
  ): Promise<{ readonly state: SharedState; readonly problem: string } | undefined> {
    return checkpointFault(runAlone(this.#pool, signal));
  }

  /**
   * Deletes the files of a state, which are damaged. Does nothing if they were replaced meanwhile, or on a standby.
   */
  deleteCheckpoint(state: SharedState): Promise<void> {
    const { statementTime } = SHARED_CATALOGUE_LIMITS;
    return this.#pool.session({ statementTime, pauseTime: statementTime }, async ({ run }) => {
      // Told by the database, this would count as one that went away.
      if (await mayWrite(run)) await deleteCheckpoint(run, state);
    });
  }

  /** How many skills were changed or removed since these files were written; undefined if there are none. */
  changedSinceCheckpoint(signal?: AbortSignal): Promise<number | undefined> {
    return changedSinceCheckpoint(runAlone(this.#pool, signal));
  }

  /** Closes all connections. */
  close(): Promise<void> {
    return this.#pool.close();
  }
}
