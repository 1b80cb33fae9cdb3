import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Connection } from './ask.js';
import type { AskedServer } from './cluster-client.js';
import type { Disturbances } from './disturbances.js';
import { type Command, Part } from './part.js';

export interface ServerOptions {
  readonly name: string;
  readonly command: Command;
  readonly port: number;
  /** Words of `serve` beside those for its port. */
  readonly words: readonly string[];
  /** Where its log is written. */
  readonly folder: string;
}

/** Milliseconds after which a process that ended by itself is started again, as a service manager does. */
const RESTART = 500;
/** A line of the log with a 503: when it was answered, and the milliseconds that took. */
const UNAVAILABLE = /"time":"([^"]+)"[^\n]*"status":503[^\n]*"milliseconds":([\d.]+)/g;
/** Milliseconds within which a server must have started. */
const LONGEST_START = 120_000;

/** A server that can be killed and started again at the same port. One that ends by itself is started again, too. */
export class ClusterServer implements AskedServer {
  readonly name: string;
  readonly port: number;
  newest = 0;
  readonly #options: ServerOptions;
  #part: Part;
  /** Starts and ends of times without a process that answers, by `performance.now()`. */
  readonly #downs: { readonly from: number; to: number }[] = [{ from: 0, to: Number.POSITIVE_INFINITY }];
  readonly #ends: { readonly at: number; readonly lines: string }[] = [];
  #isStopping = false;
  readonly #waiting = new Set<{ readonly since: number; readonly answered: () => void }>();

  constructor(options: ServerOptions) {
    this.#options = options;
    this.name = options.name;
    this.port = options.port;
    this.#part = this.#start();
  }

  /** When its process ended by itself, by `performance.now()`, and what it said last. */
  get ends(): readonly { readonly at: number; readonly lines: string }[] {
    return this.#ends;
  }

  wasDown(from: number, to: number): boolean {
    return this.#downs.some((down) => down.from <= to && down.to >= from);
  }

  noteAnswer(sentAt: number): void {
    const down = this.#downs.at(-1);
    if (down?.to === Number.POSITIVE_INFINITY && sentAt >= down.from) down.to = performance.now();
    for (const waiting of this.#waiting) {
      if (sentAt < waiting.since) continue;
      this.#waiting.delete(waiting);
      waiting.answered();
    }
  }

  /**
   * Waits until it says that it is well.
   *
   * @throws Error if that takes too long
   */
  async untilHealthy(): Promise<void> {
    const connection = new Connection();
    try {
      for (const until = performance.now() + LONGEST_START; ; ) {
        const status = await connection.ask(this.port, '/api/health', {}, 5000).then(
          (answer) => answer.status,
          () => undefined,
        );
        if (status === 200) return;
        if (performance.now() > until) throw new Error(`${this.name} does not answer:\n${this.lastLines()}`);
        await wait(50);
      }
    } finally {
      connection.close();
    }
  }

  /** Resolved with the first answer to a request that was sent from now on. */
  nextAnswer(): Promise<void> {
    return new Promise((answered) => this.#waiting.add({ since: performance.now(), answered }));
  }

  /** Kills the process and starts another one. */
  async restart(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.#goDown();
    await this.#part.kill(signal);
    this.#part = this.#start();
  }

  async stop(): Promise<number | NodeJS.Signals> {
    this.#isStopping = true;
    this.#goDown();
    await this.#part.kill('SIGTERM');
    return this.#part.ended;
  }

  /**
   * Whether its log says that PostgreSQL was there and took too long, as on a machine that is busy with other things.
   */
  get hasFoundItSlow(): boolean {
    return /no answer came in time|connection timeout|too many statements wait/.test(this.#part.written);
  }

  /**
   * Milliseconds of its slowest 503 to a request that came while something was away, by its own log; 0 if none came.
   */
  slowestUnavailable(away: Disturbances): number {
    let slowest = 0;
    for (const [, time = '', taken] of this.#part.written.matchAll(UNAVAILABLE)) {
      const milliseconds = Number(taken);
      const came = Date.parse(time) - performance.timeOrigin - milliseconds;
      if (away.touch(came, came)) slowest = Math.max(slowest, milliseconds);
    }
    return slowest;
  }

  lastLines(): string {
    return this.#part.lastLines();
  }

  /** From then on until an answer comes its process is down; one that has not come up since it went down stays so. */
  #goDown(from = performance.now()): void {
    if (this.#downs.at(-1)!.to < Number.POSITIVE_INFINITY) this.#downs.push({ from, to: Number.POSITIVE_INFINITY });
  }

  #start(): Part {
    const { command, words, port, folder, name } = this.#options;
    const part = new Part(command, ['serve', ...words, '--port', String(port)], join(folder, `${name}.log`));
    part.ended.then(() => setTimeout(() => this.#startAgain(part), RESTART).unref());
    return part;
  }

  #startAgain(ended: Part): void {
    if (this.#isStopping || this.#part !== ended) return;
    this.#ends.push({ at: performance.now(), lines: ended.lastLines(3) });
    this.#goDown(performance.now() - RESTART);
    this.#part = this.#start();
  }
}
