/** Measures the phases of a load. */
export class PhaseClock {
  #last = performance.now();

  /** Seconds since the last lap, or since the clock was made. */
  lap(): number {
    const now = performance.now();
    const seconds = (now - this.#last) / 1000;
    this.#last = now;
    return seconds;
  }
}
