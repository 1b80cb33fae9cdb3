import type { PostgresPool } from '../postgres/postgres-pool.js';
import type { RunStatement } from '../postgres/postgres-session.js';
import { digestOf, readManifest } from '../snapshot/manifest.js';
import { bytesArray, distinct, inParts, SHARED_CATALOGUE_LIMITS, sharedDamage } from './helpers.js';
import { isKnown, readCatalogueRow, type SharedState } from './shared-state.js';

/** The files of a copy of one state. */
export interface Checkpoint {
  readonly state: SharedState;
  /** As `snapshot/manifest.ts` writes it; it was not read yet. */
  readonly manifest: string;
}

/** Chunks whose digests one statement computes: about 64 MiB. */
const DIGESTED_TOGETHER = 64;

/** Held by who writes a checkpoint. */
const LOCK = 0x534b4350;

/** The checkpoint, if there is one from which all changes are known. */
export async function findCheckpoint(run: RunStatement): Promise<Checkpoint | undefined> {
  const [row] = await run<{ version: number; stamp: string; manifest: string }>({
    text: `SELECT version::float8 AS version, stamp, manifest FROM skill_discovery.checkpoint
      ORDER BY checkpoint.version DESC LIMIT 1`,
  });
  if (row === undefined) return undefined;
  const head = await readCatalogueRow(run);
  const state = { identity: head.identity, version: row.version, stamp: row.stamp };
  return (await isKnown(run, head, state)) ? { state, manifest: row.manifest } : undefined;
}

/**
 * Finds what is wrong with the checkpoint. The database itself computes the digests: nothing is fetched.
 *
 * @returns its state, and what is wrong as a sentence without a full stop; undefined if all is well, or there is none
 */
export async function checkpointFault(
  run: RunStatement,
): Promise<{ readonly state: SharedState; readonly problem: string } | undefined> {
  const checkpoint = await findCheckpoint(run);
  if (checkpoint === undefined) return undefined;
  const { state, manifest } = checkpoint;
  let digests: Buffer[];
  try {
    const chunks = readManifest(manifest, 'a checkpoint').files.flatMap((file) => file.chunks);
    digests = distinct(chunks.map((digest) => Buffer.from(digest, 'hex')));
  } catch {
    return { state, problem: 'its manifest is none' };
  }
  let damaged = 0;
  for (const part of inParts(digests, DIGESTED_TOGETHER)) {
    const [row] = await run<{ whole: number }>({
      text: `SELECT count(*)::int AS whole FROM skill_discovery.chunk
        WHERE sha256 = ANY ($1) AND sha256(bytes) = sha256`,
      values: [part],
    });
    damaged += part.length - row!.whole;
  }
  if (damaged === 0) return undefined;
  return { state, problem: `${damaged} of its ${digests.length} chunks are missing or not what their digests say` };
}

/** Deletes a checkpoint that is of no use, with its chunks, so that the next load stores another. */
export async function deleteCheckpoint(run: RunStatement, { version }: SharedState): Promise<void> {
  const deleted = await run({
    text: 'DELETE FROM skill_discovery.checkpoint WHERE version = $1 RETURNING 1',
    values: [version],
  });
  if (deleted.length > 0) await run({ text: 'DELETE FROM skill_discovery.chunk' });
}

/** How many skills were changed or removed since the checkpoint; undefined if there is none. */
export async function changedSinceCheckpoint(run: RunStatement): Promise<number | undefined> {
  const checkpoint = await findCheckpoint(run);
  if (checkpoint === undefined) return undefined;
  const [row] = await run<{ changed: number }>({
    text: `SELECT (SELECT count(*) FROM skill_discovery.skill WHERE version > $1)::int
      + (SELECT count(*) FROM skill_discovery.removed WHERE version > $1)::int AS changed`,
    values: [checkpoint.state.version],
  });
  return row!.changed;
}

/**
 * The bytes of a chunk, from a connection of its own.
 *
 * @returns undefined if it is not there: its checkpoint was replaced meanwhile
 * @throws {SkillSearchError} `DATABASE_DAMAGED` if it is not what its digest says
 */
export async function readChunk(
  pool: PostgresPool,
  digest: string,
  signal: AbortSignal | undefined,
): Promise<Buffer | undefined> {
  const wanted = bytesArray([Buffer.from(digest, 'hex')]);
  const query = `SELECT bytes FROM skill_discovery.chunk WHERE sha256 = ANY (${wanted})`;
  const [row] = await pool.copy(query, SHARED_CATALOGUE_LIMITS.statementTime, signal);
  const bytes = row?.[0];
  if (bytes === undefined || bytes === null) return undefined;
  if (digestOf(bytes) === digest) return bytes;
  throw sharedDamage(pool.address.shown, `the chunk ${digest} is not what its digest says`, {
    remedy:
      'delete the checkpoint, and load again, which writes another: TRUNCATE skill_discovery.checkpoint, skill_discovery.chunk',
  });
}

/**
 * Stores a checkpoint in place of the one before, in one transaction. Does nothing if there is a later one, if its
 * state is not known any more, or if somebody else is storing one.
 *
 * @throws {SkillSearchError} `INVALID_SNAPSHOT` for a manifest that is none
 */
export async function storeCheckpoint(
  pool: PostgresPool,
  state: SharedState,
  manifest: string,
  chunks: (digest: string) => Promise<Buffer>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const digests = new Set(readManifest(manifest, 'a checkpoint').files.flatMap((file) => file.chunks));
  const { statementTime, publishingPause } = SHARED_CATALOGUE_LIMITS;
  await pool.session({ statementTime, pauseTime: publishingPause, signal }, async ({ run }) => {
    const [lock] = await run<{ isFree: boolean }>({
      text: 'SELECT pg_try_advisory_xact_lock($1) AS "isFree"',
      values: [LOCK],
    });
    if (lock?.isFree !== true) return;
    const head = await readCatalogueRow(run);
    const former = await findCheckpoint(run);
    const isLater = former === undefined || former.state.version < state.version;
    if (!isLater || !(await isKnown(run, head, state))) return;
    const stored = await run<{ sha256: string }>({
      text: `SELECT encode(sha256, 'hex') AS sha256 FROM skill_discovery.chunk`,
    });
    const there = new Set(stored.map(({ sha256 }) => sha256));
    for (const digest of digests) {
      if (there.has(digest)) continue;
      await run({
        text: 'INSERT INTO skill_discovery.chunk (sha256, bytes) VALUES ($1, $2)',
        values: [Buffer.from(digest, 'hex'), await chunks(digest)],
      });
    }
    const dropped = [...there].filter((digest) => !digests.has(digest)).map((digest) => Buffer.from(digest, 'hex'));
    await run({ text: 'DELETE FROM skill_discovery.chunk WHERE sha256 = ANY ($1)', values: [dropped] });
    await run({ text: 'DELETE FROM skill_discovery.checkpoint' });
    await run({
      text: 'INSERT INTO skill_discovery.checkpoint (version, stamp, manifest) VALUES ($1, $2, $3)',
      values: [state.version, state.stamp, manifest],
    });
  });
}
