import type { PostgresStatement } from '../share/index.js';
import type { Quota } from './options.js';
import { judge, type Verdict } from './usage.js';

/** Requests of one client that are counted together. */
export interface CountedRequests {
  readonly client: string;
  /** SHA-256 of the key by which the client is known; null for one without a key. */
  readonly hash: Buffer | null;
  readonly quota: Quota;
  /** How many of them have no fault. They come before the others. */
  readonly answerable: number;
  readonly faulty: number;
}

/** What a statement did to the counters of one client. */
export interface CountedRow {
  readonly client: string;
  readonly day: number;
  readonly dayCount: number;
  readonly minuteStart: number;
  readonly minuteCount: number;
  /** Answerable requests that were let through. */
  readonly admitted: number;
  readonly now: number;
}

/**
 * Milliseconds since 1970 by the clock of the database. Not the start of the statement: it may have waited for a row.
 */
const CLOCK = 'coalesce($7::bigint, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)';

/**
 * Counts requests of several clients and decides which of them may be answered: `count` of usage.ts for each of them in
 * turn, in one statement. Clients whose key was revoked are not counted, and not among the rows.
 *
 * A row is decided on while it is locked, by what it says then. All statements lock rows in the same order, so that two
 * never wait for each other.
 */
export function countStatement(requests: readonly CountedRequests[], now: number | undefined): PostgresStatement {
  return {
    name: 'skill-discovery count',
    text: TEXT,
    values: [
      requests.map(({ client }) => client),
      requests.map(({ hash }) => hash),
      requests.map(({ quota }) => quota.daily),
      requests.map(({ quota }) => quota.perMinute),
      requests.map(({ answerable }) => answerable),
      requests.map(({ faulty }) => faulty),
      now ?? null,
    ],
  };
}

const TEXT = `
INSERT INTO skill_discovery.usage AS held
  (client, day, day_count, minute_start, minute_count, daily, per_minute, asked, admitted)
SELECT client, time / 86400000, admitted, time, asked + faulty, daily, per_minute, asked, admitted
FROM (
  SELECT sent.*, ${CLOCK} AS time,
    least(sent.asked, nullif(sent.per_minute, 0), nullif(sent.daily, 0)) AS admitted
  FROM unnest($1::text[], $2::bytea[], $3::int[], $4::int[], $5::int[], $6::int[])
    AS sent (client, hash, daily, per_minute, asked, faulty)
  LEFT JOIN skill_discovery.api_key AS known ON known.hash = sent.hash AND known.revoked_at IS NULL
  WHERE sent.hash IS NULL OR known.hash IS NOT NULL
  OFFSET 0
) AS accepted
ORDER BY client COLLATE "C"
ON CONFLICT (client) DO UPDATE SET
  (day, day_count, minute_start, minute_count, daily, per_minute, asked, admitted) = (
    SELECT counted, used + let, began, past + excluded.minute_count,
      excluded.daily, excluded.per_minute, excluded.asked, let
    FROM (SELECT ${CLOCK} AS time OFFSET 0) AS clock
    CROSS JOIN LATERAL (SELECT
      CASE WHEN held.day = time / 86400000 + 1 THEN held.day ELSE time / 86400000 END AS counted OFFSET 0) AS days
    CROSS JOIN LATERAL (SELECT
      CASE WHEN held.day = counted THEN held.day_count ELSE 0 END AS used,
      abs(time - held.minute_start) < 60000 AS runs OFFSET 0) AS day
    CROSS JOIN LATERAL (SELECT
      CASE WHEN runs THEN held.minute_start ELSE time END AS began,
      CASE WHEN runs THEN held.minute_count ELSE 0 END AS past OFFSET 0) AS minute
    CROSS JOIN LATERAL (SELECT least(excluded.asked,
      CASE WHEN excluded.per_minute > 0 THEN greatest(0, excluded.per_minute - past) END,
      CASE WHEN excluded.daily > 0 THEN greatest(0, excluded.daily - used) END) AS let OFFSET 0) AS verdict
  )
RETURNING client, day, day_count::float8 AS "dayCount", minute_start::float8 AS "minuteStart",
  minute_count::float8 AS "minuteCount", admitted, ${CLOCK}::float8 AS now`;

/** What becomes of each request that was counted, the answerable ones first. */
export function verdictsOf({ quota, answerable, faulty }: CountedRequests, row: CountedRow): Verdict[] {
  const { day, minuteStart, now } = row;
  const minuteBefore = row.minuteCount - answerable - faulty;
  const dayBefore = row.dayCount - row.admitted;
  return Array.from({ length: answerable + faulty }, (_, i) => {
    const dayCount = dayBefore + Math.min(i, row.admitted);
    return judge({ day, dayCount, minuteStart, minuteCount: minuteBefore + i + 1 }, now, quota, i < answerable);
  });
}
