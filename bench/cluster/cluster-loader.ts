import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Disturbances } from './disturbances.js';
import { type baseRows, generationRows, writeRows } from './generations.js';
import { type Command, Part } from './part.js';

/** After a load that failed. */
const PAUSE = 300;

export interface LoaderOptions {
  readonly command: Command;
  /** Words of `load` beside the sources. */
  readonly words: readonly string[];
  readonly base: ReturnType<typeof baseRows>;
  readonly folder: string;
  /** When PostgreSQL, or its connections, were away: a load may fail then. */
  readonly away: Disturbances;
  /** Milliseconds between two loads. */
  readonly pause: number;
}

/** Loads one generation after the other, each by a process of its own, which may be killed. */
export class ClusterLoader {
  readonly #options: LoaderOptions;
  readonly #source: string;
  readonly #faults: string[] = [];
  readonly #loadedAt = new Map<number, number>();
  readonly #seconds: number[] = [];
  readonly #waiting = new Set<{ readonly beyond: number; readonly loaded: () => void }>();
  #begun = 0;
  #failed = 0;
  #killed = false;
  #part: Part | undefined;
  #isEnding = false;
  #loading: Promise<void> = Promise.resolve();

  constructor(options: LoaderOptions) {
    this.#options = options;
    this.#source = join(options.folder, 'changes.jsonl');
  }

  /** The latest generation whose load has begun. */
  get begun(): number {
    return this.#begun;
  }

  /** When each generation was loaded, by `performance.now()`: when its command had ended. */
  get loadedAt(): ReadonlyMap<number, number> {
    return this.#loadedAt;
  }

  /** Seconds of each load that ended well. */
  get seconds(): readonly number[] {
    return this.#seconds;
  }

  get failed(): number {
    return this.#failed;
  }

  get faults(): readonly string[] {
    return this.#faults;
  }

  /** Loads everything: what never changes, and generation 0. */
  async loadFirst(): Promise<void> {
    const { base, folder } = this.#options;
    const lasting = join(folder, 'base.jsonl');
    writeRows(lasting, base);
    writeRows(this.#source, generationRows(0, base));
    const status = await this.#run([lasting, this.#source]);
    if (status !== 0) throw new Error(`the first load ended with ${status}:\n${this.#part!.lastLines()}`);
    this.#loadedAt.set(0, performance.now());
  }

  /** Begins to load on and on. */
  start(): void {
    this.#loading = this.#loadOn();
  }

  /** Kills a load that is running; false if there is none. */
  async kill(): Promise<boolean> {
    if (this.#part?.isRunning !== true) return false;
    this.#killed = true;
    await this.#part.kill();
    return true;
  }

  /** Resolved when a generation has been loaded whose load has not begun yet. */
  nextLoad(): Promise<void> {
    return new Promise((loaded) => this.#waiting.add({ beyond: this.#begun, loaded }));
  }

  /** Ends at once, whatever is being loaded. */
  async stop(): Promise<void> {
    this.#isEnding = true;
    await this.kill();
    await this.#loading;
  }

  /** @returns the latest generation that was loaded, after one more load */
  async end(): Promise<number> {
    await this.nextLoad();
    this.#isEnding = true;
    await this.#loading;
    return Math.max(...this.#loadedAt.keys());
  }

  async #loadOn(): Promise<void> {
    while (!this.#isEnding) {
      const generation = ++this.#begun;
      writeRows(this.#source, generationRows(generation, this.#options.base));
      this.#killed = false;
      const began = performance.now();
      const status = await this.#run([this.#source, '--prune']);
      const ended = performance.now();
      if (status === 0) {
        this.#loadedAt.set(generation, ended);
        this.#seconds.push((ended - began) / 1000);
        for (const waiting of this.#waiting) {
          if (generation <= waiting.beyond) continue;
          this.#waiting.delete(waiting);
          waiting.loaded();
        }
      } else {
        this.#noteFailure(generation, status, began);
        await wait(PAUSE);
      }
      await wait(this.#options.pause);
    }
  }

  #noteFailure(generation: number, status: number | NodeJS.Signals, began: number): void {
    if (this.#killed) return;
    this.#failed += 1;
    if (this.#options.away.touch(began, performance.now())) return;
    this.#faults.push(`the load of generation ${generation} ended with ${status}: ${this.#part!.lastLines()}`);
  }

  #run(sources: readonly string[]): Promise<number | NodeJS.Signals> {
    const { command, words, folder } = this.#options;
    this.#part = new Part(command, ['load', ...sources, ...words], join(folder, 'loader.log'));
    return this.#part.ended;
  }
}
