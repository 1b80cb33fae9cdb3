import type { Pager } from '../../arrays/paged-image.js';

/** Strings in the order of their code points, as the bytes of their UTF-8; may hold a string several times. */
export class StringTable {
  readonly size: number;
  readonly #strings: PackedStrings;
  readonly #bytes: Buffer;
  readonly #pager: Pager;

  constructor(strings: PackedStrings, pager: Pager) {
    const { bytes, starts } = strings;
    this.#strings = strings;
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#pager = pager;
    this.size = starts.length - 1;
  }

  at(i: number): string {
    return this.#bytes.toString('utf8', this.startOf(i), this.endOf(i));
  }

  /** Where a string begins in the bytes, which are there up to its end. */
  startOf(i: number): number {
    const { bytes, starts } = this.#strings;
    this.#pager.need(starts, i, i + 2);
    const start = starts[i]!;
    this.#pager.need(bytes, start, starts[i + 1]);
    return start;
  }

  /** Where a string ends, after {@link startOf} was asked. */
  endOf(i: number): number {
    return this.#strings.starts[i + 1]!;
  }

  /** Where the strings that are equal to one begin and end. */
  range(text: string): readonly [from: number, to: number] {
    const wanted = Buffer.from(text);
    const from = this.#lowerBound((i) => this.#compare(i, wanted) < 0);
    let to = from;
    while (to < this.size && this.#compare(to, wanted) === 0) to += 1;
    return [from, to];
  }

  /** Where the strings that begin so begin and end. */
  rangeOfPrefix(prefix: string): readonly [from: number, to: number] {
    const wanted = Buffer.from(prefix);
    const head = (i: number): number => {
      const start = this.startOf(i);
      const end = Math.min(this.endOf(i), start + wanted.length);
      return this.#bytes.compare(wanted, 0, wanted.length, start, end);
    };
    return [this.#lowerBound((i) => head(i) < 0), this.#lowerBound((i) => head(i) <= 0)];
  }

  #compare(i: number, wanted: Buffer): number {
    return this.#bytes.compare(wanted, 0, wanted.length, this.startOf(i), this.endOf(i));
  }

  /** The first place that is not before what is wanted. */
  #lowerBound(isBefore: (i: number) => boolean): number {
    let [low, high] = [0, this.size];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Compares by code points, as their UTF-8 compares; `<` compares by UTF-16 units. */
export function compareCodePoints(a: string, b: string): number {
  if (a === b) return 0;
  // The two orders differ only where surrogates meet the units behind them.
  if (!HIGH_UNIT.test(a) || !HIGH_UNIT.test(b)) return a < b ? -1 : 1;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const HIGH_UNIT = /[\ud800-\uffff]/;

/** The parts of a {@link StringTable}. */
export interface PackedStrings {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
}

/** @param strings in the order of {@link compareCodePoints} */
export function packStrings(strings: readonly string[]): PackedStrings {
  const starts = new Uint32Array(strings.length + 1);
  let total = 0;
  for (let i = 0; i < strings.length; i++) {
    total += Buffer.byteLength(strings[i]!);
    starts[i + 1] = total;
  }
  const bytes = Buffer.allocUnsafeSlow(total);
  for (let i = 0; i < strings.length; i++) bytes.write(strings[i]!, starts[i]!);
  return { bytes, starts };
}
