import { SkillSearchError, sha256Of } from '../../core/index.js';
import type { CatalogueChanges } from '../../store/writing.js';
import type { PostgresAddress } from '../postgres/postgres-address.js';
import { POSTGRES_LIMITS, PostgresPool } from '../postgres/postgres-pool.js';
import { mayWrite, prepareTables } from '../postgres/shared-tables.js';
import type { RunStatement } from '../postgres/statements.js';
import { manifestText, readManifest } from '../snapshot/manifest.js';
import { readWhileUnchanged } from '../snapshot/write-files.js';
import {
  CATALOGUE_TABLES,
  isKnown,
  nothingPublished,
  type PresentRevision,
  PUBLISHED_AT,
  type Revision,
  readPresent,
  sharedDamage,
} from './catalogue-tables.js';
import { cleanUp, publishChanges } from './publish-changes.js';
import { readChanges, type SharedChanges } from './shared-images.js';
import { bytesArray, distinct, inParts, runAlone, SHARED_CATALOGUE_LIMITS } from './stored-bytes.js';

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

/** The files of a replica at a revision. */
export interface FoundSnapshot {
  readonly revision: Revision;
  /** As `manifestText` writes it; it was not read yet. */
  readonly manifest: string;
}

/** Chunks whose digests one statement computes: about 64 MiB. */
const DIGESTED_TOGETHER = 64;

/** Held by a load that stores a snapshot. */
const LOCK = 0x534b4350;

/**
 * The snapshot that a database has for new replicas, of one revision: chunks by digest and a manifest, as
 * `writeSnapshot` writes them into a folder.
 */
export class StoredSnapshot {
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  /** Undefined if there is none, or not all changes since are known. */
  find(signal?: AbortSignal): Promise<FoundSnapshot | undefined> {
    return find(runAlone(this.#pool, signal));
  }

  /**
   * The bytes of a chunk. Some may be asked for at a time, fewer than there are connections.
   *
   * @returns undefined if it is not there any more: the snapshot was replaced
   * @throws {SkillSearchError} `DATABASE_DAMAGED` if it is not what its digest says
   */
  async chunk(digest: string, signal?: AbortSignal): Promise<Buffer | undefined> {
    const wanted = bytesArray([Buffer.from(digest, 'hex')]);
    const query = `SELECT bytes FROM skill_discovery.chunk WHERE sha256 = ANY (${wanted})`;
    const [row] = await this.#pool.copy(query, SHARED_CATALOGUE_LIMITS.statementTime, signal);
    const bytes = row?.[0] ?? undefined;
    if (bytes === undefined || sha256Of(bytes) === digest) return bytes;
    throw sharedDamage(this.#pool.address.shown, `the chunk ${digest} is not what its digest says`, {
      remedy:
        'delete the snapshot, and load again, which writes another: TRUNCATE skill_discovery.snapshot, skill_discovery.chunk',
    });
  }

  /**
   * Stores the files of a replica in place of those before, in one transaction. Does nothing if there are later ones,
   * if another load is storing some, or if not all changes since that revision are known.
   *
   * @param database path of the replica, which nobody changes meanwhile
   * @throws the signal's reason when aborted
   */
  async store(database: string, revision: Revision, signal?: AbortSignal): Promise<void> {
    const { statementTime, publishingPause } = SHARED_CATALOGUE_LIMITS;
    await this.#pool.session({ statementTime, pauseTime: publishingPause, signal }, async ({ run }) => {
      const [lock] = await run<{ isFree: boolean }>({
        text: 'SELECT pg_try_advisory_xact_lock($1) AS "isFree"',
        values: [LOCK],
      });
      if (lock?.isFree !== true || !(await isKnown(run, await readPresent(run), revision))) return;
      const former = await find(run);
      if (former !== undefined && former.revision.version >= revision.version) return;
      const stored = await run<{ sha256: string }>({
        text: `SELECT encode(sha256, 'hex') AS sha256 FROM skill_discovery.chunk`,
      });
      const there = new Set(stored.map(({ sha256 }) => sha256));
      const put = async (bytes: Buffer): Promise<string> => {
        const digest = sha256Of(bytes);
        if (!there.has(digest)) {
          const values = [Buffer.from(digest, 'hex'), bytes];
          await run({ text: 'INSERT INTO skill_discovery.chunk (sha256, bytes) VALUES ($1, $2)', values });
        }
        there.add(digest);
        return digest;
      };
      const manifest = await readWhileUnchanged(database, put, signal);
      const used = new Set(manifest.files.flatMap((file) => file.chunks));
      const dropped = [...there].filter((digest) => !used.has(digest)).map((digest) => Buffer.from(digest, 'hex'));
      await run({ text: 'DELETE FROM skill_discovery.chunk WHERE sha256 = ANY ($1)', values: [dropped] });
      await run({ text: 'DELETE FROM skill_discovery.snapshot' });
      await run({
        text: 'INSERT INTO skill_discovery.snapshot (version, stamp, manifest) VALUES ($1, $2, $3)',
        values: [revision.version, revision.stamp, manifestText(manifest)],
      });
    });
  }

  /**
   * Finds what is wrong. The database itself computes the digests: nothing is fetched.
   *
   * @returns the revision, and what is wrong as a sentence without a full stop; undefined if all is well, or there is
   *   no snapshot
   */
  async fault(signal?: AbortSignal): Promise<{ readonly revision: Revision; readonly problem: string } | undefined> {
    const found = await this.find(signal);
    if (found === undefined) return undefined;
    const { revision, manifest } = found;
    let digests: Buffer[];
    try {
      const chunks = readManifest(manifest, 'a snapshot').files.flatMap((file) => file.chunks);
      digests = distinct(chunks.map((digest) => Buffer.from(digest, 'hex')));
    } catch {
      return { revision, problem: 'its manifest is none' };
    }
    let damaged = 0;
    for (const part of inParts(digests, DIGESTED_TOGETHER)) {
      const text = `SELECT count(*)::int AS whole FROM skill_discovery.chunk
        WHERE sha256 = ANY ($1) AND sha256(bytes) = sha256`;
      const [row] = await runAlone(this.#pool, signal)<{ whole: number }>({ text, values: [part] });
      damaged += part.length - row!.whole;
    }
    if (damaged === 0) return undefined;
    return {
      revision,
      problem: `${damaged} of its ${digests.length} chunks are missing or not what their digests say`,
    };
  }

  /** Deletes one that is damaged, so that the next load stores another. Does nothing where nothing may be written. */
  async delete({ version }: Revision): Promise<void> {
    const { statementTime } = SHARED_CATALOGUE_LIMITS;
    await this.#pool.session({ statementTime, pauseTime: statementTime }, async ({ run }) => {
      // Told by the database, this would count as an outage.
      if (!(await mayWrite(run))) return;
      const deleted = await run({
        text: 'DELETE FROM skill_discovery.snapshot WHERE version = $1 RETURNING 1',
        values: [version],
      });
      if (deleted.length > 0) await run({ text: 'DELETE FROM skill_discovery.chunk' });
    });
  }

  /** How many skills were changed or removed since; undefined if there is none. */
  async changedSince(signal?: AbortSignal): Promise<number | undefined> {
    const found = await this.find(signal);
    if (found === undefined) return undefined;
    const text = 'SELECT count(*)::int AS changed FROM skill_discovery.skill WHERE version > $1';
    const [row] = await runAlone(this.#pool, signal)<{ changed: number }>({ text, values: [found.revision.version] });
    return row!.changed;
  }
}

async function find(run: RunStatement): Promise<FoundSnapshot | undefined> {
  const [row] = await run<Omit<Revision, 'identity'> & { readonly manifest: string }>({
    text: `SELECT snapshot.version::float8 AS version, snapshot.stamp, manifest, ${PUBLISHED_AT} AS "publishedAt"
      FROM skill_discovery.snapshot JOIN skill_discovery.revision USING (version)`,
  });
  if (row === undefined) return undefined;
  const { manifest, ...found } = row;
  const present = await readPresent(run);
  const revision = { identity: present.identity, ...found };
  return (await isKnown(run, present, revision)) ? { revision, manifest } : undefined;
}
