import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ConnectionOptions } from 'node:tls';
import type pg from 'pg';
import type { ClientBase, Pool, PoolClient, PoolConfig } from 'pg';
import { noteOutage, orMissing, SkillSearchError, surroundings } from '../../core/index.js';
import {
  type Candidate,
  candidatesOf,
  checkTarget,
  type FoundSession,
  findPassword,
  type PasswordTarget,
  type PostgresAddress,
  type PostgresEvent,
  type TlsMode,
} from './postgres-address.js';
import { AnswerTimeout, awayError, isLost, noHostError, openingError, statementError } from './postgres-error.js';
import { inTransaction, RolledBack, rowsOf, within } from './postgres-session.js';
import type { CopiedRow, PostgresSession, PostgresStatement, SessionOptions } from './statements.js';

/** The limits of what is kept in PostgreSQL. Times are in milliseconds. They cannot be changed. */
export const POSTGRES_LIMITS = {
  /** Connections of one process, unless a caller says otherwise: requests are counted together, so few are needed. */
  usualConnections: 4,
  /**
   * How long connecting may take, and how long work of several statements waits for a connection. A caller of one
   * statement has given up by then: the connection is for those who come later, on a machine that has too much to do.
   */
  connectTime: 5000,
  /** For one statement of a request, with the wait for a connection: the caller is told within 2 seconds. */
  requestTime: 1900,
  /** From a statement to its answer. A connection on which none comes is given up. */
  answerTime: 1050,
  /** What one statement may take in the database. Shorter, so that a database that is only slow can say so. */
  statementTime: 900,
  /** How long making tables may take, with the wait for another server that does so. */
  preparingTime: 60_000,
  /** After which an idle connection is closed. */
  idleTime: 60_000,
  /** Between two looks for a database that does not answer. */
  lookInterval: 250,
  /** Statements that may wait for a connection: as many as a server has clients. Beyond, they are refused. */
  waiting: 2000,
} as const;

/**
 * Milliseconds until it is told anew that more ask than the database can answer: thousands a second may fail by that.
 */
const CROWD_TOLD_AGAIN = 60_000;

/** Settings of a {@link PostgresPool}. */
export interface PostgresPoolOptions {
  /** Connections at most. */
  readonly connections: number;
  /** A file whose first line is the password; read for each new connection, so that it can be changed. */
  readonly passwordFile?: string | undefined;
  /** Whether nothing is written: then a standby will do. @default false */
  readonly isReader?: boolean | undefined;
  readonly onChange?: ((event: PostgresEvent) => void) | undefined;
}

/**
 * A few connections to a database. Every statement has a time limit. While the database does not answer, statements
 * fail at once; the pool looks for it until it is back. Where the address has several hosts, the first of those that
 * are meant is used, all connections lead there, and they are tried again in turn when it does not answer.
 */
export class PostgresPool {
  readonly address: PostgresAddress;
  readonly #makePool: (at: PostgresAddress) => Pool;
  readonly #isReader: boolean;
  readonly #onChange: ((event: PostgresEvent) => void) | undefined;
  /** Which of the hosts is asked. */
  #at: PostgresAddress;
  #pool: Pool;
  /** Since when the database does not answer, by `performance.now()`, and why. */
  #away: { readonly since: number; readonly cause: Error } | undefined;
  /** Why it did not answer last; statements of that time may fail after it is back. */
  #lastCause: Error | undefined;
  #looking: NodeJS.Timeout | undefined;
  /** What refusals have as their cause while more ask than it can answer, and since when. */
  #crowd: { readonly since: number; readonly cause: Error } | undefined;
  /** Who waits for a connection. */
  #waiting = 0;
  /** Connections of the present pool that somebody uses. */
  #lent = 0;
  #isClosed = false;

  private constructor(address: PostgresAddress, makePool: (at: PostgresAddress) => Pool, options: PostgresPoolOptions) {
    this.address = address;
    this.#at = address;
    this.#makePool = makePool;
    this.#isReader = options.isReader === true;
    this.#onChange = options.onChange;
    this.#pool = makePool(address);
  }

  /**
   * Connects, and checks that the database is one that can be used.
   *
   * @throws {SkillSearchError} `DATABASE_NOT_READABLE` if it cannot be reached or lets nobody in;
   *   `DATABASE_NOT_WRITABLE` if it may only be read, unless nothing is written; `UNSUPPORTED_FORMAT` for a version
   *   before 14; `POSTGRES_CLIENT_MISSING`; `INVALID_OPTION` for a password file that cannot be read
   */
  static async connect(address: PostgresAddress, options: PostgresPoolOptions): Promise<PostgresPool> {
    const { passwordFile } = options;
    if (passwordFile !== undefined) await readPassword(passwordFile);
    const { Pool } = await loadPg();
    const makePool = (at: PostgresAddress): Pool => {
      const made = new Pool(configOf(at, options));
      // Lost connections: who uses one is told by its statement, and one that is idle is replaced.
      made.on('error', () => {});
      made.on('connect', (client) => client.on('error', () => {}));
      return made;
    };
    const pool = new PostgresPool(address, makePool, options);
    const errors = await pool.#find(POSTGRES_LIMITS.connectTime);
    if (errors.length === 0) return pool;
    await pool.close();
    throw noHostError(address, errors);
  }

  /** Undefined while the database answers; otherwise what requests fail with. */
  get awayError(): SkillSearchError | undefined {
    return this.#away === undefined ? undefined : awayError(this.address.shown, this.#away.cause);
  }

  /**
   * Runs one statement, in 2 seconds at most, with the wait for a connection.
   *
   * @throws {SkillSearchError} `SERVICE_UNAVAILABLE` if the database does not answer, with `retryAfter`, or after
   *   `close`; `DATABASE_NOT_READABLE` if it refuses the statement
   */
  async run<Row>(statement: PostgresStatement): Promise<Row[]> {
    return this.#guarded(() => this.#ask(this.#pool, statement));
  }

  /**
   * Does work in a transaction that may take as long as it needs: what is limited is each of its statements, and the
   * pauses between them. It is rolled back when the work throws. An aborted session is over when its work is.
   *
   * @throws {SkillSearchError} as {@link run}
   * @throws the signal's reason when aborted; whatever else the work throws
   */
  async session<T>(options: SessionOptions, work: (session: PostgresSession) => Promise<T>): Promise<T> {
    const { signal } = options;
    signal?.throwIfAborted();
    return this.#guarded(async () => {
      const connecting = this.#connect(this.#pool, POSTGRES_LIMITS.connectTime, signal);
      const client = await connecting.catch((error: unknown) => {
        signal?.throwIfAborted();
        throw error;
      });
      return this.#lend(client, (lent) => inTransaction(lent, options, work));
    }, signal);
  }

  /**
   * The rows of one query, as bytes; see {@link PostgresSession.copy}.
   *
   * @param milliseconds for all of it
   * @throws {SkillSearchError} as {@link run}
   * @throws the signal's reason when aborted
   */
  async copy(query: string, milliseconds: number, signal?: AbortSignal): Promise<CopiedRow[]> {
    const options = { isSnapshot: true, statementTime: milliseconds, pauseTime: milliseconds, signal };
    return this.session(options, ({ copy }) => copy(query));
  }

  /** Closes all connections. Statements under way are waited for, a second at most. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#looking);
    await within(1000, this.#pool.end()).catch(() => {});
  }

  async #guarded<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#isClosed) throw new SkillSearchError('SERVICE_UNAVAILABLE', `${this.address.shown} was closed`);
    if (this.#away !== undefined) throw awayError(this.address.shown, this.#away.cause);
    if (this.#waiting >= POSTGRES_LIMITS.waiting) throw this.#tooMany();
    const pool = this.#pool;
    try {
      return await work();
    } catch (thrown) {
      if (thrown instanceof RolledBack && thrown.failure === undefined) throw thrown.cause;
      if (signal?.aborted === true && thrown === signal.reason) throw thrown;
      const error = thrown instanceof RolledBack ? thrown.failure : thrown;
      // All connections were in use for too long, as the pool says it: whoever has them will be told more.
      const late = 'timeout exceeded when trying to connect';
      if (error instanceof NotConnected && (error.cause as Error).message === late) throw this.#tooMany();
      const lost = error instanceof NotConnected ? error.cause : isLost(error) ? error : undefined;
      if (lost === undefined) throw statementError(error, this.address);
      // One that failed with a former pool says nothing of this one: it is of an outage that is known.
      if (pool === this.#pool && !this.#isClosed) this.#goAway(lost);
      throw awayError(this.address.shown, this.#lastCause ?? lost);
    }
  }

  /** The database answers, but not fast enough for all who ask. */
  #tooMany(): SkillSearchError {
    const { shown } = this.address;
    const now = performance.now();
    if (this.#crowd === undefined || now - this.#crowd.since > CROWD_TOLD_AGAIN) {
      this.#crowd = { since: now, cause: new Error('others fail by it, which is told once a minute') };
      noteOutage(this.#crowd.cause, false);
    }
    const message = `too many statements wait for ${shown}; try again in 1 s`;
    const { cause } = this.#crowd;
    return new SkillSearchError('SERVICE_UNAVAILABLE', message, { path: shown, retryAfter: 1, cause });
  }

  /** The time of a request is for both: the later the connection comes, the less is left for the answer. */
  async #ask<Row>(pool: Pool, statement: PostgresStatement): Promise<Row[]> {
    const { requestTime, answerTime } = POSTGRES_LIMITS;
    const until = performance.now() + requestTime;
    const client = await this.#connect(pool, requestTime);
    const answering = this.#lend(client, (lent) => within(answerTime, rowsOf<Row>(lent, statement)));
    const left = until - performance.now();
    if (left >= answerTime) return answering;
    // It goes on after that: only what it becomes says whether the connection is of use.
    return within(left, answering, undefined, () => this.#tooMany());
  }

  /**
   * A connection of a pool. One that comes too late is kept for those who ask later.
   *
   * @param milliseconds to wait for it
   */
  async #connect(pool: Pool, milliseconds: number, signal?: AbortSignal): Promise<PoolClient> {
    const connecting = pool.connect();
    this.#waiting += 1;
    try {
      return await within(milliseconds, connecting, signal);
    } catch (cause) {
      connecting.then(
        (client) => client.release(),
        () => {},
      );
      // Others have connections, so the database is there.
      if (cause instanceof AnswerTimeout && pool === this.#pool && this.#lent > 0) throw this.#tooMany();
      throw new NotConnected(cause);
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Does work with a connection, which is closed if it is of no more use afterwards. */
  async #lend<T>(client: PoolClient, work: (client: PoolClient) => Promise<T>): Promise<T> {
    const pool = this.#pool;
    let isBroken = false;
    this.#lent += 1;
    try {
      return await work(client);
    } catch (error) {
      isBroken = error instanceof RolledBack ? error.isBroken : isLost(error);
      throw error;
    } finally {
      client.release(isBroken);
      if (pool === this.#pool) this.#lent -= 1;
    }
  }

  #goAway(thrown: unknown): void {
    const cause = thrown instanceof Error ? thrown : new Error(String(thrown));
    this.#away = { since: performance.now(), cause };
    this.#lastCause = cause;
    noteOutage(cause, this.#onChange !== undefined);
    // Connections that seem to be open may lead nowhere.
    this.#use(this.#at);
    this.#onChange?.({ kind: 'away', error: awayError(this.address.shown, cause) });
    // A restart of the database takes less than a tenth of a second sometimes.
    this.#lookIn(0, POSTGRES_LIMITS.requestTime);
  }

  #use(at: PostgresAddress): void {
    void this.#pool.end().catch(() => {});
    this.#at = at;
    this.#pool = this.#makePool(at);
    this.#lent = 0;
  }

  /** @param patience milliseconds to wait for a connection then */
  #lookIn(milliseconds: number, patience: number): void {
    this.#looking = setTimeout(() => void this.#look(patience), milliseconds).unref();
  }

  /** @param patience milliseconds to wait for a connection */
  async #look(patience: number): Promise<void> {
    const errors = await this.#find(patience);
    if (this.#isClosed || this.#away === undefined) return;
    if (errors.length > 0) {
      const { connectTime, lookInterval } = POSTGRES_LIMITS;
      const isSlow = errors.some(({ cause }) => cause instanceof AnswerTimeout);
      // A machine that has too much to do needs longer for a connection than anybody wants to wait at first.
      this.#lookIn(lookInterval, isSlow ? Math.min(connectTime, patience * 2) : patience);
      return;
    }
    const milliseconds = performance.now() - this.#away.since;
    this.#away = undefined;
    this.#onChange?.({ kind: 'back', milliseconds });
  }

  /**
   * Looks for a host that can be used, and uses it.
   *
   * @param patience milliseconds to wait for each
   * @returns what is wrong with all of them; nothing if one can be used
   */
  async #find(patience: number): Promise<SkillSearchError[]> {
    const errors: SkillSearchError[] = [];
    for (const candidate of candidatesOf(this.address)) {
      if (this.#isClosed) break;
      // It looks the host up once more: a name may lead to another machine by now.
      this.#use(candidate.address);
      try {
        const client = await this.#connect(this.#pool, patience);
        await this.#lend(client, (lent) => within(POSTGRES_LIMITS.answerTime, this.#check(lent, candidate)));
        return [];
      } catch (error) {
        errors.push(openingError(error instanceof NotConnected ? error.cause : error, candidate.address));
      }
    }
    return errors;
  }

  /** Checks that the database is one that can be used. */
  async #check(client: PoolClient, { address: { shown }, target }: Candidate): Promise<void> {
    const [found] = await rowsOf<FoundSession & { version: number; encoding: string }>(client, {
      text: `SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding,
        current_setting('transaction_read_only') = 'on' AS "isReadOnly", pg_is_in_recovery() AS "isStandby"`,
    });
    const { version, encoding, ...session } = found!;
    if (version < 140_000) {
      const message = `${shown} is PostgreSQL ${Math.floor(version / 10_000)}: 14 or newer is needed`;
      throw new SkillSearchError('UNSUPPORTED_FORMAT', message, { path: shown });
    }
    if (encoding !== 'UTF8') {
      const message = `${shown} has the encoding ${encoding}: make a database with \`createdb --encoding=UTF8 --template=template0\``;
      throw new SkillSearchError('UNSUPPORTED_FORMAT', message, { path: shown });
    }
    checkTarget(shown, target, session, this.#isReader);
  }
}

/** No connection could be had; the cause says why. */
class NotConnected extends Error {
  override readonly name = 'NotConnected' as const;

  constructor(cause: unknown) {
    super('not connected', { cause });
  }
}

function configOf(address: PostgresAddress, { connections, passwordFile }: PostgresPoolOptions): PoolConfig {
  const { hosts, user, database, password, tls, certificates } = address;
  return {
    ...hosts[0],
    user,
    database,
    password: passwordFile === undefined ? (password ?? usualPassword) : () => readPassword(passwordFile),
    ssl: tls === undefined || tls === 'disable' ? false : tlsOf(tls, certificates),
    max: connections,
    connectionTimeoutMillis: POSTGRES_LIMITS.connectTime,
    idleTimeoutMillis: POSTGRES_LIMITS.idleTime,
    onConnect: limitStatements,
    // A process that asks nothing more may end.
    allowExitOnIdle: true,
    keepAlive: true,
    application_name: 'skill-discovery',
  };
}

/** As PostgreSQL's own programs do, `require` checks the certificate where it is said who may sign it. */
function tlsOf(tls: TlsMode, certificates: string | undefined): ConnectionOptions {
  return {
    rejectUnauthorized: tls !== 'require' || certificates !== undefined,
    ...(certificates === undefined ? {} : { ca: certificates }),
    ...(tls === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  };
}

/**
 * Not as a parameter of the connection: a pooler such as PgBouncer refuses that, or passes over it. The pool waits for
 * this.
 */
async function limitStatements(client: ClientBase): Promise<void> {
  const { statementTime, connectTime } = POSTGRES_LIMITS;
  await within(connectTime, client.query(`SET statement_timeout = ${statementTime}`));
}

/**
 * The password that neither an address nor an option has said. The client would find the same ones, and warn that it
 * will cease to read the password file; without any it would leave the connection open for a minute.
 *
 * @param target what the client gives such a function: the connection, with all defaults
 */
function usualPassword(target?: PasswordTarget): string {
  const of = surroundings();
  return of.env['PGPASSWORD'] || (target && findPassword(target, of)) || randomUUID();
}

async function readPassword(path: string): Promise<string> {
  try {
    const [line = ''] = (await readFile(path, 'utf8')).split(/\r?\n/, 1);
    if (line !== '') return line;
    const message = `the password file is empty, or its first line is: ${path}`;
    throw new SkillSearchError('INVALID_OPTION', message, { path });
  } catch (cause) {
    if (cause instanceof SkillSearchError) throw cause;
    const message = `the password file cannot be read: ${(cause as Error).message}`;
    throw new SkillSearchError('INVALID_OPTION', message, { path, cause });
  }
}

/**
 * Imports the client of PostgreSQL, an optional dependency, when somebody gives the address of one. No other file does.
 *
 * @throws {SkillSearchError} `POSTGRES_CLIENT_MISSING` if it is not installed
 */
async function loadPg(): Promise<typeof pg> {
  const message = 'PostgreSQL needs the optional package pg, which is not installed: npm install pg';
  return (await import('pg').catch(orMissing('POSTGRES_CLIENT_MISSING', message))).default;
}
