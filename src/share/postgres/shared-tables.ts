import { type ErrorCode, SkillSearchError } from '../../core/index.js';
import { openingError } from './postgres-error.js';
import { POSTGRES_LIMITS, type PostgresPool } from './postgres-pool.js';
import type { RunStatement } from './statements.js';

/** The tables of one part of what is kept in a database. */
export interface SharedTables {
  readonly part: string;
  readonly format: number;
  /** What the part is called in messages: `state`, `catalogue`. */
  readonly noun: string;
  /** The code of the error where the schema or its tables belong to something else. */
  readonly foreignCode: ErrorCode;
  /** The statements that make them. */
  readonly statements: string;
}

/** The schema of all tables of ours, so that a database may have others beside them. */
const SCHEMA = 'skill_discovery';

/** Held by who makes tables, so that servers that start together do that one after the other. */
const LOCK = 0x534b4449;

const { preparingTime } = POSTGRES_LIMITS;
const TIMES = { statementTime: preparingTime, pauseTime: preparingTime };

/**
 * Makes the tables of a part. Where they are there already, this only reads; so it does where nothing may be written
 * and that is enough.
 *
 * @param isReader whether nothing is written later
 * @returns whether there are tables
 * @throws {SkillSearchError} the part's `foreignCode` if the schema or its tables belong to something else;
 *   `UNSUPPORTED_FORMAT` for another format; `DATABASE_NOT_WRITABLE` if the user may not make tables;
 *   `DATABASE_NOT_READABLE`
 */
export async function prepareTables(pool: PostgresPool, tables: SharedTables, isReader = false): Promise<boolean> {
  const { shown } = pool.address;
  try {
    const [isMade, isEnough] = await pool.session(TIMES, async ({ run }) => [
      await areMade(run, tables, shown),
      isReader && !(await mayWrite(run)),
    ]);
    if (isMade || isEnough) return isMade;
    await pool.session(TIMES, async ({ run }) => {
      await run({ text: 'SELECT pg_advisory_xact_lock($1)', values: [LOCK] });
      if (await areMade(run, tables, shown)) return;
      await run({ text: MAKE_SCHEMA });
      await run({ text: tables.statements });
      const values = [tables.part, tables.format];
      await run({ text: `INSERT INTO ${SCHEMA}.format (part, version) VALUES ($1, $2)`, values });
    });
    return true;
  } catch (error) {
    throw tablesError(error, pool, tables.foreignCode);
  }
}

/** Not `IF NOT EXISTS` alone: that needs the right to make schemas also where an administrator has made this one. */
const MAKE_SCHEMA = `
  DO $$ BEGIN IF to_regnamespace('${SCHEMA}') IS NULL THEN CREATE SCHEMA ${SCHEMA}; END IF; END $$;
  CREATE TABLE IF NOT EXISTS ${SCHEMA}.format (part text PRIMARY KEY, version integer NOT NULL)`;

/** Whether the tables of a part are there, in the format of this version. */
async function areMade(
  run: RunStatement,
  { part, format, noun, foreignCode }: SharedTables,
  shown: string,
): Promise<boolean> {
  const [found] = await run<{ tables: number; isOurs: boolean }>({
    text: `SELECT count(*)::int AS tables, count(*) FILTER (WHERE relname = 'format')::int = 1 AS "isOurs"
      FROM pg_class WHERE relnamespace = to_regnamespace($1) AND relkind IN ('r', 'p', 'v', 'm', 'f')`,
    values: [SCHEMA],
  });
  const { tables, isOurs } = found!;
  if (tables === 0) return false;
  if (!isOurs) throw foreign(foreignCode, shown);
  const [row] = await run<{ version: number }>({
    text: `SELECT version FROM ${SCHEMA}.format WHERE part = $1`,
    values: [part],
  });
  if (row === undefined || row.version === format) return row !== undefined;
  const message = `${shown} has ${noun} format ${row.version}, this version reads format ${format}: use the version that made it, or load again into another database`;
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

/** Whether a transaction may write: not on a standby, nor where all transactions of a user or a database only read. */
export async function mayWrite(run: RunStatement): Promise<boolean> {
  const [found] = await run<{ mayWrite: boolean }>({
    text: `SELECT current_setting('transaction_read_only') = 'off' AS "mayWrite"`,
  });
  return found!.mayWrite;
}
