// Apart from what names types of the client: programs whose types reach this need not have it installed.

/** The columns of a row as PostgreSQL's binary format has them; null for NULL. */
export type CopiedRow = readonly (Buffer | null)[];

/** What statements of a session run in; see `PostgresPool.session`. */
export interface PostgresSession {
  readonly run: RunStatement;
  /**
   * The rows of a query, as bytes. It can have no values, so it must be made of nothing but numbers and hex digits.
   * Faster than `run` where many bytes come, which that gets as hex digits.
   */
  readonly copy: (query: string) => Promise<CopiedRow[]>;
}

/** Settings of a session. */
export interface SessionOptions {
  /** Whether it only reads, all of it as it was at the beginning. */
  readonly isSnapshot?: boolean | undefined;
  /** Milliseconds that each statement may take. */
  readonly statementTime: number;
  /** Milliseconds between two statements after which the database ends the session, and frees what it has locked. */
  readonly pauseTime: number;
  /** Stops the statement under way, and all that follow. */
  readonly signal?: AbortSignal | undefined;
}

/** A statement with its values. One with a name is read by the database once for each connection. */
export interface PostgresStatement {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** Runs a statement and returns its rows. */
export type RunStatement = <Row>(statement: PostgresStatement) => Promise<Row[]>;
