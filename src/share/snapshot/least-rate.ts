import { SNAPSHOT_RATE_LIMITS } from '../../core/index.js';

/** Why an answer was given up. */
export class TooSlowError extends Error {
  override readonly name = 'TooSlowError';
}

/** Watches over an answer: one that trickles would keep a start waiting without end. */
export class LeastRate {
  readonly #timer: NodeJS.Timeout;
  #bytes = 0;

  /**
   * @param onSlow called once, when too little came
   * @param time milliseconds in which enough must come, again and again until the answer has ended
   */
  constructor(onSlow: (error: TooSlowError) => void, time: number = SNAPSHOT_RATE_LIMITS.time) {
    const look = (): void => {
      const bytes = this.#bytes;
      this.#bytes = 0;
      if (bytes >= SNAPSHOT_RATE_LIMITS.bytes) return;
      this.stop();
      const came = bytes === 0 ? 'nothing' : bytes === 1 ? 'only 1 byte' : `only ${bytes} bytes`;
      onSlow(new TooSlowError(`${came} came within ${time / 1000} seconds`));
    };
    this.#timer = setInterval(look, time).unref();
  }

  /** Says that more of the answer is here. */
  came(bytes: number): void {
    this.#bytes += bytes;
  }

  /** The answer has ended. */
  stop(): void {
    clearInterval(this.#timer);
  }
}
