import { readFile } from 'node:fs/promises';
import type pg from 'pg';
import type { Pool, PoolClient, PoolConfig } from 'pg';
import { SkillSearchError } from '../errors.js';
import { POSTGRES_LIMITS } from '../limits.js';
import { loadPg } from './load-pg.js';
import type { PostgresAddress } from './postgres-address.js';
import { awayError, isLost, openingError, statementError } from './postgres-error.js';
import type { CopiedRow, PostgresSession, SessionOptions } from './postgres-session.js';
import type { PostgresStatement, RunStatement } from './postgres-statement.js';
import { rowsOf } from './rows-of.js';
import { TransactionSession } from './transaction-session.js';
import { within } from './within.js';

/** A database stopped answering, or answers again. */
export type PostgresEvent =
  | { readonly kind: 'away'; readonly error: SkillSearchError }
  /** @property milliseconds how long it was away */
  | { readonly kind: 'back'; readonly milliseconds: number };

/** Settings of a {@link PostgresPool}. */
export interface PostgresPoolOptions {
  /** Connections at most. */
  readonly connections: number;
  /** A file whose first line is the password; read for each new connection, so that it can be changed. */
  readonly passwordFile?: string | undefined;
  readonly onChange?: ((event: PostgresEvent) => void) | undefined;
}

/**
 * A few connections to a database. Every statement has a time limit. While the database does not answer, statements
 * fail at once; the pool looks for it until it is back.
 */
export class PostgresPool {
  readonly address: PostgresAddress;
  readonly #makePool: () => Pool;
  readonly #onChange: (event: PostgresEvent) => void;
  #pool: Pool;
  /** Since when the database does not answer, by `performance.now()`, and why. */
  #away: { readonly since: number; readonly cause: unknown } | undefined;
  #looking: NodeJS.Timeout | undefined;
  #isClosed = false;

  private constructor(address: PostgresAddress, makePool: () => Pool, onChange: (event: PostgresEvent) => void) {
    this.address = address;
    this.#makePool = makePool;
    this.#onChange = onChange;
    this.#pool = makePool();
  }

  /**
   * Connects, and checks that the database is one that can be used.
   *
   * @throws {SkillSearchError} `DATABASE_NOT_READABLE` if it cannot be reached or lets nobody in;
   *   `DATABASE_NOT_WRITABLE` if it may only be read; `UNSUPPORTED_FORMAT` for a version before 14;
   *   `POSTGRES_CLIENT_MISSING`; `INVALID_OPTION` for a password file that cannot be read
   */
  static async connect(address: PostgresAddress, options: PostgresPoolOptions): Promise<PostgresPool> {
    const { passwordFile } = options;
    if (passwordFile !== undefined) await readPassword(passwordFile);
    const { Pool, Client } = await loadPg();
    const config = { ...configOf(address, options), Client: closingClient(Client) };
    const makePool = (): Pool => {
      const made = new Pool(config);
      // Lost connections: who uses one is told by its statement, and one that is idle is replaced.
      made.on('error', () => {});
      made.on('connect', (client) => client.on('error', () => {}));
      return made;
    };
    const pool = new PostgresPool(address, makePool, options.onChange ?? (() => {}));
    try {
      const first = new Pool({ ...config, max: 1, connectionTimeoutMillis: POSTGRES_LIMITS.openingTime });
      first.on('error', () => {});
      const client = await first.connect();
      client.on('error', () => {});
      try {
        await within(POSTGRES_LIMITS.openingTime, checkDatabase(client, address));
      } finally {
        client.release(true);
      }
      return pool;
    } catch (error) {
      await pool.close();
      throw openingError(error, address);
    }
  }

  /** Undefined while the database answers; otherwise what requests fail with. */
  get awayError(): SkillSearchError | undefined {
    return this.#away === undefined ? undefined : awayError(this.address.shown, this.#away.cause);
  }

  /**
   * Runs one statement, in 2 seconds at most.
   *
   * @throws {SkillSearchError} `SERVICE_UNAVAILABLE` if the database does not answer, with `retryAfter`, or after
   *   `close`; `DATABASE_NOT_READABLE` if it refuses the statement
   */
  async run<Row>(statement: PostgresStatement): Promise<Row[]> {
    return this.#guarded(POSTGRES_LIMITS.answerTime, (client) => rowsOf<Row>(client, statement));
  }

  /**
   * Does work in a transaction, which is rolled back when the work throws.
   *
   * @param milliseconds for all of it
   * @throws {SkillSearchError} as {@link run}
   */
  async transaction<T>(milliseconds: number, work: (run: RunStatement) => Promise<T>): Promise<T> {
    return this.#guarded(milliseconds, async (client) => {
      await client.query('BEGIN');
      try {
        await client.query(`SET LOCAL statement_timeout = ${Math.ceil(milliseconds)}`);
        const result = await work((statement) => rowsOf(client, statement));
        await client.query('COMMIT');
        return result;
      } catch (error) {
        await client.query('ROLLBACK').catch(() => {});
        throw error;
      }
    });
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
    let isDone = false;
    let thrown: unknown;
    const result = await this.#guarded(undefined, async (client, discard) => {
      const session = new TransactionSession(client, options);
      try {
        await session.begin();
        const made = await work(session);
        await session.commit();
        isDone = true;
        return made;
      } catch (error) {
        await session.rollback();
        if (session.isLost) discard();
        // What the database says of itself counts for all who ask it. Anything else is the work's own.
        const { failure } = session;
        const isOfDatabase = failure === error || isLost(failure);
        if (isOfDatabase && failure !== undefined && signal?.aborted !== true) throw failure;
        thrown = error;
        return undefined;
      }
    });
    if (!isDone) throw thrown;
    return result as T;
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

  /** @param milliseconds for all of the work; undefined if it sees to that itself */
  async #guarded<T>(milliseconds: number | undefined, work: ClientWork<T>): Promise<T> {
    if (this.#isClosed) throw new SkillSearchError('SERVICE_UNAVAILABLE', `${this.address.shown} was closed`);
    if (this.#away !== undefined) throw awayError(this.address.shown, this.#away.cause);
    if (this.#pool.waitingCount >= POSTGRES_LIMITS.waiting) throw this.#tooMany();
    const pool = this.#pool;
    try {
      return await this.#within(milliseconds, work);
    } catch (error) {
      if (isWaitTimeout(error)) throw this.#tooMany();
      const lost = error instanceof NotConnected ? error.cause : isLost(error) ? error : undefined;
      if (lost === undefined) throw statementError(error, this.address);
      // One that failed with a former pool says nothing of this one.
      if (pool === this.#pool && !this.#isClosed) this.#goAway(lost);
      throw awayError(this.address.shown, lost);
    }
  }

  /** The database answers, but not fast enough for all who ask. */
  #tooMany(): SkillSearchError {
    const { shown } = this.address;
    const message = `too many statements wait for ${shown}; try again in 1 s`;
    return new SkillSearchError('SERVICE_UNAVAILABLE', message, { path: shown, retryAfter: 1 });
  }

  /** Does work with a connection, which is closed if it is of no more use afterwards. */
  async #within<T>(milliseconds: number | undefined, work: ClientWork<T>): Promise<T> {
    const client = await this.#pool.connect().catch((cause: unknown) => {
      throw new NotConnected(cause);
    });
    let isBroken = false;
    const discard = (): void => {
      isBroken = true;
    };
    try {
      const working = work(client, discard);
      return await (milliseconds === undefined ? working : within(milliseconds, working));
    } catch (error) {
      isBroken ||= isLost(error);
      throw error;
    } finally {
      client.release(isBroken);
    }
  }

  #goAway(cause: unknown): void {
    this.#away = { since: performance.now(), cause };
    // Connections that seem to be open may lead nowhere.
    this.#replacePool();
    this.#onChange({ kind: 'away', error: awayError(this.address.shown, cause) });
    // A restart of the database takes less than a tenth of a second sometimes.
    this.#lookIn(0);
  }

  #replacePool(): void {
    void this.#pool.end().catch(() => {});
    this.#pool = this.#makePool();
  }

  #lookIn(milliseconds: number): void {
    this.#looking = setTimeout(() => void this.#look(), milliseconds).unref();
  }

  async #look(): Promise<void> {
    try {
      await this.#within(POSTGRES_LIMITS.answerTime, (client) => checkDatabase(client, this.address));
    } catch {
      if (this.#isClosed) return;
      // The next look finds the way anew: the name may lead to another machine by now.
      this.#replacePool();
      this.#lookIn(POSTGRES_LIMITS.lookInterval);
      return;
    }
    if (this.#isClosed || this.#away === undefined) return;
    const milliseconds = performance.now() - this.#away.since;
    this.#away = undefined;
    this.#onChange({ kind: 'back', milliseconds });
  }
}

/** What is done with a connection. Whoever calls `discard` has it closed afterwards. */
type ClientWork<T> = (client: PoolClient, discard: () => void) => Promise<T>;

/** Whether all connections were in use for too long, as the pool says it: whoever has them will be told more. */
function isWaitTimeout(error: unknown): boolean {
  return error instanceof NotConnected && (error.cause as Error).message === 'timeout exceeded when trying to connect';
}

/** No connection could be had; the cause says why. */
class NotConnected extends Error {
  override readonly name = 'NotConnected' as const;

  constructor(cause: unknown) {
    super('not connected', { cause });
  }
}

/**
 * A client that closes its connection where connecting fails. Without a password the client itself gives up, and leaves
 * the connection open: it would keep the process alive until the database has waited long enough, a minute.
 */
function closingClient(Client: typeof pg.Client): typeof pg.Client {
  return class ClosingClient extends Client {
    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error | null) => void): void;
    override connect(callback?: (error: Error | null) => void): Promise<pg.Client> | undefined {
      const connecting = super.connect().catch((error: unknown) => {
        void this.end().catch(() => {});
        throw error;
      });
      if (callback === undefined) return connecting;
      connecting.then(
        () => callback(null),
        (error: Error) => callback(error),
      );
      return undefined;
    }
  };
}

async function checkDatabase(client: PoolClient, { shown }: PostgresAddress): Promise<void> {
  const [found] = await rowsOf<{ version: number; encoding: string; readOnly: string }>(client, {
    text: `SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding,
      current_setting('transaction_read_only') AS "readOnly"`,
  });
  const { version, encoding, readOnly } = found!;
  if (version < 140_000) {
    const message = `${shown} is PostgreSQL ${Math.floor(version / 10_000)}: 14 or newer is needed`;
    throw new SkillSearchError('UNSUPPORTED_FORMAT', message, { path: shown });
  }
  if (encoding !== 'UTF8') {
    const message = `${shown} has the encoding ${encoding}: make a database with \`createdb --encoding=UTF8 --template=template0\``;
    throw new SkillSearchError('UNSUPPORTED_FORMAT', message, { path: shown });
  }
  if (readOnly === 'on') {
    const message = `${shown} may only be read: is this a standby? Give the address of the primary`;
    throw new SkillSearchError('DATABASE_NOT_WRITABLE', message, { path: shown });
  }
}

function configOf(address: PostgresAddress, { connections, passwordFile }: PostgresPoolOptions): PoolConfig {
  const { host, port, user, database, password, tls, certificates } = address;
  const ca = certificates === undefined ? {} : { ca: certificates };
  return {
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(user === undefined ? {} : { user }),
    ...(database === undefined ? {} : { database }),
    ...(passwordFile === undefined ? {} : { password: () => readPassword(passwordFile) }),
    ...(passwordFile !== undefined || password === undefined ? {} : { password }),
    ...(tls === undefined
      ? {}
      : { ssl: tls === 'disable' ? false : { rejectUnauthorized: tls === 'verify-full', ...ca } }),
    max: connections,
    connectionTimeoutMillis: POSTGRES_LIMITS.connectTime,
    idleTimeoutMillis: POSTGRES_LIMITS.idleTime,
    statement_timeout: POSTGRES_LIMITS.statementTime,
    // A process that asks nothing more may end.
    allowExitOnIdle: true,
    keepAlive: true,
    application_name: 'skill-discovery',
  };
}

async function readPassword(path: string): Promise<string> {
  try {
    const [line = ''] = (await readFile(path, 'utf8')).split(/\r?\n/, 1);
    return line;
  } catch (cause) {
    const message = `the password file cannot be read: ${(cause as Error).message}`;
    throw new SkillSearchError('INVALID_OPTION', message, { path, cause });
  }
}
