import { countBits } from '../../arrays/count-bits.js';
import { lowerBound } from '../../arrays/lower-bound.js';
import { RecentlyUsed } from '../recently-used.js';
import type { PostingList } from './posting-list.js';

/** A word as its posting lists. */
interface Word {
  readonly lists: readonly PostingList[];
  /** Sum of their sizes; at least the number of documents that have the word. */
  readonly size: number;
  /** Equal for words of the same lists; undefined for words that are not worth remembering. */
  readonly key: string | undefined;
}

/** Up to so many entries, sorting them is less work than going through a set of all documents. */
const SORTED_UP_TO = 512;
/** Documents of past words that are kept, four bytes each: the words that many ask for are the ones that many skills have. */
const DOCUMENTS_KEPT = 4_000_000;

/** Words of which the number of documents is kept, about a hundred bytes each. */
const FREQUENCIES_KEPT = 10_000;

/** Looking a document up in a list takes as long as going through so many of its entries. */
const LOOKUP_COST = 8;

/** Finds the documents that have words. Working space is made once: one question is answered at a time. */
export class DocumentSets {
  /** One bit a document; all 0 between two calls. */
  readonly #bits: Uint32Array;
  readonly #sums: Float64Array;
  /** The documents of the words asked for last, of such as take time to find. */
  readonly #unions = new RecentlyUsed<Uint32Array>(Number.POSITIVE_INFINITY, DOCUMENTS_KEPT, ({ length }) => length);

  /** The number of documents of the words asked for last. */
  readonly #frequencies = new RecentlyUsed<number>(FREQUENCIES_KEPT, Number.POSITIVE_INFINITY, () => 1);

  constructor(size: number) {
    this.#bits = new Uint32Array(Math.ceil(size / 32));
    this.#sums = new Float64Array(size);
  }

  /** The documents that have every word and pass the filter, ascending. */
  withAll(words: readonly Word[], filter: Uint8Array | undefined): Uint32Array {
    const [rarest, ...others] = [...words].sort((a, b) => a.size - b.size);
    if (rarest === undefined || rarest.size === 0) return new Uint32Array();
    let found = this.#union(rarest);
    if (filter !== undefined) found = found.filter((number) => filter[number] === 1);
    for (const word of others) {
      if (found.length === 0) break;
      found = this.#among(found, word);
    }
    return found;
  }

  /**
   * The documents whose words make up at least half of the weight of all words, and that pass the filter, ascending. In
   * that of all, each word counts as much as its share of it: who has all words of a text without spaces has about half of
   * the pairs of its characters, none of those that stand across two words.
   *
   * The words of most documents, which weigh little, do not come to a half together: who has none of the others is not
   * looked at (the essential lists of MaxScore: H. Turtle and J. Flood, Query evaluation: strategies and optimizations,
   * Information Processing & Management 31(6), 1995).
   */
  withHalf(
    words: readonly Word[],
    filter: Uint8Array | undefined,
    weightOf: (frequency: number) => number,
    shares: readonly number[],
  ): Uint32Array {
    const unions = words.map((word) => this.#union(word));
    const weights = unions.map((union) => weightOf(union.length));
    const total = weights.reduce((sum, weight, i) => sum + weight * shares[i]!, 0);
    for (const i of essentialOf(unions, weights, total)) this.#setBits(unions[i]!);
    let found = this.#takeBits();
    if (filter !== undefined) found = found.filter((number) => filter[number] === 1);
    // Added up in the order of the words, whichever are essential: rounding must not depend on that.
    const sums = this.#sums;
    for (let i = 0; i < unions.length; i++) addWeight(sums, found, unions[i]!, weights[i]!);
    const enough = found.filter((number) => sums[number]! * 2 >= total);
    for (let i = 0; i < found.length; i++) sums[found[i]!] = 0;
    for (const union of unions) if (isWalked(union, found)) for (const number of union) sums[number] = 0;
    return enough;
  }

  /** The number of documents that have a word. */
  frequencyOf({ lists, size, key }: Word): number {
    if (lists.length < 2) return size;
    const read = (): number => this.#count(lists);
    return key === undefined ? read() : this.#frequencies.get(key, read);
  }

  /** The number of documents in any of some lists. */
  #count(lists: readonly PostingList[]): number {
    const bits = this.#bits;
    let count = 0;
    for (const { documents } of lists) {
      for (let i = 0; i < documents.length; i++) {
        const document = documents[i]!;
        const before = bits[document >>> 5]!;
        const after = before | (1 << (document & 31));
        if (before !== after) count += 1;
        bits[document >>> 5] = after;
      }
    }
    for (const { documents } of lists) for (let i = 0; i < documents.length; i++) bits[documents[i]! >>> 5] = 0;
    return count;
  }

  /** The documents that have a word, ascending. */
  #union({ lists, size, key }: Word): Uint32Array {
    const [first] = lists;
    if (first === undefined) return new Uint32Array();
    if (lists.length === 1) return first.documents;
    if (size <= SORTED_UP_TO) return sortedUnion(lists, size);
    const read = (): Uint32Array => {
      for (const list of lists) this.#setBits(list.documents);
      return this.#takeBits();
    };
    return key === undefined ? read() : this.#unions.get(key, read);
  }

  #setBits(documents: Uint32Array): void {
    const bits = this.#bits;
    for (let i = 0; i < documents.length; i++) {
      const number = documents[i]!;
      bits[number >>> 5] = bits[number >>> 5]! | (1 << (number & 31));
    }
  }

  /** The documents whose bits are set, ascending; the bits are 0 then. */
  #takeBits(): Uint32Array {
    const bits = this.#bits;
    let count = 0;
    for (let i = 0; i < bits.length; i++) if (bits[i] !== 0) count += countBits(bits[i]!);
    const found = new Uint32Array(count);
    let at = 0;
    for (let i = 0; i < bits.length; i++) {
      let left = bits[i]!;
      while (left !== 0) {
        const bit = 31 - Math.clz32(left & -left);
        found[at++] = i * 32 + bit;
        left &= left - 1;
      }
      bits[i] = 0;
    }
    return found;
  }

  /** Those of some documents that have a word: looked up one by one, or all at once where that is less work. */
  #among(candidates: Uint32Array, { lists, size, key }: Word): Uint32Array {
    const known = key === undefined ? undefined : this.#unions.peek(key);
    if (known !== undefined) return intersection(candidates, known);
    if (candidates.length * lists.length * LOOKUP_COST < size) {
      const cursors = lists.map(({ from }) => from);
      return candidates.filter((number) => {
        let found = false;
        for (let l = 0; l < lists.length; l++) {
          const list = lists[l]!;
          const entry = list.entryOf(number, cursors[l]!);
          cursors[l] = entry;
          found ||= entry < list.to && list.documentAt(entry) === number;
        }
        return found;
      });
    }
    const bits = this.#bits;
    for (const list of lists) this.#setBits(list.documents);
    const found = candidates.filter((number) => (bits[number >>> 5]! & (1 << (number & 31))) !== 0);
    bits.fill(0);
    return found;
  }
}

/** The same numbers added up in another order differ by rounding, by less than this part of their sum. */
const ROUNDING = 1e-9;

/** Places of the words of which a document must have one, since all others together weigh less than half. */
function essentialOf(unions: readonly Uint32Array[], weights: readonly number[], total: number): number[] {
  const byFrequency = [...unions.keys()].sort((a, b) => unions[b]!.length - unions[a]!.length);
  let left = 0;
  let first = 0;
  for (; first < byFrequency.length; first++) {
    left += weights[byFrequency[first]!]!;
    if (left * 2 >= total * (1 - ROUNDING)) break;
  }
  return byFrequency.slice(first);
}

/** Whether going through all documents of a word takes less than looking up some. */
function isWalked(union: Uint32Array, found: Uint32Array): boolean {
  return union.length <= found.length * LOOKUP_COST;
}

/** Adds a word's weight to the sums of those of some documents that have it; those of others mean nothing then. */
function addWeight(sums: Float64Array, found: Uint32Array, union: Uint32Array, weight: number): void {
  const having = isWalked(union, found) ? union : intersection(found, union);
  for (let i = 0; i < having.length; i++) {
    const number = having[i]!;
    sums[number] = sums[number]! + weight;
  }
}

/** @param all ascending, as `some` */
function intersection(some: Uint32Array, all: Uint32Array): Uint32Array {
  let at = 0;
  return some.filter((number) => {
    // In steps that double, then by bisection: quick for few among many.
    let step = 1;
    while (at + step < all.length && all[at + step]! < number) {
      at += step;
      step *= 2;
    }
    at = lowerBound(all, number, at, Math.min(at + step, all.length));
    return all[at] === number;
  });
}

function sortedUnion(lists: readonly PostingList[], size: number): Uint32Array {
  const all = new Uint32Array(size);
  let at = 0;
  for (const list of lists) {
    all.set(list.documents, at);
    at += list.size;
  }
  all.sort();
  let count = 0;
  for (let i = 0; i < size; i++) if (i === 0 || all[i] !== all[i - 1]) all[count++] = all[i]!;
  return all.subarray(0, count);
}
