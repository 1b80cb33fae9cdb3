/**
 * The most work of one question, in units: the work of reading one posting, some nanoseconds. What is beyond it is left
 * out, and the answer says `truncated`. It takes up to 50 ms, so that no question holds up the others. A question of a
 * few words costs a fiftieth of it.
 */
const QUESTION_WORK = 4_500_000;

/** The same for each skill of a catalogue of more than 100,000: a word of a larger catalogue has more postings. */
const QUESTION_WORK_PER_SKILL = 45;

/**
 * Counts the work of one question, and bounds it. Counted is what is read and compared (postings, positions, terms),
 * never time: the same question to the same catalogue does the same work and has the same answer on every machine. One
 * unit takes about as long as reading one posting, some nanoseconds. Work that a cache saves is counted all the same.
 * An index over several segments counts what it reads of each, some hundredths more than one index of all would.
 *
 * Whoever works asks first. Without units for a piece of work it is left out, and the answer is truncated.
 */
export class Work {
  /** The most units that may be spent. */
  readonly limit: number;
  #spent = 0;
  #held = 0;
  #truncated = false;

  /** @param limit without it, nothing is left out */
  constructor(limit: number = Number.POSITIVE_INFINITY) {
    this.limit = limit;
  }

  /** The work of one question to a catalogue of so many skills. */
  static forQuestion(skills: number): Work {
    return new Work(Math.max(QUESTION_WORK, QUESTION_WORK_PER_SKILL * skills));
  }

  /** Units spent until now, at most {@link limit}. */
  get spent(): number {
    return this.#spent;
  }

  /** Units that may still be spent. */
  get left(): number {
    return this.limit - this.#spent - this.#held;
  }

  /** Whether anything was left out that could have changed the answer. */
  get truncated(): boolean {
    return this.#truncated;
  }

  /**
   * Asks for a piece of work that the answer needs.
   *
   * @returns true if it may be done, and is counted; false if it must be left out, and the answer is truncated
   */
  affords(units: number): boolean {
    if (this.saves(units)) return true;
    this.#truncated = true;
    return false;
  }

  /**
   * Asks for a piece of work that only saves other work. The answer is the same without it.
   *
   * @returns whether it may be done; then it is counted
   */
  saves(units: number): boolean {
    if (units > this.limit - this.#spent - this.#held) return false;
    this.#spent += units;
    return true;
  }

  /** Notes that something was left out. */
  truncate(): void {
    this.#truncated = true;
  }

  /**
   * Keeps work for later.
   *
   * @param share of the limit, 0 to 1; replaces what was kept before
   */
  hold(share: number): void {
    this.#held = share === 0 ? 0 : this.limit * share;
  }

  /** Forgets what was counted since there was so much: a part of the question is asked again. */
  goBack(spent: number, truncated: boolean): void {
    this.#spent = spent;
    this.#held = 0;
    this.#truncated = truncated;
  }
}
