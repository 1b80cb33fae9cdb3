import { setImmediate } from 'node:timers/promises';

/** After so many milliseconds a long loop gives the event loop its turn. */
const LONGEST_MS = 20;

/**
 * Gives timers, signals and other work of the process their turn during a long loop. Awaiting something that is ready
 * does not: it goes on before anything else may.
 *
 * ```
 * if (turns.isDue()) await turns.take();
 * ```
 */
export class Turns {
  readonly #every: number;
  #passes = 0;
  #last = performance.now();

  /** @param every passes of the loop after which a turn is due even if they took no time */
  constructor(every: number) {
    this.#every = every;
  }

  /** Called in each pass of the loop. */
  isDue(): boolean {
    this.#passes += 1;
    return this.#passes >= this.#every || performance.now() - this.#last > LONGEST_MS;
  }

  async take(): Promise<void> {
    await setImmediate();
    this.#passes = 0;
    this.#last = performance.now();
  }
}
