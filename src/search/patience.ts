import { type Argument, checkNumber, MAX_LONGEST_WAIT, SkillSearchError } from '../core/index.js';

/** Longest time that the model reads a question, in milliseconds, beside its wait. Usual are some hundredths. */
export const MAX_READING_TIME = 10_000;

const LONGEST_WAIT: Argument = { name: 'longestWait', code: 'INVALID_OPTION' };

/** How long a semantic search waits for the model. A search with a limit fails with `BUSY` beyond it. */
export class Patience {
  /** Aborted, with `BUSY` as its reason, when the model has not answered in time; undefined without a limit. */
  readonly signal: AbortSignal | undefined;
  /** In milliseconds. */
  readonly #longestWait: number;
  readonly #timer: NodeJS.Timeout | undefined;

  /**
   * @param longestWait seconds until the question is read; undefined or 0 for no limit
   * @throws {SkillSearchError} `INVALID_OPTION`
   */
  constructor(longestWait: number | undefined) {
    const seconds = checkNumber(LONGEST_WAIT, longestWait, 0, MAX_LONGEST_WAIT);
    this.#longestWait = (seconds || Number.POSITIVE_INFINITY) * 1000;
    if (this.#longestWait === Number.POSITIVE_INFINITY) return;
    const late = new AbortController();
    this.signal = late.signal;
    const stop = (): void => late.abort(busy('the model has not answered in time', this.#longestWait));
    this.#timer = setTimeout(stop, this.#longestWait + MAX_READING_TIME);
  }

  /**
   * @param expected milliseconds until the question would be read
   * @throws {SkillSearchError} `BUSY` if that is too long
   */
  check(expected: number): void {
    if (expected <= this.#longestWait) return;
    const seconds = Math.ceil(expected / 1000);
    throw busy(`too many questions wait for the model: ${seconds} s of work`, expected - this.#longestWait);
  }

  /** Call it once the search has ended. */
  end(): void {
    clearTimeout(this.#timer);
  }
}

function busy(reason: string, wait: number): SkillSearchError {
  const retryAfter = Math.max(1, Math.ceil(wait / 1000));
  return new SkillSearchError('BUSY', `${reason}; try again in ${retryAfter} s`, { retryAfter });
}
