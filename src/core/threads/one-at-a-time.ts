/** Pieces of work of which each begins when the one before it has ended, in the order of the calls. */
export class OneAtATime {
  #last: Promise<unknown> | undefined;

  /** Does a piece of work; at once if there is no other. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.#last;
    const result = before === undefined ? work() : before.then(work);
    const ended = result.then(
      () => {},
      () => {},
    );
    this.#last = ended;
    try {
      return await result;
    } finally {
      if (this.#last === ended) this.#last = undefined;
    }
  }
}
