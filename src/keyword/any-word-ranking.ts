import type { DocumentNumber, Pieces } from '../core/index.js';
import { kthLargest } from '../core/index.js';
import { SCORED_FIELDS } from '../result.js';
import type { LengthNorms } from './bm25.js';
import { HIGHEST_SATURATION, inverseDocumentFrequency, saturation } from './bm25.js';
import type { DocumentScores, RankedDocuments, RankOptions } from './keyword-index.js';
import type { RankingSpace } from './ranked-word.js';
import { BLOCK, byteOf, type FieldReading, GREATEST_BYTE, type RankedWord } from './ranked-word.js';
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
        fileTerms: this.#norms[FILE_TEXT]!.lengthOf(document),
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
  const { inBlock, starts } = documents;
  for (let block = 0; block + 1 < starts.length; block++) {
    const end = starts[block + 1]!;
    for (let i = starts[block]!; i < end; i++) {
      const document = block * BLOCK + inBlock[i]!;
      if (filter?.[document] === 0) continue;
      const before = sums[document]!;
      const after = before + scale * bytes[i]!;
      if (before === 0 && after > 0) seen[count++] = document;
      sums[document] = after;
    }
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
  const { inBlock, starts } = documents;
  for (let block = 0; block + 1 < starts.length; block++) {
    const end = starts[block + 1]!;
    for (let i = starts[block]!; i < end; i++) {
      const document = block * BLOCK + inBlock[i]!;
      const before = sums[document]!;
      if (before > 0) sums[document] = before + scale * bytes[i]!;
    }
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
