import { setTimeout as sleep } from 'node:timers/promises';

/** The first wait after a failure, in seconds; each further one is twice as long. */
const FIRST = 1;
const LONGEST = 60;

/** How long to wait after loads that failed. */
export class Retries {
  readonly #signal: AbortSignal;
  #failures = 0;
  #isWaiting = false;

  /** @param signal ends all waits */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** The next wait after a failure. */
  get seconds(): number {
    return Math.min(LONGEST, FIRST * 2 ** this.#failures);
  }

  /** Whether nobody was told yet that somebody else's load is waited for. */
  isFirstWait(): boolean {
    const isFirst = !this.#isWaiting;
    this.#isWaiting = true;
    return isFirst;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#isWaiting = false;
  }

  async wait(): Promise<void> {
    const { seconds } = this;
    this.#failures += 1;
    await this.waitFor(seconds * 1000);
  }

  /** Returns early when the signal is aborted. */
  async waitFor(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#signal }).catch(() => {});
  }
}
