import type { ClusterLoader } from './cluster-loader.js';
import type { ClusterServer } from './cluster-server.js';
import type { Disturbances } from './disturbances.js';

/** Seconds from the end of a load to the first answer of a server with it. */
export interface Lag {
  readonly seconds: number;
  /** Whether anything was down meanwhile. */
  readonly isDisturbed: boolean;
}

/** How long a generation takes from the end of its load, or from its first answer anywhere, to each server. */
export class LagMeter {
  readonly lags: Lag[] = [];
  readonly #loader: ClusterLoader;
  readonly #away: Disturbances;
  readonly #servers: readonly ClusterServer[];
  readonly #firstSeen = new Map<number, number>();

  constructor(loader: ClusterLoader, away: Disturbances, servers: readonly ClusterServer[]) {
    this.#loader = loader;
    this.#away = away;
    this.#servers = servers;
  }

  /** A server has answered with a generation for the first time. */
  note(generation: number): void {
    const now = performance.now();
    if (!this.#firstSeen.has(generation)) this.#firstSeen.set(generation, now);
    const loadedAt = this.#loader.loadedAt.get(generation) ?? Number.POSITIVE_INFINITY;
    const since = Math.min(loadedAt, this.#firstSeen.get(generation)!);
    const isDisturbed = this.#away.touch(since, now) || this.#servers.some((one) => one.wasDown(since, now));
    this.lags.push({ seconds: (now - since) / 1000, isDisturbed });
  }
}
