import { countBits, type DocumentNumber, leapTo } from '../core/index.js';
import type { PostingList } from './posting-list.js';
import { RecentlyUsed } from './recently-used.js';
import type { Work } from './work.js';

/** A word of a question, as the posting lists of the terms that match it. */
export interface Word {
  readonly lists: readonly PostingList[];
  /** Sum of the sizes of the lists: at least the number of documents that have the word. */
  readonly size: number;
  /** The same for words with the same lists; undefined for a word that is not worth remembering. */
  readonly key: string | undefined;
}

/**
 * Lists with at most this many entries in all are joined by sorting: faster than a pass over a bit set of all
 * documents.
 */
const SORTED_UP_TO = 512;
/** Documents of recent words that are remembered, four bytes each. */
const DOCUMENTS_REMEMBERED = 4_000_000;

/** Looking a document up in a list takes as long as reading this many of its entries. */
const LOOKUP_COST = 8;

/**
 * Finds the documents that have some words. The arrays it works with are reused, so it answers one question at a time.
 */
export class DocumentSets {
  /** One bit a document. All are 0 between two calls. */
  readonly #bits: Uint32Array;
  /** One sum a document. All are 0 between two calls. */
  readonly #sums: Float64Array;
  /** The documents of recent words whose lists take time to join. */
  readonly #unions = new RecentlyUsed<Uint32Array>(
    Number.POSITIVE_INFINITY,
    DOCUMENTS_REMEMBERED,
    ({ length }) => length,
  );

  /** @param size number of documents */
  constructor(size: number) {
    this.#bits = new Uint32Array(Math.ceil(size / 32));
    this.#sums = new Float64Array(size);
  }

  /**
   * The documents that have every word and pass the filter, ascending. Without enough work for a word, only the first
   * of the documents are looked at.
   */
  withAll(words: readonly Word[], filter: Uint8Array | undefined, work: Work): Uint32Array {
    const [rarest, ...others] = [...words].sort((a, b) => a.size - b.size);
    if (rarest === undefined || rarest.size === 0) return NONE;
    if (!work.affords(rarest.size)) return NONE;
    let found = passing(this.#union(rarest), filter);
    for (let i = 0; i < others.length && found.length > 0; i++) {
      found = this.among(withinWork(found, others, i, work), others[i]!);
    }
    return found;
  }

  /**
   * The documents that pass the filter and whose words have at least half of the weight of all words, ascending. A word
   * adds only its share of its weight to that of all words: a document that has all words of a text without spaces has
   * only about half of the pairs of characters in it, because pairs across two words are missing.
   *
   * The most frequent words weigh little. As long as they have less than half of the weight together, a document that
   * has none of the others cannot be found, and is not looked at. These are the essential lists of MaxScore: H. Turtle
   * and J. Flood, Query evaluation: strategies and optimizations, Information Processing & Management 31(6), 1995.
   *
   * Without enough work for all words, the most frequent are not read. Documents count as if they did not have these
   * words, and of their frequency only the least is known. So their weight is set too high: each document that is found
   * would be found with them, too.
   *
   * @param weightOf weight of a word by its document frequency; falling
   * @param shares by word
   */
  withHalf(
    words: readonly Word[],
    filter: Uint8Array | undefined,
    weightOf: (documentFrequency: number) => number,
    shares: readonly number[],
    work: Work,
  ): Uint32Array {
    const isRead = affordedWords(words, work);
    const unions = words.map((word, i) => (isRead[i] === true ? this.#union(word) : NONE));
    const weights = unions.map((union, i) => weightOf(isRead[i] === true ? union.length : longestOf(words[i]!)));
    const total = weights.reduce((sum, weight, i) => sum + weight * shares[i]!, 0);
    for (const i of essentialOf(unions, weights, total)) setBits(this.#bits, unions[i]!);
    const found = passing(this.#takeBits(), filter);
    // Weights are added in the order of the words, so that rounding does not depend on which words are essential.
    const sums = this.#sums;
    for (let i = 0; i < unions.length; i++) addWeight(sums, found, unions[i]!, weights[i]!);
    const enough = new Uint32Array(found.length);
    let count = 0;
    for (let i = 0; i < found.length; i++) {
      const document = found[i]!;
      if (sums[document]! * 2 >= total) enough[count++] = document;
      sums[document] = 0;
    }
    for (const union of unions) {
      if (isReadWhole(union, found)) for (let i = 0; i < union.length; i++) sums[union[i]!] = 0;
    }
    return enough.subarray(0, count);
  }

  /** Those of some ascending documents that have a word, ascending. None if the work is not afforded. */
  having(documents: Uint32Array, word: Word, work: Work): Uint32Array {
    if (word.size < documents.length) {
      return work.affords(2 * word.size) ? intersection(this.#union(word), documents) : NONE;
    }
    return work.affords(amongCost(documents.length, word)) ? this.among(documents, word) : NONE;
  }

  /** The number of documents that have a word. */
  frequencyOf(word: Word): number {
    return this.#union(word).length;
  }

  /** The documents that have a word, ascending. */
  #union({ lists, size, key }: Word): Uint32Array {
    const [first] = lists;
    if (first === undefined) return NONE;
    if (lists.length === 1) return first.documents;
    if (size <= SORTED_UP_TO) return sortedUnion(lists, size);
    const read = (): Uint32Array => {
      for (const { documents } of lists) setBits(this.#bits, documents);
      return this.#takeBits();
    };
    return key === undefined ? read() : this.#unions.get(key, read);
  }

  /** The documents whose bits are set, ascending. Clears the bits. */
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

  /** The candidates that have a word. */
  among(candidates: Uint32Array, { lists, key }: Word): Uint32Array {
    const known = key === undefined ? undefined : this.#unions.peek(key);
    if (known !== undefined) return intersection(candidates, known);
    const isFound = new Uint8Array(candidates.length);
    for (const list of lists) {
      list.visitAmong(candidates, (place) => {
        isFound[place] = 1;
      });
    }
    // The method `filter` of typed arrays makes an object for each number that it keeps.
    const found = new Uint32Array(candidates.length);
    let count = 0;
    for (let i = 0; i < candidates.length; i++) if (isFound[i] === 1) found[count++] = candidates[i]!;
    return found.subarray(0, count);
  }
}

const NONE = new Uint32Array();

/** Work of finding out which of some candidates have a word. */
function amongCost(candidates: number, { lists, size }: Pick<Word, 'lists' | 'size'>): number {
  return candidates + Math.min(candidates * lists.length * LOOKUP_COST, size);
}

/**
 * The first of some candidates: as many as can be looked at for a word, and for those behind it. Counts the work for
 * the word.
 */
function withinWork(candidates: Uint32Array, words: readonly Word[], next: number, work: Work): Uint32Array {
  if (work.affords(amongCost(candidates.length, words[next]!))) return candidates;
  const costOfOne = words.slice(next).reduce((sum, { lists }) => sum + 1 + lists.length * LOOKUP_COST, 0);
  const few = Math.floor(work.left / costOfOne);
  return work.saves(amongCost(few, words[next]!)) ? candidates.subarray(0, few) : NONE;
}

/** Which words can be read, the rarest first. Counts their work: each is read, and looked up. */
function affordedWords(words: readonly Word[], work: Work): boolean[] {
  const isRead = words.map(() => false);
  for (const i of [...words.keys()].sort((a, b) => words[a]!.size - words[b]!.size)) {
    if (!work.affords(2 * words[i]!.size)) break;
    isRead[i] = true;
  }
  return isRead;
}

/** At most the number of documents that have a word. */
function longestOf({ lists }: Word): number {
  return lists.reduce((most, { size }) => Math.max(most, size), 0);
}

/** Sums of the same numbers in different orders differ by rounding: by less than this part of the sum. */
const ROUNDING = 1e-9;

/** Indexes of the words of which a document must have one, because all others together weigh less than half. */
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

/** Whether reading all documents of a word is faster than looking up those that were found. */
function isReadWhole(union: Uint32Array, found: Uint32Array): boolean {
  return union.length <= found.length * LOOKUP_COST;
}

/**
 * Adds the weight of a word to the sums of the found documents that have it. Sums of other documents are undefined
 * then.
 */
function addWeight(sums: Float64Array, found: Uint32Array, union: Uint32Array, weight: number): void {
  const having = isReadWhole(union, found) ? union : intersection(found, union);
  for (let i = 0; i < having.length; i++) {
    const document = having[i]!;
    sums[document] = sums[document]! + weight;
  }
}

/**
 * The documents in both lists. Fast if `some` is much shorter than `all`.
 *
 * @param some ascending
 * @param all ascending
 */
function intersection(some: Uint32Array, all: Uint32Array): Uint32Array {
  const found = new Uint32Array(some.length);
  let [at, count] = [0, 0];
  for (let i = 0; i < some.length && at < all.length; i++) {
    const document = some[i]!;
    at = leapTo(all, document, at);
    if (all[at] === document) found[count++] = document;
  }
  return found.subarray(0, count);
}

/** The documents that pass a filter. */
function passing(documents: Uint32Array, filter: Uint8Array | undefined): Uint32Array {
  if (filter === undefined) return documents;
  const found = new Uint32Array(documents.length);
  let count = 0;
  for (let i = 0; i < documents.length; i++) if (filter[documents[i]!] === 1) found[count++] = documents[i]!;
  return found.subarray(0, count);
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

/**
 * Number of documents in any of a few posting lists.
 *
 * @param among one bit a document: only documents whose bit is set count; all by default
 */
export function countDocuments(lists: readonly PostingList[], among?: Uint32Array): number {
  if (lists.length === 1 && among === undefined) return lists[0]!.size;
  let count = 0;
  for (const [i, { documents }] of lists.entries()) {
    const isCounted = new Uint8Array(documents.length);
    for (const before of lists.slice(0, i)) {
      before.visitAmong(documents, (place) => {
        isCounted[place] = 1;
      });
    }
    for (let d = 0; d < documents.length; d++) {
      const document = documents[d]!;
      if (isCounted[d] === 0 && (among === undefined || (among[document >>> 5]! >>> (document & 31)) & 1)) count += 1;
    }
  }
  return count;
}

/**
 * Some documents as a set of bits.
 *
 * @param size number of all documents
 */
export function bitsOf(documents: ArrayLike<DocumentNumber>, size: number): Uint32Array {
  return setBits(new Uint32Array(Math.ceil(size / 32)), documents);
}

/** Sets the bit of each document. @param bits one a document */
function setBits(bits: Uint32Array, documents: ArrayLike<DocumentNumber>): Uint32Array {
  for (let i = 0; i < documents.length; i++) {
    const document = documents[i]!;
    bits[document >>> 5] = bits[document >>> 5]! | (1 << (document & 31));
  }
  return bits;
}
