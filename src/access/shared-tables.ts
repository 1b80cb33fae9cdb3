import type { SharedTables } from '../share/index.js';

/**
 * The tables of keys and counters in PostgreSQL.
 *
 * - `api_key.hash` is the SHA-256 of the key; the key itself is not stored. `daily` and `per_minute` are null where the
 *   servers' limits count. Times are in Unix seconds.
 * - `usage` has a row for each client: `day_count` requests were answered on `day` (days since 1970, UTC), and
 *   `minute_count` requests came in the minute from `minute_start` (milliseconds since 1970). `daily`, `per_minute` and
 *   `asked` are what the last statement counted by, and `admitted` is how many of `asked` it let through: a statement
 *   returns what it wrote, and sees nothing else of the row that it found.
 *
 * Half of each page of `usage` is left free, so that a row is counted up within its page and no index is written.
 */
export const ACCESS_TABLES: SharedTables = {
  part: 'access',
  noun: 'state',
  foreignCode: 'NOT_A_STATE_FILE',
  statements: `CREATE TABLE skill_discovery.api_key (
      number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      hash bytea NOT NULL UNIQUE,
      name text NOT NULL,
      daily integer,
      per_minute integer,
      created_at bigint NOT NULL,
      revoked_at bigint
    );
    CREATE TABLE skill_discovery.usage (
      client text COLLATE "C" PRIMARY KEY,
      day integer NOT NULL,
      day_count bigint NOT NULL,
      minute_start bigint NOT NULL,
      minute_count bigint NOT NULL,
      daily integer NOT NULL,
      per_minute integer NOT NULL,
      asked integer NOT NULL,
      admitted integer NOT NULL
    ) WITH (fillfactor = 50);
    CREATE INDEX usage_day ON skill_discovery.usage (day);`,
};
