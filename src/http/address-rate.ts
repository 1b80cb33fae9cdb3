/**
 * Addresses whose requests are counted in memory, such as those for pages. With more, the count that began first is
 * forgotten. Each takes some hundred bytes.
 */
export const MAX_COUNTED_ADDRESSES = 10_000;

/** Milliseconds: what an address may do in this time it may do at once. */
const BURST = 10_000;

/**
 * Limits how often each address may do something: on average so often a second, by a leaky bucket of ten seconds. What
 * is refused does not count. Counts in memory, for this process; addresses that were silent for longest are forgotten.
 */
export class AddressRate {
  readonly #perSecond: number;
  readonly #now: () => number;
  /** When the bucket of each address is empty. The address that was silent for longest comes first. */
  readonly #empty = new Map<string, number>();

  /**
   * @param perSecond 0 for no limit
   * @param now milliseconds, never going back
   */
  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#now = now;
  }

  /** Whether it may do it once more. */
  admits(address: string): boolean {
    if (this.#perSecond === 0) return true;
    const now = this.#now();
    const empty = Math.max(now, this.#empty.get(address) ?? 0) + 1000 / this.#perSecond;
    if (empty > now + BURST) return false;
    putLast(this.#empty, address, empty);
    return true;
  }
}

/** Sets the value of an address behind those of all others. If they are too many, the first is forgotten. */
export function putLast<T>(byAddress: Map<string, T>, address: string, value: T): void {
  byAddress.delete(address);
  const [first] = byAddress.size < MAX_COUNTED_ADDRESSES ? [] : byAddress.keys();
  if (first !== undefined) byAddress.delete(first);
  byAddress.set(address, value);
}
