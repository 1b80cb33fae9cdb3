import { type ErrorCode, SkillSearchError } from '../../core/index.js';
import type { PostgresAddress } from './postgres-address.js';

/** An answer that did not come in time. The connection is of no more use. */
export class AnswerTimeout extends Error {
  override readonly name = 'AnswerTimeout' as const;
}

/** An error that PostgreSQL itself told, with its five characters of code. */
interface ToldError extends Error {
  readonly code: string;
  readonly severity: string;
}

function isTold(error: unknown): error is ToldError {
  return error instanceof Error && 'severity' in error && typeof (error as ToldError).code === 'string';
}

/** Codes after which a connection is of no more use: it is closed, or leads to a database that may not be written. */
const LOST = /^(?:08|57P0|25006)/;

/**
 * Whether an error of a statement says that its connection is of no more use, rather than that the statement is wrong.
 */
export function isLost(error: unknown): boolean {
  if (error instanceof SkillSearchError) return false;
  return isTold(error) ? LOST.test(error.code) : error instanceof Error;
}

/** Codes by which a busy database refuses one statement: another try may succeed. */
const BUSY = /^(?:40001|40P01|53|55P03|57014)/;

/**
 * A prepared statement that is there already, or is not there: somebody hands on each statement by another connection.
 */
const POOLED: ReadonlySet<string> = new Set(['42P05', '26000']);

/** A schema, a table or a column that is not there any more. */
const MISSING: ReadonlySet<string> = new Set(['3F000', '42P01', '42703']);

/**
 * An error of a statement that the database refused, as one of ours. Those that pass by themselves say when to ask
 * again.
 */
export function statementError(error: unknown, { shown, user }: PostgresAddress): SkillSearchError {
  if (error instanceof SkillSearchError) return error;
  const reason = reasonOf(error);
  if (isTold(error) && BUSY.test(error.code)) {
    const message = `${shown} is busy: ${reason}`;
    return new SkillSearchError('SERVICE_UNAVAILABLE', message, { path: shown, retryAfter: 1, cause: error });
  }
  const isForbidden = isTold(error) && error.code === '42501';
  const isPooled = isTold(error) && POOLED.has(error.code);
  const isMissing = isTold(error) && MISSING.has(error.code);
  const advice = isForbidden
    ? `. Let the owner of the tables run: ${grantsTo(user)}`
    : isPooled
      ? '. A pooler before it, such as PgBouncer, must be in session mode (pool_mode = session)'
      : isMissing
        ? '. What this program has made there is gone: restore the schema skill_discovery from a backup, or begin anew with an empty database'
        : '';
  const code = isForbidden ? 'DATABASE_NOT_WRITABLE' : 'DATABASE_NOT_READABLE';
  return new SkillSearchError(code, `${shown} refuses a statement: ${reason}${advice}`, { path: shown, cause: error });
}

/** What gives a user all rights to tables that somebody else has made. */
function grantsTo(user = 'USER'): string {
  return `GRANT USAGE, CREATE ON SCHEMA skill_discovery TO ${user}; GRANT ALL ON ALL TABLES IN SCHEMA skill_discovery TO ${user}`;
}

/** The error of each request while a database does not answer. */
export function awayError(shown: string, cause: unknown): SkillSearchError {
  const message = `${shown} does not answer: ${reasonOf(cause)}`;
  return new SkillSearchError('SERVICE_UNAVAILABLE', message, { path: shown, retryAfter: 1, cause });
}

/** What to do about an error at the first connection, by the code of PostgreSQL or of the system. */
const ADVICE: Readonly<Record<string, (address: PostgresAddress) => string>> = {
  ECONNREFUSED: () => 'nothing listens there: is PostgreSQL running, and are host and port right?',
  ENOENT: () => 'there is no socket: is PostgreSQL running, and does `host` name the folder of its socket?',
  ETIMEDOUT: () => NO_ANSWER,
  ECONNRESET: () => CLOSED,
  ERR_TLS_CERT_ALTNAME_INVALID: () =>
    'its certificate is for another name: give the host by that name, or compare no names with sslmode=verify-ca',
  '28P01': () =>
    'the password is not accepted, or there is none: it comes from PGPASSWORD, from ~/.pgpass, or from a password file that is named beside the address',
  '28000': ({ tls }) =>
    `this user may not connect from here: see pg_hba.conf of the database${tls === undefined ? '; where it demands TLS, add ?sslmode=verify-full' : ''}`,
  '3D000': () => 'there is no such database: make it with createdb',
  '42501': ({ user }) =>
    `the user may not make the tables, or use those that are there. Let an administrator run: CREATE SCHEMA skill_discovery AUTHORIZATION ${user ?? 'USER'} (where there is this schema: ${grantsTo(user)})`,
  '53300': () => 'it has as many connections as it may have: raise max_connections, or use fewer connections',
  '25006': () => 'it may only be read: is this a standby? Give the address of the primary',
};

const CLOSED =
  'what listens there closed the connection without an answer: is it PostgreSQL, is the port right, and does something between, such as a proxy, let it through?';
const NO_ANSWER = 'nothing answers there in time: are host and port right, and is it PostgreSQL?';

/** An error while a database is opened, as a sentence that says what to do. */
export function openingError(error: unknown, address: PostgresAddress): SkillSearchError {
  if (error instanceof SkillSearchError) return error;
  const told = (error as { readonly code?: unknown }).code;
  const advice = typeof told === 'string' && Object.hasOwn(ADVICE, told) ? ADVICE[told] : undefined;
  const reason = adviceByMessage(error) ?? advice?.(address) ?? reasonOf(error);
  const code: ErrorCode = told === '42501' || told === '25006' ? 'DATABASE_NOT_WRITABLE' : 'DATABASE_NOT_READABLE';
  return new SkillSearchError(code, `cannot open ${address.shown}: ${reason}`, { path: address.shown, cause: error });
}

/**
 * The error of an address of which no host can be used.
 *
 * @param errors of its hosts, one at least
 */
export function noHostError({ hosts, shown }: PostgresAddress, errors: readonly SkillSearchError[]): SkillSearchError {
  const [first] = errors;
  if (hosts.length === 1) return errors.at(-1)!;
  // One that is there and is not what is wanted says more than those that are away.
  const telling = errors.find(({ code }) => code !== 'DATABASE_NOT_READABLE') ?? first!;
  const reasons = new Set(errors.map(({ message }) => message));
  return new SkillSearchError(telling.code, [...reasons].join('; '), { path: shown, cause: telling });
}

/** Errors whose codes say too little, or that have none: those of the client. */
function adviceByMessage(error: unknown): string | undefined {
  const message = error instanceof Error ? error.message : '';
  if (isTold(error)) return /no .*user name/.test(message) ? 'name a user: postgres://user@host/database' : undefined;
  if (/^Connection terminated|error establishing an SSL connection|Received unexpected/.test(message)) {
    return /timeout/i.test(message) ? NO_ANSWER : CLOSED;
  }
  if (message.includes('does not support SSL'))
    return 'it has no TLS: leave sslmode out only in a network that you trust';
  if (/timeout/i.test(message) || error instanceof AnswerTimeout) return NO_ANSWER;
  if (/self.signed|unable to (?:verify|get)/i.test(message)) {
    return `its certificate is not trusted (${message}): name the file of who signed it as sslrootcert`;
  }
  return undefined;
}

/** The first line of an error. Errors of connecting to several addresses of a host have a message in each. */
function reasonOf(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const message = first instanceof Error ? first.message : String(first);
  return message.split('\n', 1)[0] || 'no reason is known';
}
