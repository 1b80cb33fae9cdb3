/** What was used last, up to a number and a weight: the value that was used the longest time ago goes first. */
export class RecentlyUsed<Value> {
  readonly #limit: number;
  readonly #weightLimit: number;
  readonly #weigh: (value: Value) => number;
  /** In the order of use: a Map goes through its keys in the order in which they were set. */
  readonly #values = new Map<string, Value>();
  /** Of all of them. */
  #weight = 0;

  /**
   * @param limit how many values to keep
   * @param weightLimit what they may weigh together
   */
  constructor(limit: number, weightLimit: number, weigh: (value: Value) => number) {
    this.#limit = limit;
    this.#weightLimit = weightLimit;
    this.#weigh = weigh;
  }

  /** The value kept under a key, or the one that `read` gives. */
  get(key: string, read: () => Value): Value {
    const kept = this.#values.get(key);
    const value = kept ?? read();
    if (kept === undefined) this.#weight += this.#weigh(value);
    this.#values.delete(key);
    this.#values.set(key, value);
    while (this.#values.size > this.#limit || this.#weight > this.#weightLimit) {
      if (!this.#forgetOldest()) break;
    }
    return value;
  }

  /** The value kept under a key, if there is one. */
  peek(key: string): Value | undefined {
    return this.#values.get(key);
  }

  #forgetOldest(): boolean {
    const [oldest] = this.#values;
    if (oldest === undefined) return false;
    const [key, value] = oldest;
    this.#weight -= this.#weigh(value);
    return this.#values.delete(key);
  }
}
