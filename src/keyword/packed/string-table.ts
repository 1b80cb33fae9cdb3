import type { Pager } from '../../core/index.js';
import { lowerBoundBy } from '../../core/index.js';
import type { PackedStrings } from './packed-strings.js';

/** A range of strings: the first, and the one behind the last. */
type StringRange = readonly [from: number, to: number];

/** Looks strings up that are sorted by code points. A string may occur several times. */
export class StringTable {
  readonly size: number;
  readonly #strings: PackedStrings;
  readonly #bytes: Buffer;
  readonly #pager: Pager;

  /** @param strings in the order of their bytes */
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

  /** Where a string begins in the bytes. Reads the bytes of the string if they are still in the file. */
  startOf(i: number): number {
    const { bytes, starts } = this.#strings;
    this.#pager.need(starts, i, i + 2);
    const start = starts[i]!;
    this.#pager.need(bytes, start, starts[i + 1]);
    return start;
  }

  /** Where a string ends in the bytes. Call {@link startOf} first. */
  endOf(i: number): number {
    return this.#strings.starts[i + 1]!;
  }

  /** The strings that equal a text. */
  rangeOf(text: string): StringRange {
    const wanted = Buffer.from(text);
    const from = lowerBoundBy(this.size, (i) => this.#compare(i, wanted) < 0);
    let to = from;
    while (to < this.size && this.#compare(to, wanted) === 0) to += 1;
    return [from, to];
  }

  /** The strings that begin with a prefix. */
  rangeOfPrefix(prefix: string): StringRange {
    const wanted = Buffer.from(prefix);
    const compareBeginning = (i: number): number => {
      const start = this.startOf(i);
      const end = Math.min(this.endOf(i), start + wanted.length);
      return this.#bytes.compare(wanted, 0, wanted.length, start, end);
    };
    return [
      lowerBoundBy(this.size, (i) => compareBeginning(i) < 0),
      lowerBoundBy(this.size, (i) => compareBeginning(i) <= 0),
    ];
  }

  #compare(i: number, wanted: Buffer): number {
    return this.#bytes.compare(wanted, 0, wanted.length, this.startOf(i), this.endOf(i));
  }
}
