import type { Connection, Statement } from '../store/index.js';
import type { Quota } from './options.js';
import { count, dayOf, type Usage, type Verdict } from './usage.js';

/** The request counters of all clients, shared by all processes that have the state file open. */
export class QuotaCounters {
  readonly #read: Statement<[client: string], Usage>;
  readonly #write: Statement<[client: string, number, number, number, number], unknown>;
  readonly #giveBack: Statement<[client: string, day: number], unknown>;
  readonly #clear: Statement<[before: number], unknown>;
  readonly #count: (client: string, quota: Quota, answerable: boolean) => Verdict;
  /** Day on which old counters were last removed. */
  #cleared = 0;

  /** @param now milliseconds since 1970 */
  constructor(connection: Connection, now: () => number) {
    this.#read = connection.prepare(
      `SELECT day, day_count AS dayCount, minute_start AS minuteStart, minute_count AS minuteCount
       FROM usage WHERE client = ?`,
    );
    this.#write = connection.prepare(
      `INSERT INTO usage (client, day, day_count, minute_start, minute_count) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (client) DO UPDATE SET day = excluded.day, day_count = excluded.day_count,
         minute_start = excluded.minute_start, minute_count = excluded.minute_count`,
    );
    this.#giveBack = connection.prepare(
      'UPDATE usage SET day_count = day_count - 1 WHERE client = ? AND day = ? AND day_count > 0',
    );
    this.#clear = connection.prepare('DELETE FROM usage WHERE day < ?');
    const transaction = connection.transaction((client: string, quota: Quota, answerable: boolean): Verdict => {
      // Read under the lock, so that no process writes a time that is older than the stored one.
      const time = now();
      this.#clearOld(dayOf(time));
      const verdict = count(this.#read.get(client), time, quota, answerable);
      const { day, dayCount, minuteStart, minuteCount } = verdict.usage;
      this.#write.run(client, day, dayCount, minuteStart, minuteCount);
      return verdict;
    });
    this.#count = transaction.immediate;
  }

  /** Counts one request of a client; see `count` of usage.ts. */
  count(client: string, quota: Quota, answerable: boolean): Verdict {
    return this.#count(client, quota, answerable);
  }

  /** Subtracts one request from the count of a day, if that is still the counted day. */
  giveBack(client: string, day: number): void {
    this.#giveBack.run(client, day);
  }

  /** Keeps yesterday's counters, because a clock may be set back a little. */
  #clearOld(today: number): void {
    if (today === this.#cleared) return;
    this.#clear.run(today - 1);
    this.#cleared = today;
  }
}
