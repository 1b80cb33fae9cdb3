/** Is told how many bytes are going to be read, and may put it off. */
export type Admit = (bytes: number) => Promise<void> | undefined;

/**
 * What may be read of an item before its turn. Whoever needs more waits with what he has, so that nothing is read
 * twice.
 */
export class AheadAllowance {
  #left: number;
  readonly #turn: Promise<void>;

  /** @param turn see {@link readAhead} */
  constructor(bytes: number, turn: Promise<void>) {
    this.#left = bytes;
    this.#turn = turn;
  }

  readonly admit: Admit = (bytes) => {
    this.#left -= bytes;
    return this.#left < 0 ? this.#turn : undefined;
  };
}
