/** A cache of values up to a number and a total weight; the least recently used value is dropped first. */
export class RecentlyUsed<Value> {
  readonly #limit: number;
  readonly #weightLimit: number;
  readonly #weigh: (value: Value) => number;
  /** In the order of use: a Map iterates its keys in the order in which they were set. */
  readonly #values = new Map<string, Value>();
  /** Total of the kept values. */
  #weight = 0;

  /**
   * @param limit number of values to keep
   * @param weightLimit total weight of the values to keep
   */
  constructor(limit: number, weightLimit: number, weigh: (value: Value) => number) {
    this.#limit = limit;
    this.#weightLimit = weightLimit;
    this.#weigh = weigh;
  }

  /** The value under a key; if there is none, the result of `read`, which is then kept. */
  get(key: string, read: () => Value): Value {
    const kept = this.#values.get(key);
    const value = kept ?? read();
    if (kept === undefined) this.#weight += this.#weigh(value);
    this.#values.delete(key);
    this.#values.set(key, value);
    while (this.#values.size > this.#limit || this.#weight > this.#weightLimit) {
      if (!this.#dropOldest()) break;
    }
    return value;
  }

  /** The value under a key, if there is one. Does not count as a use. */
  peek(key: string): Value | undefined {
    return this.#values.get(key);
  }

  #dropOldest(): boolean {
    const [oldest] = this.#values;
    if (oldest === undefined) return false;
    const [key, value] = oldest;
    this.#weight -= this.#weigh(value);
    return this.#values.delete(key);
  }
}
