import type { SharedAccess } from './shared-access.js';
import { resolveSharedOptions, type SharedAccessOptions } from './shared-options.js';

/**
 * Connects to a database of PostgreSQL, 14 or newer, with API keys and how many requests each client has made. Any
 * number of servers may share it: they accept the same keys, and count together. Its tables are made if they are not
 * there, in the schema `skill_discovery`. Needs the optional package `pg`.
 *
 * @throws {SkillSearchError} `INVALID_OPTION` for a faulty option; `DATABASE_NOT_READABLE` if the database cannot be
 *   reached or lets nobody in; `DATABASE_NOT_WRITABLE` if the tables cannot be made; `NOT_A_STATE_FILE` if the schema
 *   belongs to something else; `UNSUPPORTED_FORMAT` for tables of a newer version, and for PostgreSQL before 14;
 *   `POSTGRES_CLIENT_MISSING`
 * @example
 * import { connectAccess } from 'skill-discovery/access';
 *
 * const access = await connectAccess({ state: 'postgres://skills@db.example.com/skills' });
 * const { key } = await access.createKey({ name: 'ci' });
 * const client = await access.identify(`Bearer ${key}`, '203.0.113.9');
 * console.log((await access.admit(client)).dailyRemaining); // 499
 * await access.close();
 */
export async function connectAccess(options: SharedAccessOptions): Promise<SharedAccess> {
  const resolved = resolveSharedOptions(options);
  const [{ PostgresPool }, { prepareTables }, { ACCESS_TABLES }, { SharedAccess: Opened }] = await Promise.all([
    import('../share/postgres/postgres-pool.js'),
    import('../share/postgres/shared-tables.js'),
    import('./shared-tables.js'),
    import('./shared-access.js'),
  ]);
  const pool = await PostgresPool.connect(resolved.address, resolved);
  try {
    await prepareTables(pool, ACCESS_TABLES);
    return new Opened(pool, resolved);
  } catch (error) {
    await pool.close();
    throw error;
  }
}
