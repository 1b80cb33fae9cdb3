/** Something that is opened when it is first needed, for whoever needs it. */
export class OpenedOnce<T> {
  readonly #open: () => Promise<T>;
  #opening: Promise<T> | undefined;

  constructor(open: () => Promise<T>) {
    this.#open = open;
  }

  /** Opens it, unless it is open. After a failure the next call tries again. */
  get(): Promise<T> {
    if (this.#opening === undefined) {
      const opening = this.#open();
      this.#opening = opening;
      opening.catch(() => {
        if (this.#opening === opening) this.#opening = undefined;
      });
    }
    return this.#opening;
  }

  /** What is open by then, or being opened; undefined if nothing is. Forgets it: the caller closes it. */
  async take(): Promise<T | undefined> {
    const opening = this.#opening;
    this.#opening = undefined;
    return opening?.catch(() => undefined);
  }
}
