import { lowerBound, type Pieces } from '../core/index.js';
import { SCORED_FIELDS } from '../result.js';
import { type FieldWeights, type LengthNorms, saturation } from './bm25.js';
import type { PostingList } from './posting-list.js';
import { RecentlyUsed } from './recently-used.js';

/**
 * A word of a question, read for ranking: each document that has it, with the saturation of the word there in a byte.
 * Bytes are rounded up, so they never say too little, and at most {@link scale} too much.
 */
export interface RankedWord {
  /** Number of documents that have the word in any field. */
  readonly documentFrequency: number;
  /** Number of postings that were read. */
  readonly postings: number;
  /** By scored field, the posting lists of the word's forms; empty if no document has the word there. */
  readonly lists: readonly (readonly PostingList[])[];
  /** The documents that have it in a field that counts; undefined if {@link bytes} are by document. */
  readonly documents: DocumentBlocks | undefined;
  /** Saturation = byte * {@link scale}: beside each of the documents, or by document, 0 for those without the word. */
  readonly bytes: Uint8Array;
  /** The greatest saturation divided by {@link GREATEST_BYTE}. */
  readonly scale: number;
  /** Number of documents that have it in a field that counts. */
  readonly size: number;
}

/** Ascending documents in two bytes each: the numbers of every {@link BLOCK} documents, by block. */
interface DocumentBlocks {
  /** Number of the document less that of the first one of its block. */
  readonly inBlock: Uint16Array;
  /** Where each block begins in these, and behind the last block its end. */
  readonly starts: Uint32Array;
}

/** Documents of a block. */
export const BLOCK = 0x10000;

/** What a word is read by. */
export interface FieldReading {
  /** By scored field. */
  readonly norms: readonly LengthNorms[];
  /** By scored field. */
  readonly weights: readonly number[];
  /** The weights as a text. */
  readonly key: string;
}

export function readingOf(norms: readonly LengthNorms[], weights: FieldWeights): FieldReading {
  const byField = SCORED_FIELDS.map((field) => weights[field]);
  return { norms, weights: byField, key: byField.join(' ') };
}

/** What a word is remembered by: what it becomes depends on the weights. */
export function keyOf(terms: readonly string[], { key }: FieldReading): string {
  return `${key} ${terms.join(' ')}`;
}

export const GREATEST_BYTE = 255;

/** From this share of all documents on, a byte of each document takes less memory than number and byte of those. */
const LISTED_BELOW = 1 / 3;

/** From this share of all documents on, looking through all of them is faster than sorting those that have a word. */
const SORTED_BELOW = 1 / 32;

/**
 * Reads a word.
 *
 * @param lists by scored field, the posting lists of all terms that answer the word
 * @returns the word, after a piece of work for each list
 */
export function* readRankedWord(
  lists: readonly (readonly PostingList[])[],
  { norms, weights }: FieldReading,
  { inField, amounts, isHaving, having, havingInField }: RankingSpace,
): Pieces<RankedWord> {
  let [documentFrequency, postings] = [0, 0];
  for (const [field, ofField] of lists.entries()) {
    let count = 0;
    for (const list of ofField) {
      count = list.addAllAmounts(norms[field]!, 1, inField, havingInField, count);
      postings += list.size;
      yield;
    }
    const weight = weights[field]!;
    for (let i = 0; i < count; i++) {
      const document = havingInField[i]!;
      if (isHaving[document] === 0) {
        isHaving[document] = 1;
        having[documentFrequency++] = document;
      }
      amounts[document] = amounts[document]! + weight * inField[document]!;
      inField[document] = 0;
    }
  }
  let [size, greatest] = [0, 0];
  for (let i = 0; i < documentFrequency; i++) {
    const document = having[i]!;
    isHaving[document] = 0;
    const part = saturation(amounts[document]!);
    amounts[document] = part;
    // 0 in fields that do not count, and where the weight is so little that it is lost.
    if (part === 0) continue;
    having[size++] = document;
    if (part > greatest) greatest = part;
  }
  const scale = greatest / GREATEST_BYTE;
  const found = having.subarray(0, size);
  const isListed = size < amounts.length * LISTED_BELOW;
  if (isListed) sort(found, amounts);
  const bytes = new Uint8Array(isListed ? size : amounts.length);
  for (let i = 0; i < size; i++) {
    const document = found[i]!;
    bytes[isListed ? i : document] = Math.min(GREATEST_BYTE, Math.ceil(amounts[document]! / scale));
    amounts[document] = 0;
  }
  const documents = isListed ? blocksOf(found, amounts.length) : undefined;
  return { documentFrequency, postings, lists, documents, bytes, scale, size };
}

/** @param size number of documents of the catalogue */
function blocksOf(documents: Uint32Array, size: number): DocumentBlocks {
  const starts = new Uint32Array(Math.ceil(size / BLOCK) + 1);
  for (let block = 0; block < starts.length; block++) starts[block] = lowerBound(documents, block * BLOCK);
  // Storing a number in 16 bits cuts off that of the block.
  return { inBlock: Uint16Array.from(documents), starts };
}

/** Sorts documents in their place. @param amounts 0 for each document but these */
function sort(documents: Uint32Array, amounts: Float64Array): void {
  if (areAscending(documents)) return;
  if (documents.length < amounts.length * SORTED_BELOW) {
    documents.sort();
    return;
  }
  let next = 0;
  for (let document = 0; next < documents.length; document++) {
    if (amounts[document]! > 0) documents[next++] = document;
  }
}

/** As they are where one list alone has the word. */
function areAscending(documents: Uint32Array): boolean {
  for (let i = 1; i < documents.length; i++) if (documents[i]! < documents[i - 1]!) return false;
  return true;
}

/** The byte of a document; 0 if it does not have the word. */
export function byteOf({ documents, bytes }: RankedWord, document: number): number {
  if (documents === undefined) return bytes[document]!;
  const { inBlock, starts } = documents;
  const block = document >>> 16;
  const wanted = document & 0xffff;
  const at = lowerBound(inBlock, wanted, starts[block], starts[block + 1]);
  return at < starts[block + 1]! && inBlock[at] === wanted ? bytes[at]! : 0;
}

/** Number of words to remember, with some kilobytes each beside their documents. */
const WORDS_KEPT = 10_000;

/**
 * Bytes of documents to keep with them: so many, or so many for each skill. The 7,033 words of 564 requests in 16
 * languages to 94,254 skills take 37 MB, those of the 250 English ones among them 27 MB.
 */
const BYTES_KEPT = 40_000_000;
const BYTES_KEPT_PER_SKILL = 64;

/**
 * A cache for the words of recent questions. Reading a word passes over all its postings, which takes milliseconds for
 * the words that every other question has.
 *
 * @param size number of documents in the catalogue
 */
export function recentWords(size: number): RecentlyUsed<RankedWord> {
  const most = Math.max(BYTES_KEPT, BYTES_KEPT_PER_SKILL * size);
  return new RecentlyUsed(
    WORDS_KEPT,
    most,
    ({ documents, bytes }) => bytes.length + (documents?.inBlock.byteLength ?? 0),
  );
}

/**
 * Working space for ranking by any word, made once: arrays by document made for each word would add up to tens of
 * megabytes a second, and every collection of them scans an index of gigabytes. It belongs to one ranking at a time,
 * from its first piece of work to its last.
 */
export class RankingSpace {
  /** Amount of one word in one field; all 0 between two fields. */
  readonly inField: Float64Array;
  /** Amount of one word over all fields, then its saturation; all 0 between two words. */
  readonly amounts: Float64Array;
  /** 1 for the documents that have one word; all 0 between two words. */
  readonly isHaving: Uint8Array;
  /** The documents that have one word, and those that have it in one field, in no particular order. */
  readonly having: Uint32Array;
  readonly havingInField: Uint32Array;
  /** Upper bounds of the scores by the words read so far; all 0 between two questions. */
  readonly sums: Float32Array;
  /** The documents whose sum is not 0, in no particular order. */
  readonly seen: Uint32Array;
  /** The documents among {@link seen} that can still be among the best. */
  readonly left: Uint32Array;

  /** @param size number of documents */
  constructor(size: number) {
    this.inField = new Float64Array(size);
    this.amounts = new Float64Array(size);
    this.isHaving = new Uint8Array(size);
    this.having = new Uint32Array(size);
    this.havingInField = new Uint32Array(size);
    this.sums = new Float32Array(size);
    this.seen = new Uint32Array(size);
    this.left = new Uint32Array(size);
  }
}

/** The working spaces of an index: one is kept, and more are made only while several rankings are on their way. */
export class RankingSpaces {
  readonly #size: number;
  #kept: RankingSpace | undefined;

  /** @param size number of documents */
  constructor(size: number) {
    this.#size = size;
  }

  take(): RankingSpace {
    const space = this.#kept ?? new RankingSpace(this.#size);
    this.#kept = undefined;
    return space;
  }

  /** Gives a space back. One of a ranking that was broken off must not be: it is not clean. */
  giveBack(space: RankingSpace): void {
    this.#kept = space;
  }
}
