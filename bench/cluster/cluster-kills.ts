import { setTimeout as wait } from 'node:timers/promises';
import type { PostgresCluster } from '../../test/share/postgres/postgres-cluster.js';
import type { Random } from '../random.js';
import type { ClusterLoader } from './cluster-loader.js';
import type { ClusterServer } from './cluster-server.js';
import type { Disturbances } from './disturbances.js';

/** What is killed, in turns. */
export const KILLS = ['server', 'loader', 'connections of PostgreSQL', 'PostgreSQL'] as const;
export type Kill = (typeof KILLS)[number];

/** How often something was killed, and the seconds until all was well again, each time. */
export type KillFigures = Readonly<Record<Kill, readonly number[]>>;

export interface KillOptions {
  readonly cluster: PostgresCluster;
  /** The address of the database. */
  readonly address: string;
  readonly servers: readonly ClusterServer[];
  readonly loader: ClusterLoader;
  readonly away: Disturbances;
  /** Seconds from the end of one recovery to the next kill, about. */
  readonly pause: number;
  /** Seconds that PostgreSQL stays away. */
  readonly gone: number;
  readonly random: Random;
  readonly tell: (line: string) => void;
}

/** Seconds within which all must be well again. */
const RECOVERY = 60;
/** Milliseconds after PostgreSQL is back in which a 503 may still come: servers look for it from time to time. */
const SETTLING = 2000;

/** Kills one part after the other, each time waiting until all is well again. */
export class ClusterKills {
  readonly #options: KillOptions;
  readonly #seconds: Record<Kill, number[]>;
  readonly #faults: string[] = [];
  #turn = 0;

  constructor(options: KillOptions) {
    this.#options = options;
    this.#seconds = Object.fromEntries(KILLS.map((kill) => [kill, []])) as unknown as Record<Kill, number[]>;
  }

  get figures(): KillFigures {
    return this.#seconds;
  }

  get faults(): readonly string[] {
    return this.#faults;
  }

  /** @param until when to begin with no other kill, by `performance.now()`; each part is killed once at least */
  async run(until: number): Promise<void> {
    const { pause, random, tell } = this.#options;
    for (;;) {
      await wait(pause * (500 + 1000 * random()));
      if (performance.now() >= until && this.#turn >= KILLS.length) return;
      const kill = KILLS[this.#turn % KILLS.length]!;
      tell(`killing: ${kill}`);
      const seconds = await this.#kill(kill);
      this.#seconds[kill].push(seconds);
      tell(`all is well again after ${seconds.toFixed(1)} s`);
      this.#turn += 1;
    }
  }

  #kill(kill: Kill): Promise<number> {
    if (kill === 'server') return this.#killServer();
    if (kill === 'loader') return this.#killLoader();
    return kill === 'PostgreSQL' ? this.#killPostgres() : this.#killConnections();
  }

  async #killServer(): Promise<number> {
    const { servers } = this.#options;
    const server = servers[Math.floor(this.#turn / KILLS.length) % servers.length]!;
    const began = performance.now();
    await server.restart();
    return this.#recovered(began, `the ${server.name}`, server.nextAnswer());
  }

  async #killLoader(): Promise<number> {
    const { loader, random } = this.#options;
    do await wait(50 + 1000 * random());
    while (!(await loader.kill()));
    const began = performance.now();
    return this.#recovered(began, 'the loader', loader.nextLoad());
  }

  /** Once the main process is told to end all connections, the next time one of them is killed, so that it ends all. */
  async #killConnections(): Promise<number> {
    const { cluster, address, servers, away } = this.#options;
    const end = away.begin();
    const began = performance.now();
    const others = `FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    if (Math.floor(this.#turn / KILLS.length) % 2 === 0) {
      await cluster.execute(address, `SELECT pg_terminate_backend(pid) ${others}`);
    } else {
      const [row] = await cluster.execute(address, `SELECT pid ${others} ORDER BY backend_start LIMIT 1`);
      if (row !== undefined) process.kill(Number(row['pid']), 'SIGKILL');
    }
    const seconds = await this.#recovered(began, 'connections', Promise.all(servers.map((one) => one.nextAnswer())));
    setTimeout(end, SETTLING).unref();
    return seconds;
  }

  async #killPostgres(): Promise<number> {
    const { cluster, servers, away, gone } = this.#options;
    const end = away.begin();
    await cluster.stop('SIGQUIT');
    await wait(gone * 1000);
    await cluster.start();
    const began = performance.now();
    const seconds = await this.#recovered(began, 'PostgreSQL', Promise.all(servers.map((one) => one.nextAnswer())));
    setTimeout(end, SETTLING).unref();
    return seconds;
  }

  /** Seconds from when something began to be away until all is well again. */
  async #recovered(began: number, what: string, well: Promise<unknown>): Promise<number> {
    const stop = new AbortController();
    const isWell = await Promise.race([
      well.then(() => true),
      wait(RECOVERY * 1000, false, { signal: stop.signal, ref: false }).catch(() => false),
    ]);
    stop.abort();
    if (!isWell) this.#faults.push(`${what} did not recover within ${RECOVERY} s`);
    return (performance.now() - began) / 1000;
  }
}
