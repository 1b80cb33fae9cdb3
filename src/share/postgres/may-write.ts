import type { RunStatement } from './postgres-statement.js';

/** Whether a transaction may write: not on a standby, nor where all transactions of a user or a database only read. */
export async function mayWrite(run: RunStatement): Promise<boolean> {
  const [found] = await run<{ mayWrite: boolean }>({
    text: `SELECT current_setting('transaction_read_only') = 'off' AS "mayWrite"`,
  });
  return found!.mayWrite;
}
