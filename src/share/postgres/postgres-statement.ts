/** A statement with its values. One with a name is read by the database once for each connection. */
export interface PostgresStatement {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** Runs a statement and returns its rows. */
export type RunStatement = <Row>(statement: PostgresStatement) => Promise<Row[]>;
