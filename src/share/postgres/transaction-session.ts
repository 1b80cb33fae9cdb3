import type { PoolClient } from 'pg';
import { CopyOut } from './copy-out.js';
import { isLost } from './postgres-error.js';
import type { CopiedRow, PostgresSession, SessionOptions } from './postgres-session.js';
import type { PostgresStatement } from './postgres-statement.js';
import { rowsOf } from './rows-of.js';
import { within } from './within.js';

/** Milliseconds between the database's own limit of a statement, and the one after which it counts as dead. */
const GRACE = 1000;

/** A transaction of any length on one connection: what is limited is each of its statements, and the pauses between. */
export class TransactionSession implements PostgresSession {
  readonly #client: PoolClient;
  readonly #options: SessionOptions;
  /** The statement before: the client does not queue them. */
  #last: Promise<unknown> = Promise.resolve();
  #failure: unknown;
  #isLost = false;

  constructor(client: PoolClient, options: SessionOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** Whether the connection is of no more use: it does not answer, or still works on what was aborted. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** What the last statement that failed failed with. */
  get failure(): unknown {
    return this.#failure;
  }

  readonly run = <Row>(statement: PostgresStatement): Promise<Row[]> =>
    this.#inTurn(() => rowsOf<Row>(this.#client, statement));

  readonly copy = (query: string): Promise<CopiedRow[]> =>
    this.#inTurn(() => this.#client.query(new CopyOut(query)).rows);

  async begin(): Promise<void> {
    const { isSnapshot, statementTime, pauseTime } = this.#options;
    const kind = isSnapshot === true ? ' ISOLATION LEVEL REPEATABLE READ, READ ONLY' : '';
    await this.run({
      text: `BEGIN${kind}; SET LOCAL statement_timeout = ${statementTime};
        SET LOCAL idle_in_transaction_session_timeout = ${pauseTime}`,
    });
  }

  commit(): Promise<unknown> {
    return this.run({ text: 'COMMIT' });
  }

  /** Never throws. A lost connection is closed by whoever lent it, and that rolls back, too. */
  async rollback(): Promise<void> {
    const { statementTime } = this.#options;
    if (this.#isLost) return;
    await within(statementTime, this.#client.query('ROLLBACK')).catch(() => {
      this.#isLost = true;
    });
  }

  async #inTurn<T>(ask: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => this.#bounded(ask));
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #bounded<T>(ask: () => Promise<T>): Promise<T> {
    const { signal, statementTime } = this.#options;
    signal?.throwIfAborted();
    try {
      return await within(statementTime + GRACE, ask(), signal);
    } catch (error) {
      this.#failure = error;
      this.#isLost ||= signal?.aborted === true || isLost(error);
      throw error;
    }
  }
}
