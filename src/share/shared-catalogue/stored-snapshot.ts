import type { PostgresPool } from '../postgres/postgres-pool.js';
import { mayWrite } from '../postgres/shared-tables.js';
import type { RunStatement } from '../postgres/statements.js';
import { digestOf, manifestText, readManifest } from '../snapshot/manifest.js';
import { readWhileUnchanged } from '../snapshot/write-files.js';
import { isKnown, PUBLISHED_AT, type Revision, readPresent, sharedDamage } from './catalogue-tables.js';
import { bytesArray, distinct, inParts, runAlone, SHARED_CATALOGUE_LIMITS } from './stored-bytes.js';

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
    if (bytes === undefined || digestOf(bytes) === digest) return bytes;
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
        const digest = digestOf(bytes);
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
