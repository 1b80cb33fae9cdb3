import { SkillSearchError } from '../../core/index.js';
import type { CatalogueChanges } from '../../store/writing.js';
import type { PostgresAddress } from '../postgres/postgres-address.js';
import { POSTGRES_LIMITS, PostgresPool } from '../postgres/postgres-pool.js';
import { prepareTables } from '../postgres/shared-tables.js';
import {
  CATALOGUE_TABLES,
  nothingPublished,
  type PresentRevision,
  type Revision,
  readPresent,
} from './catalogue-tables.js';
import { cleanUp, publishChanges } from './publish-changes.js';
import { readChanges, type SharedChanges } from './shared-images.js';
import { SHARED_CATALOGUE_LIMITS } from './stored-bytes.js';
import { StoredSnapshot } from './stored-snapshot.js';

/** Settings of {@link SharedStore.open}. */
export interface SharedStoreOptions {
  /** A file whose first line is the password, read for each new connection. */
  readonly passwordFile?: string | undefined;
  /**
   * Whether the catalogue is only read: then it may be a standby, or one that this user may not write. What may be
   * missing there is nothing to write. @default false
   */
  readonly isReader?: boolean | undefined;
}

/**
 * Connections at most: a load holds its turn on one, publishes on another, and sends bytes on a third; a replica that
 * fetches a snapshot leaves one for everything else.
 */
export const CONNECTIONS: number = Math.max(4, POSTGRES_LIMITS.usualConnections);

/** Held by the load whose turn it is. */
const TURN = 0x534b4c44;

/**
 * A catalogue in PostgreSQL: what was loaded, as the truth that all replicas are made from. It is not searched.
 *
 * Besides the errors named below, every method may reject with `SERVICE_UNAVAILABLE` while the database does not answer
 * or after `close`, and with `DATABASE_NOT_READABLE`. Those with a signal throw its reason when aborted.
 */
export class SharedStore {
  /** The files of a replica that new replicas start from. */
  readonly snapshot: StoredSnapshot;
  readonly #pool: PostgresPool;

  private constructor(pool: PostgresPool) {
    this.#pool = pool;
    this.snapshot = new StoredSnapshot(pool);
  }

  /**
   * Connects, and makes the tables if there are none and they may be made.
   *
   * @throws {SkillSearchError} `DATABASE_NOT_READABLE` if the database cannot be reached or lets no client in;
   *   `DATABASE_NOT_WRITABLE` if it may only be read, and `DATABASE_NOT_FOUND` for a reader who finds no tables and may
   *   make none; `NOT_A_CATALOGUE` if the schema belongs to something else; `UNSUPPORTED_FORMAT` for another format, or
   *   an old version of PostgreSQL; `POSTGRES_CLIENT_MISSING`; `INVALID_OPTION` for a password file that cannot be read
   */
  static async open(address: PostgresAddress, options: SharedStoreOptions = {}): Promise<SharedStore> {
    const pool = await PostgresPool.connect(address, { connections: CONNECTIONS, ...options });
    try {
      if (await prepareTables(pool, CATALOGUE_TABLES, options.isReader)) return new SharedStore(pool);
      throw nothingPublished(address.shown);
    } catch (error) {
      await pool.close();
      throw error;
    }
  }

  /** The address of the database for messages, without password. */
  get shown(): string {
    return this.#pool.address.shown;
  }

  /** The present revision, within 2 seconds. */
  head(): Promise<PresentRevision> {
    return readPresent((statement) => this.#pool.run(statement));
  }

  /**
   * Calls work with what leads from a revision to the present one, all of it as it was at the beginning, whatever is
   * published meanwhile.
   *
   * @param since undefined, or a revision of which not all later changes are known: the changes are then the whole
   * @throws {SkillSearchError} `DATABASE_DAMAGED`; whatever the work throws
   */
  withChangesSince<T>(
    since: Revision | undefined,
    work: (changes: SharedChanges) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const { statementTime, readingPause } = SHARED_CATALOGUE_LIMITS;
    return this.#pool.session({ isSnapshot: true, statementTime, pauseTime: readingPause, signal }, async (session) =>
      work(await readChanges(session, this.shown, since)),
    );
  }

  /**
   * Calls work when no other load has its turn. A process that dies gives its turn up; so does one whose machine is
   * gone for some minutes.
   *
   * @throws {SkillSearchError} `LOAD_IN_PROGRESS` if others take too long; whatever the work throws
   */
  async inTurn<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { publishingWait } = SHARED_CATALOGUE_LIMITS;
    let done: { readonly result: T } | undefined;
    try {
      // The pause between its statements has no limit: the load runs meanwhile.
      await this.#pool.session({ statementTime: publishingWait, pauseTime: 0, signal }, async ({ run }) => {
        await run({ text: 'SET LOCAL tcp_keepalives_idle = 60; SET LOCAL tcp_keepalives_interval = 20' });
        await run({ text: 'SELECT pg_advisory_xact_lock($1)', values: [TURN] }).catch((cause: unknown) => {
          if ((cause as { readonly code?: unknown }).code !== QUERY_CANCELED) throw cause;
          const message = `another load into ${this.shown} has been running for ${publishingWait / 60_000} minutes`;
          throw new SkillSearchError('LOAD_IN_PROGRESS', message, { path: this.shown, cause });
        });
        done = { result: await work() };
      });
    } catch (error) {
      // That the turn was lost meanwhile does no harm: what is published is compared with the present revision.
      if (done === undefined) throw error;
    }
    return done!.result;
  }

  /**
   * Publishes changes as the next version, or none of them.
   *
   * @param onto the revision that the changes were made from
   * @returns undefined if that is not the present one
   * @throws {SkillSearchError} `MODEL_MISMATCH` if the model has another number of dimensions there
   */
  async publish(changes: CatalogueChanges, onto: Revision, signal?: AbortSignal): Promise<Revision | undefined> {
    const published = await publishChanges(this.#pool, changes, onto, signal);
    // What fails of it is left for the next day.
    if (published !== undefined) await cleanUp(this.#pool, signal).catch(() => {});
    return published;
  }

  /** Closes all connections. */
  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** The database's code of a statement that took too long. */
const QUERY_CANCELED = '57014';
