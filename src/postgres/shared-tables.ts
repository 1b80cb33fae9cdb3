import { type ErrorCode, SkillSearchError } from '../errors.js';
import { POSTGRES_LIMITS } from '../limits.js';
import { mayWrite } from './may-write.js';
import { openingError } from './postgres-error.js';
import type { PostgresPool } from './postgres-pool.js';
import type { RunStatement } from './postgres-statement.js';

/** The tables of one part of what is kept in a database, and how they came to be. */
export interface SharedTables {
  /** The name of the part. Each part has a format of its own. */
  readonly part: string;
  /** What the part is called in messages: `state`, `catalogue`. */
  readonly noun: string;
  /** The code of the error where the schema or its tables belong to something else. */
  readonly foreignCode: ErrorCode;
  /**
   * Statements that lead from each format to the next; the first makes format 1. What stood here in a released version
   * is never changed.
   */
  readonly steps: readonly string[];
}

/** The schema of all tables of ours, so that a database may have others beside them. */
const SCHEMA = 'skill_discovery';

/** Held by who makes or changes tables, so that servers that start together do that one after the other. */
const LOCK = 0x534b4449;

const { preparingTime } = POSTGRES_LIMITS;
const TIMES = { statementTime: preparingTime, pauseTime: preparingTime };

/**
 * Makes the tables of a part, or brings them to the format of this version. Where they have it already, this only
 * reads.
 *
 * @throws {SkillSearchError} the part's `foreignCode` if the schema or its tables belong to something else;
 *   `UNSUPPORTED_FORMAT` for a format of a newer version; `DATABASE_NOT_WRITABLE` if the user may not make tables;
 *   `DATABASE_NOT_READABLE`
 */
export async function prepareTables(pool: PostgresPool, tables: SharedTables): Promise<void> {
  const { shown } = pool.address;
  const { part, noun, foreignCode, steps } = tables;
  try {
    const isReady = await pool.session(TIMES, ({ run }) => formatOf(run, tables, shown));
    if (isFormat(isReady, steps.length, noun, shown)) return;
    await pool.session(TIMES, async ({ run }) => {
      await run({ text: 'SELECT pg_advisory_xact_lock($1)', values: [LOCK] });
      const format = await formatOf(run, tables, shown);
      if (isFormat(format, steps.length, noun, shown)) return;
      if (format === undefined) await makeSchema(run);
      for (const step of steps.slice(format ?? 0)) await run({ text: step });
      await run({
        text: `INSERT INTO ${SCHEMA}.format (part, version) VALUES ($1, $2)
          ON CONFLICT (part) DO UPDATE SET version = excluded.version`,
        values: [part, steps.length],
      });
    });
  } catch (error) {
    throw tablesError(error, pool, foreignCode);
  }
}

/**
 * Like {@link prepareTables}, for who only reads: where nothing may be written, nothing is.
 *
 * @returns whether there are tables
 * @throws {SkillSearchError} as {@link prepareTables}
 */
export async function findTables(pool: PostgresPool, tables: SharedTables): Promise<boolean> {
  const { shown } = pool.address;
  const { noun, foreignCode, steps } = tables;
  try {
    const [format, isWritable] = await pool.session(TIMES, async ({ run }) => [
      await formatOf(run, tables, shown),
      await mayWrite(run),
    ]);
    if (isFormat(format, steps.length, noun, shown)) return true;
    if (!isWritable && format === undefined) return false;
    if (!isWritable) {
      const message = `${shown} has ${noun} format ${format}, this version reads format ${steps.length}: whoever may write there must use this version first`;
      throw new SkillSearchError('UNSUPPORTED_FORMAT', message, { path: shown });
    }
  } catch (error) {
    throw tablesError(error, pool, foreignCode);
  }
  await prepareTables(pool, tables);
  return true;
}

/** Not `IF NOT EXISTS` alone: that needs the right to make schemas also where an administrator has made this one. */
async function makeSchema(run: RunStatement): Promise<void> {
  const [found] = await run<{ schema: boolean }>({
    text: 'SELECT to_regnamespace($1) IS NOT NULL AS schema',
    values: [SCHEMA],
  });
  if (found?.schema !== true) await run({ text: `CREATE SCHEMA ${SCHEMA}` });
  await run({
    text: `CREATE TABLE IF NOT EXISTS ${SCHEMA}.format (part text PRIMARY KEY, version integer NOT NULL)`,
  });
}

/** The format of the tables of a part; undefined if there are none. */
async function formatOf(
  run: RunStatement,
  { part, foreignCode }: SharedTables,
  shown: string,
): Promise<number | undefined> {
  const [found] = await run<{ tables: number; isOurs: boolean }>({
    text: `SELECT count(*)::int AS tables, count(*) FILTER (WHERE relname = 'format')::int = 1 AS "isOurs"
      FROM pg_class WHERE relnamespace = to_regnamespace($1) AND relkind IN ('r', 'p', 'v', 'm', 'f')`,
    values: [SCHEMA],
  });
  const { tables, isOurs } = found!;
  if (tables === 0) return undefined;
  if (!isOurs) throw foreign(foreignCode, shown);
  const [row] = await run<{ version: number }>({
    text: `SELECT version FROM ${SCHEMA}.format WHERE part = $1`,
    values: [part],
  });
  return row?.version;
}

/** Whether tables have the format of this version; they may have an earlier one, or be missing. */
function isFormat(format: number | undefined, wanted: number, noun: string, shown: string): boolean {
  if (format === undefined || format < wanted) return false;
  if (format === wanted) return true;
  const message = `${shown} has ${noun} format ${format}, this version reads format ${wanted}: update skill-discovery here`;
  throw new SkillSearchError('UNSUPPORTED_FORMAT', message, { path: shown });
}

function foreign(code: ErrorCode, shown: string, cause?: unknown): SkillSearchError {
  const message = `the schema ${SCHEMA} of ${shown} has tables of something else: give the address of another database`;
  return new SkillSearchError(code, message, { path: shown, cause });
}

/** Columns and tables that are missing, have other types, or are there already: somebody else made them. */
const FOREIGN: ReadonlySet<unknown> = new Set(['42703', '42P01', '42P07', '42804', '42883']);

function tablesError(error: unknown, { address }: PostgresPool, foreignCode: ErrorCode): SkillSearchError {
  const cause = error instanceof SkillSearchError ? error.cause : error;
  const code = (cause as { readonly code?: unknown } | undefined)?.code;
  if (FOREIGN.has(code)) return foreign(foreignCode, address.shown, cause);
  // What it says of this state is more than that a statement was refused.
  if (code === '42501' || code === '25006') return openingError(cause, address);
  return openingError(error, address);
}
