import { SHARED_CATALOGUE_LIMITS } from '../../core/index.js';
import type { PostgresPool } from '../postgres/postgres-pool.js';
import type { RunStatement } from '../postgres/postgres-statement.js';

/** Runs statements that may take long, each in a transaction of its own. */
export function runAlone(pool: PostgresPool, signal: AbortSignal | undefined): RunStatement {
  const { statementTime } = SHARED_CATALOGUE_LIMITS;
  return (statement) => pool.session({ statementTime, pauseTime: statementTime, signal }, ({ run }) => run(statement));
}
