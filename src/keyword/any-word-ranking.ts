import { type DocumentNumber, kthLargest, lowerBound, type Pieces } from '../core/index.js';
import { SCORED_FIELDS } from '../result.js';
import {
  type FieldWeights,
  HIGHEST_SATURATION,
  inverseDocumentFrequency,
  type LengthNorms,
  saturation,
} from './bm25.js';
import type { DocumentScores, RankedDocuments, RankOptions } from './keyword-index.js';
import type { PostingList } from './posting-list.js';
import { RecentlyUsed } from './recently-used.js';
import { Work } from './work.js';

/** A word of a question, with what it can add to a score. */
interface WeightedWord {
  readonly word: RankedWord;
  /** What 1 in its bytes adds to a score. */
  readonly scale: number;
  /** The most that the word adds to the score of a document. */
  readonly bound: number;
  /** Number of documents that have it. */
  readonly size: number;
}

/** The greatest byte of a {@link RankedWord}. */
const GREATEST_BYTE = 255;

/**
 * The sums of bytes say too much by at most their scale for each word, and differ from sums in another order by
 * rounding: at most 64 words, each by 2^-24 of the sum. So a document is dropped only if it is behind by more than
 * these parts of the highest sum.
 */
const ROUNDING = 1 / GREATEST_BYTE + 64 / 2 ** 24;

/** Finding the `limit` best so far costs, per document seen, as much as reading this many documents of a word. */
const SELECTION_COST = 1;

/** Looking a document up costs as much as reading this many documents of a word. */
const LOOKUP_COST = 12;

/** Of more documents than wanted that can be told apart by their exact scores only, so many are scored at a time. */
const SCORED_AT_ONCE = 8192;

/** Position of file text among the scored fields. */
const FILE_TEXT = SCORED_FIELDS.indexOf('files');

/**
 * The implementation of `rank` for every index.
 *
 * @param words of the question
 * @param wordWeights weight of each word among the words of the question
 * @param reading what the words were read by
 * @param size number of documents
 */
export function* rankAnyWord(
  words: readonly RankedWord[],
  wordWeights: readonly number[],
  reading: FieldReading,
  options: Omit<RankOptions, 'weights'>,
  space: RankingSpace,
  size: number,
): Pieces<RankedDocuments> {
  const ranking = new AnyWordRanking(words, wordWeights, reading, size);
  return {
    ...(yield* ranking.best(options, space)),
    scoresOf: (documents) => ranking.scoresOf(documents),
    highest: ranking.highest,
  };
}

/**
 * Ranks documents by the words of one question that they have, any of them.
 *
 * Words are processed in descending order of what they can add to a score. From some word on, all remaining words
 * together can no longer lift a document that has none of the earlier words into the best. Then only documents already
 * seen count, fewer and fewer, and these are looked up one by one where that is less work (MaxScore: H. Turtle and
 * J. Flood, Query evaluation: strategies and optimizations, Information Processing & Management 31(6), 1995).
 */
class AnyWordRanking {
  readonly #words: readonly RankedWord[];
  /** Each multiplied by the weight of its word. */
  readonly #idfs: readonly number[];
  readonly #norms: readonly LengthNorms[];
  /** By scored field. */
  readonly #weights: readonly number[];
  /** Scores that were worked out before. */
  readonly #known = new Map<DocumentNumber, DocumentScores>();
  /** The bound of all scores; words that occur nowhere are included. */
  readonly highest: number;

  constructor(
    words: readonly RankedWord[],
    wordWeights: readonly number[],
    { norms, weights }: FieldReading,
    size: number,
  ) {
    this.#words = words;
    this.#norms = norms;
    this.#weights = weights;
    this.#idfs = words.map(
      ({ documentFrequency }, w) => wordWeights[w]! * inverseDocumentFrequency(size, documentFrequency),
    );
    this.highest = this.#idfs.reduce((sum, idf) => sum + idf * HIGHEST_SATURATION, 0);
  }

  /** The scores of some ascending documents. Reads every list once for those whose scores are not known yet. */
  scoresOf(documents: Uint32Array): DocumentScores[] {
    const unknown = documents.filter((document) => !this.#known.has(document));
    if (unknown.length > 0)
      for (const [i, scores] of this.#describe(unknown).entries()) this.#known.set(unknown[i]!, scores);
    return Array.from(documents, (document) => this.#known.get(document)!);
  }

  /** What {@link scoresOf} says of each document, by field and by position. `all` is the most that can be covered. */
  #read(documents: Uint32Array) {
    const fieldScores = SCORED_FIELDS.map(() => new Float64Array(documents.length));
    const scores = new Float64Array(documents.length);
    const covered = new Float64Array(documents.length);
    const amounts = new Float64Array(documents.length);
    const inField = new Float64Array(documents.length);
    const found = new Uint8Array(documents.length);
    let all = 0;
    for (let w = 0; w < this.#words.length; w++) {
      const idf = this.#idfs[w]!;
      amounts.fill(0);
      found.fill(0);
      for (const [field, lists] of this.#words[w]!.lists.entries()) {
        if (lists.length === 0) continue;
        const scoresOfField = fieldScores[field]!;
        const weight = this.#weights[field]!;
        inField.fill(0);
        for (const list of lists) list.addAmounts(documents, this.#norms[field]!, 1, inField);
        for (let i = 0; i < documents.length; i++) {
          const amount = inField[i]!;
          if (amount === 0) continue;
          found[i] = 1;
          scoresOfField[i] = scoresOfField[i]! + idf * saturation(amount);
          amounts[i] = amounts[i]! + weight * amount;
        }
      }
      all += idf;
      for (let i = 0; i < documents.length; i++) {
        if (found[i] === 0) continue;
        covered[i] = covered[i]! + idf;
        scores[i] = scores[i]! + idf * saturation(amounts[i]!);
      }
    }
    return { fieldScores, scores, covered, all };
  }

  #describe(documents: Uint32Array): DocumentScores[] {
    const { fieldScores, scores, covered, all } = this.#read(documents);
    return Array.from(documents, (document, i) => {
      const [name = 0, author = 0, labels = 0, description = 0, files = 0] = fieldScores.map((ofField) => ofField[i]!);
      return {
        score: scores[i]!,
        fields: { name, author, labels, description, files },
        coverage: all === 0 ? 0 : covered[i]! / all,
        fileTerms: this.#norms[FILE_TEXT]!.lengths[document]!,
      };
    });
  }

  /** The best documents by the score of {@link scoresOf}, best first. */
  *best(
    options: Omit<RankOptions, 'weights'>,
    space: RankingSpace,
  ): Pieces<Pick<RankedDocuments, 'documents' | 'scores'>> {
    let candidates: Uint32Array = (yield* this.#candidates(options, space)).slice().sort();
    if (candidates.length > options.limit + SCORED_AT_ONCE) candidates = yield* this.#bestOf(candidates, options.limit);
    const scored = this.scoresOf(candidates)
      .map(({ score }, i) => ({ document: candidates[i]!, score }))
      .sort((a, b) => b.score - a.score || a.document - b.document)
      .slice(0, options.limit);
    return {
      documents: Uint32Array.from(scored, ({ document }) => document),
      scores: Float64Array.from(scored, ({ score }) => score),
    };
  }

  /** The best of very many ascending documents, in pieces and without an object for each: the same as {@link best}. */
  *#bestOf(documents: Uint32Array, limit: number): Pieces<Uint32Array> {
    const scores = new Float64Array(documents.length);
    for (let from = 0; from < documents.length; from += SCORED_AT_ONCE) {
      scores.set(this.#read(documents.subarray(from, from + SCORED_AT_ONCE)).scores, from);
      yield;
    }
    const least = kthLargest(scores, Uint32Array.from(documents.keys()), documents.length, limit);
    yield;
    let left = limit - scores.reduce((count, score) => (score > least ? count + 1 : count), 0);
    return documents.filter((_, i) => scores[i]! > least || (scores[i] === least && left-- > 0));
  }

  /**
   * The best documents, and those that are left out or not only by rounding; in `space`, in no particular order. Words
   * that there is not enough work for do not count here, the least telling first; they do in the scores.
   */
  *#candidates(
    { limit, filter, work = new Work() }: Omit<RankOptions, 'weights'>,
    { sums, seen, left }: RankingSpace,
  ): Pieces<Uint32Array> {
    const words = this.#weightedWords();
    const ahead = boundsAhead(words);
    const highest = ahead[0]!;
    /** The least sum among the best so far. */
    const barOf = (documents: Uint32Array, count: number): number =>
      count < limit ? 0 : kthLargest(sums, documents, count, limit) - highest * ROUNDING;

    let next = 0;
    let countSeen = 0;
    for (; next < words.length; next++) {
      const word = words[next]!;
      const most = ahead[next]!;
      // Cheap test first: no sum so far can exceed what the words so far can add.
      if (most < highest - most && isLong(word, countSeen) && most < barOf(seen, countSeen)) break;
      if (work.affords(word.size)) countSeen = addToAll(word, filter, sums, seen, countSeen);
      yield;
    }

    left.set(seen.subarray(0, countSeen));
    let countLeft = countSeen;
    for (; next < words.length; next++) {
      const word = words[next]!;
      if (isLong(word, countLeft)) {
        const least = barOf(left, countLeft) - ahead[next]!;
        countLeft = keepFrom(least, sums, left, countLeft);
      }
      if (work.affords(costOfSeen(word, countLeft))) addToSeen(word, left.subarray(0, countLeft), sums);
      yield;
    }
    countLeft = keepFrom(barOf(left, countLeft), sums, left, countLeft);
    for (let i = 0; i < countSeen; i++) sums[seen[i]!] = 0;
    return left.subarray(0, countLeft);
  }

  /** The words that can add to a score, those that can add most first. */
  #weightedWords(): WeightedWord[] {
    return this.#words
      .map((word, w) => {
        const scale = this.#idfs[w]! * word.scale;
        return { word, scale, bound: GREATEST_BYTE * scale, size: word.size };
      })
      .filter(({ size }) => size > 0)
      .sort((a, b) => b.bound - a.bound);
  }
}

/** At each index what the words from there on can add together; one entry more than there are words, 0. */
function boundsAhead(words: readonly WeightedWord[]): Float64Array {
  const ahead = new Float64Array(words.length + 1);
  for (let i = words.length - 1; i >= 0; i--) ahead[i] = ahead[i + 1]! + words[i]!.bound;
  return ahead;
}

/** Whether reading the documents of a word takes longer than finding the best of so many. */
function isLong({ size }: WeightedWord, count: number): boolean {
  return size > count * SELECTION_COST;
}

/** Adds a word to the sums of all documents that have it; returns the number of documents seen so far. */
function addToAll(
  { word: { documents, bytes }, scale }: WeightedWord,
  filter: Uint8Array | undefined,
  sums: Float32Array,
  seen: Uint32Array,
  countBefore: number,
): number {
  let count = countBefore;
  // One loop for both would take half as long again.
  if (documents === undefined) {
    for (let document = 0; document < bytes.length; document++) {
      const byte = bytes[document]!;
      if (byte === 0 || filter?.[document] === 0) continue;
      const before = sums[document]!;
      const after = before + scale * byte;
      // A tiny weight may add 0: the document then stays unseen.
      if (before === 0 && after > 0) seen[count++] = document;
      sums[document] = after;
    }
    return count;
  }
  for (let i = 0; i < documents.length; i++) {
    const document = documents[i]!;
    if (filter?.[document] === 0) continue;
    const before = sums[document]!;
    const after = before + scale * bytes[i]!;
    if (before === 0 && after > 0) seen[count++] = document;
    sums[document] = after;
  }
  return count;
}

/** Number of documents of a word that adding it to so many documents is as much work as reading. */
function costOfSeen({ size }: WeightedWord, count: number): number {
  return Math.min(size, count * LOOKUP_COST);
}

/**
 * Adds a word to the sums of documents seen before: one by one, or by reading all that have it where that is less work.
 */
function addToSeen({ word, scale, size }: WeightedWord, wanted: Uint32Array, sums: Float32Array): void {
  const { documents, bytes } = word;
  if (documents === undefined || wanted.length * LOOKUP_COST < size) {
    for (let i = 0; i < wanted.length; i++) {
      const document = wanted[i]!;
      sums[document] = sums[document]! + scale * byteOf(word, document);
    }
    return;
  }
  for (let i = 0; i < documents.length; i++) {
    const document = documents[i]!;
    const before = sums[document]!;
    if (before > 0) sums[document] = before + scale * bytes[i]!;
  }
}

/** Moves the documents with at least this sum to the front; returns how many there are. */
function keepFrom(least: number, sums: Float32Array, documents: Uint32Array, count: number): number {
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const document = documents[i]!;
    if (sums[document]! >= least) documents[kept++] = document;
  }
  return kept;
}

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
  /** The documents that have it in a field that counts, ascending; undefined if {@link bytes} are by document. */
  readonly documents: Uint32Array | undefined;
  /** Saturation = byte * {@link scale}: beside each of the documents, or by document, 0 for those without the word. */
  readonly bytes: Uint8Array;
  /** The greatest saturation divided by {@link GREATEST_BYTE}. */
  readonly scale: number;
  /** Number of documents that have it in a field that counts. */
  readonly size: number;
}

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
      count = list.addAllAmounts(norms[field]!, inField, havingInField, count);
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
  const documents = isListed ? found.slice() : undefined;
  return { documentFrequency, postings, lists, documents, bytes, scale, size };
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
function byteOf({ documents, bytes }: RankedWord, document: number): number {
  if (documents === undefined) return bytes[document]!;
  const at = lowerBound(documents, document);
  return documents[at] === document ? bytes[at]! : 0;
}

/** Number of words to remember, with some kilobytes each beside their documents. */
const WORDS_KEPT = 10_000;

/**
 * Bytes of documents to keep with them: so many, or so many for each skill. The 7,033 words of 564 requests in 16
 * languages to 94,254 skills take 60 MB, those of the 250 English ones among them 45 MB.
 */
const BYTES_KEPT = 64_000_000;
const BYTES_KEPT_PER_SKILL = 100;

/**
 * A cache for the words of recent questions. Reading a word passes over all its postings, which takes milliseconds for
 * the words that every other question has.
 *
 * @param size number of documents in the catalogue
 */
export function recentWords(size: number): RecentlyUsed<RankedWord> {
  const most = Math.max(BYTES_KEPT, BYTES_KEPT_PER_SKILL * size);
  return new RecentlyUsed(WORDS_KEPT, most, ({ documents, bytes }) => bytes.length + (documents?.byteLength ?? 0));
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
