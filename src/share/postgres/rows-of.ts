import type { ClientBase } from 'pg';
import type { PostgresStatement } from './postgres-statement.js';

/** Runs a statement on a connection. */
export async function rowsOf<Row>(client: ClientBase, { name, text, values }: PostgresStatement): Promise<Row[]> {
  const { rows } = await client.query({
    ...(name === undefined ? {} : { name }),
    text,
    ...(values === undefined ? {} : { values: [...values] }),
  });
  return rows as Row[];
}
