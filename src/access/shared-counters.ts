import { madeOnce, type Resolvers, withResolvers } from '../core/index.js';
import type { PostgresPool, PostgresStatement } from '../share/index.js';
import { keyNotAccepted } from './api-key.js';
import { judge, type Usage, type Verdict } from './keys-and-quotas.js';
import type { Quota } from './options.js';

/** Clients whose requests are counted by one statement. */
const COUNTED_TOGETHER = 128;

/** A request that waits to be counted. */
type Waiting = Pick<Resolvers<Verdict>, 'resolve' | 'reject'>;

/** Requests of one client that wait to be counted. */
interface Group {
  readonly client: string;
  /** SHA-256 of the key by which the client is known; null for one without a key. */
  readonly hash: Buffer | null;
  readonly quota: Quota;
  /** Those that have no fault. They are counted before the others. */
  readonly answerable: Waiting[];
  readonly faulty: Waiting[];
}

/** Old rows that one statement removes. */
const CLEARED_TOGETHER = 5000;

/**
 * The request counters of all clients in a database, shared by all servers.
 *
 * A request is counted at once where a connection is free. What comes while the statements are under way waits for the
 * next, and is counted together: so the busier a server is, the less a request costs, and a single busy client is
 * counted as fast as many, although its row can be changed by one statement after the other only. Each request is
 * counted in the database before it is answered, so a server that dies takes nothing along.
 */
export class SharedCounters {
  readonly #pool: PostgresPool;
  readonly #now: (() => number) | undefined;
  /** Statements under way at most. One connection is left for everything else. */
  readonly #mostStatements: number;
  /** By client and quota. */
  readonly #waiting = new Map<string, Group>();
  /** Clients that a statement under way counts. */
  readonly #counted = new Set<string>();
  #statements = 0;
  /** Day on which old counters were last removed. */
  #cleared = 0;

  /** @param now a clock in place of the database's */
  constructor(pool: PostgresPool, connections: number, now: (() => number) | undefined) {
    this.#pool = pool;
    this.#now = now;
    this.#mostStatements = Math.max(1, connections - 1);
  }

  /**
   * Counts one request of a client; see `count` of keys-and-quotas.ts.
   *
   * @param hash SHA-256 of the key by which the client is known; null for one without a key
   * @throws {SkillSearchError} `INVALID_API_KEY` if the key was revoked
   */
  count(client: string, hash: Buffer | null, quota: Quota, answerable: boolean): Promise<Verdict> {
    const { daily, perMinute } = quota;
    const name = `${client} ${daily} ${perMinute}`;
    const group = madeOnce(this.#waiting, name, () => ({ client, hash, quota, answerable: [], faulty: [] }));
    const { promise, resolve, reject } = withResolvers<Verdict>();
    (answerable ? group.answerable : group.faulty).push({ resolve, reject });
    this.#send();
    return promise;
  }

  /** Subtracts one request from the count of a day, if that is still the counted day. */
  async giveBack(client: string, day: number): Promise<void> {
    await this.#pool.run({
      name: 'skill-discovery give back',
      text: `UPDATE skill_discovery.usage SET day_count = day_count - 1
        WHERE client = $1 AND day = $2 AND day_count > 0`,
      values: [client, day],
    });
  }

  #send(): void {
    while (this.#statements < this.#mostStatements) {
      const groups = this.#takeGroups();
      if (groups.length === 0) return;
      void this.#countTogether(groups);
    }
  }

  /** A client is in one statement at a time: a second would only wait for the first. */
  #takeGroups(): Group[] {
    const groups: Group[] = [];
    for (const [name, group] of this.#waiting) {
      if (this.#counted.has(group.client)) continue;
      this.#counted.add(group.client);
      this.#waiting.delete(name);
      groups.push(group);
      if (groups.length === COUNTED_TOGETHER) break;
    }
    return groups;
  }

  async #countTogether(groups: readonly Group[]): Promise<void> {
    this.#statements += 1;
    try {
      const rows = await this.#pool.run<CountedRow>(countStatement(groups, this.#now?.()));
      const byClient = new Map(rows.map((row) => [row.client, row]));
      for (const group of groups) settle(group, byClient.get(group.client));
      this.#clearOld(rows[0]?.day);
    } catch (error) {
      const failed = [...groups];
      // While the database does not answer, waiting for it again would double the time.
      if (this.#pool.awayError !== undefined) {
        failed.push(...this.#waiting.values());
        this.#waiting.clear();
      }
      for (const { answerable, faulty } of failed) for (const one of [...answerable, ...faulty]) one.reject(error);
    } finally {
      this.#statements -= 1;
      for (const { client } of groups) this.#counted.delete(client);
      this.#send();
    }
  }

  /** Keeps yesterday's counters, because a clock may be set back a little. */
  #clearOld(today: number | undefined): void {
    if (today === undefined || today <= this.#cleared) return;
    this.#cleared = today;
    void this.#clearBefore(today - 1);
  }

  /** Row after row that nobody else has locked: it waits for no statement, and none waits for it for long. */
  async #clearBefore(day: number): Promise<void> {
    try {
      for (;;) {
        const rows = await this.#pool.run({
          text: `DELETE FROM skill_discovery.usage WHERE client IN
            (SELECT client FROM skill_discovery.usage WHERE day < $1 LIMIT ${CLEARED_TOGETHER} FOR UPDATE SKIP LOCKED)
            RETURNING 1`,
          values: [day],
        });
        if (rows.length < CLEARED_TOGETHER) return;
      }
    } catch {
      // The next server to see a new day, or this one tomorrow, removes them.
    }
  }
}

function settle({ quota, answerable, faulty }: Group, row: CountedRow | undefined): void {
  const waiting = [...answerable, ...faulty];
  for (const [i, { resolve, reject }] of waiting.entries()) {
    if (row === undefined) reject(keyNotAccepted());
    else {
      const minuteCount = row.minuteCount - waiting.length + i + 1;
      const dayCount = row.dayCount - row.admitted + Math.min(i, row.admitted);
      const { day, minuteStart, now } = row;
      resolve(judge({ day, dayCount, minuteStart, minuteCount }, now, quota, i < answerable.length));
    }
  }
}

/** What a statement did to the counters of one client. */
interface CountedRow extends Usage {
  readonly client: string;
  /** Answerable requests that were let through. */
  readonly admitted: number;
  readonly now: number;
}

/**
 * Milliseconds since 1970 by the clock of the database. Not the start of the statement: it may have waited for a row.
 */
const CLOCK = 'coalesce($7::bigint, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)';

/**
 * Counts requests of several clients and decides which of them may be answered: `count` of keys-and-quotas.ts for each of them in
 * turn, in one statement. Clients whose key was revoked are not counted, and not among the rows.
 *
 * A row is decided on while it is locked, by what it says then. All statements lock rows in the same order, so that two
 * never wait for each other.
 */
function countStatement(groups: readonly Group[], now: number | undefined): PostgresStatement {
  return {
    name: 'skill-discovery count',
    text: TEXT,
    values: [
      groups.map(({ client }) => client),
      groups.map(({ hash }) => hash),
      groups.map(({ quota }) => quota.daily),
      groups.map(({ quota }) => quota.perMinute),
      groups.map(({ answerable }) => answerable.length),
      groups.map(({ faulty }) => faulty.length),
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
