import { kthLargest } from '../arrays/kth-largest.js';
import { SCORED_FIELDS } from '../result.js';
import { type FieldWeights, HIGHEST_SATURATION, inverseDocumentFrequency, saturation } from './bm25.js';
import type { DocumentScores, RankedDocuments, RankOptions } from './keyword-index.js';
import type { LengthNorms } from './length-norms.js';
import type { ScoringSpace } from './scoring-space.js';
import {
  addAllAmounts,
  addAmounts,
  type FieldOccurrences,
  frequencyIn,
  type WordOccurrences,
} from './word-occurrences.js';
import { Work } from './work.js';

/** A field that counts, with the postings of a word in it. */
interface WeightedField {
  readonly occurrences: FieldOccurrences;
  readonly norms: LengthNorms;
  /** Above 0. */
  readonly weight: number;
}

/** A word of a question, with what it can add to a score. */
interface WeightedWord {
  readonly fields: readonly WeightedField[];
  readonly idf: number;
  /** The most that the word can add to the score of a document. */
  readonly bound: number;
  /** Number of postings in all fields. */
  readonly size: number;
  /** Number of posting lists in all fields. */
  readonly lists: number;
}

/**
 * The same numbers added up in another order differ by rounding: at most 5 fields of 64 words, each by 2^-53 of the
 * sum. So a document is dropped only if it is behind by more than this part of the highest sum.
 */
const ROUNDING = 1e-12;

/** Finding the `limit` best so far costs, per document seen, as much as reading this many postings. */
const SELECTION_COST = 0.5;

/** Looking a document up in a list costs as much as reading this many postings. */
const LOOKUP_COST = 6;

/** Units of `Work` for reading a posting here: it is read, weighed and added. */
const POSTING_COST = 3;

/** Position of file text among the scored fields. */
const FILE_TEXT = SCORED_FIELDS.indexOf('files');

/**
 * The implementation of `rank` for every index.
 *
 * @param words their postings
 * @param wordWeights weight of each word among the words of the question
 * @param norms by scored field
 */
export function rankAnyWord(
  words: readonly WordOccurrences[],
  wordWeights: readonly number[],
  norms: readonly LengthNorms[],
  options: RankOptions,
  space: ScoringSpace,
): RankedDocuments {
  const ranking = new AnyWordRanking(words, wordWeights, norms, options.weights, space.size);
  return {
    ...ranking.best(options, space),
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
  readonly #words: readonly WordOccurrences[];
  /** Each multiplied by the weight of its word. */
  readonly #idfs: readonly number[];
  readonly #norms: readonly LengthNorms[];
  /** By scored field. */
  readonly #weights: readonly number[];
  /** The bound of all scores; words that occur nowhere are included. */
  readonly highest: number;

  /** @param size number of documents */
  constructor(
    words: readonly WordOccurrences[],
    wordWeights: readonly number[],
    norms: readonly LengthNorms[],
    weights: FieldWeights,
    size: number,
  ) {
    this.#words = words;
    this.#norms = norms;
    this.#weights = SCORED_FIELDS.map((field) => weights[field]);
    this.#idfs = words.map(
      ({ documentFrequency }, w) => wordWeights[w]! * inverseDocumentFrequency(size, documentFrequency),
    );
    this.highest = this.#idfs.reduce((sum, idf) => sum + idf * HIGHEST_SATURATION, 0);
  }

  /** The scores of some ascending documents. Reads every list once. */
  scoresOf(documents: Uint32Array): DocumentScores[] {
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
      for (const [field, occurrences] of this.#words[w]!.byField.entries()) {
        if (occurrences === undefined) continue;
        const scoresOfField = fieldScores[field]!;
        const weight = this.#weights[field]!;
        inField.fill(0);
        addAmounts(occurrences.lists, documents, this.#norms[field]!, 1, inField);
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
  best(options: RankOptions, space: ScoringSpace): Pick<RankedDocuments, 'documents' | 'scores'> {
    // The sums in the working space depend on the order of the words by rounding. Scores that are returned and that
    // decide the order come from `scoresOf`, which always adds up in the same order.
    const candidates = this.#candidates(options, space).slice().sort();
    const scored = this.scoresOf(candidates)
      .map(({ score }, i) => ({ document: candidates[i]!, score }))
      .sort((a, b) => b.score - a.score || a.document - b.document)
      .slice(0, options.limit);
    return {
      documents: Uint32Array.from(scored, ({ document }) => document),
      scores: Float64Array.from(scored, ({ score }) => score),
    };
  }

  /**
   * The best documents, and those that are left out or not only by rounding; in `space`, in no particular order. Words
   * that there is not enough work for do not count here, the least telling first; they do in the scores.
   */
  #candidates({ limit, filter, work = new Work() }: RankOptions, space: ScoringSpace): Uint32Array {
    const { sums, seen, left } = space;
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
      if (work.affords(word.size * POSTING_COST)) countSeen = addToAll(word, filter, space, countSeen);
    }

    left.set(seen.subarray(0, countSeen));
    let countLeft = countSeen;
    for (; next < words.length; next++) {
      const word = words[next]!;
      if (isLong(word, countLeft)) {
        const least = barOf(left, countLeft) - ahead[next]!;
        countLeft = keepFrom(least, sums, left, countLeft);
      }
      if (work.affords(costOfSeen(word, countLeft) * POSTING_COST)) addToSeen(word, left.subarray(0, countLeft), space);
    }
    countLeft = keepFrom(barOf(left, countLeft), sums, left, countLeft);
    for (let i = 0; i < countSeen; i++) sums[seen[i]!] = 0;
    return left.subarray(0, countLeft);
  }

  /** The words that can add to a score, those that can add most first. */
  #weightedWords(): WeightedWord[] {
    const words = this.#words.flatMap(({ byField }, w): WeightedWord[] => {
      const idf = this.#idfs[w]!;
      const fields = byField.flatMap((occurrences, field): WeightedField[] => {
        const weight = this.#weights[field]!;
        if (occurrences === undefined || weight === 0) return [];
        return [{ occurrences, norms: this.#norms[field]!, weight }];
      });
      const most = fields.reduce((sum, { weight, occurrences }) => sum + weight * occurrences.highest, 0);
      const size = fields.reduce((sum, { occurrences }) => sum + occurrences.size, 0);
      const lists = fields.reduce((sum, { occurrences }) => sum + occurrences.lists.length, 0);
      return size === 0 ? [] : [{ fields, idf, bound: idf * saturation(most), size, lists }];
    });
    return words.sort((a, b) => b.bound - a.bound);
  }
}

/** At each index what the words from there on can add together; one entry more than there are words, 0. */
function boundsAhead(words: readonly WeightedWord[]): Float64Array {
  const ahead = new Float64Array(words.length + 1);
  for (let i = words.length - 1; i >= 0; i--) ahead[i] = ahead[i + 1]! + words[i]!.bound;
  return ahead;
}

/** Whether reading the postings of a word takes longer than finding the best of so many documents. */
function isLong({ size }: WeightedWord, count: number): boolean {
  return size > count * SELECTION_COST;
}

/** Adds a word to the sums of all documents that have it; returns the number of documents seen so far. */
function addToAll(
  word: WeightedWord,
  filter: Uint8Array | undefined,
  space: ScoringSpace,
  countBefore: number,
): number {
  const { sums, seen, amounts, having } = space;
  const found = readAmounts(word, space);
  let count = countBefore;
  for (let i = 0; i < found; i++) {
    const document = having[i]!;
    const amount = amounts[document]!;
    amounts[document] = 0;
    if (filter !== undefined && filter[document] === 0) continue;
    const before = sums[document]!;
    const after = before + word.idf * saturation(amount);
    // A tiny weight may add 0: the document then stays unseen.
    if (before === 0 && after > 0) seen[count++] = document;
    sums[document] = after;
  }
  return count;
}

/** Number of postings that adding a word to so many documents is as much work as. */
function costOfSeen({ lists, size }: WeightedWord, count: number): number {
  return Math.min(size, count * lists * LOOKUP_COST);
}

/** Adds a word to the sums of documents seen before: one by one, or by reading all postings where that is less work. */
function addToSeen(word: WeightedWord, wanted: Uint32Array, space: ScoringSpace): void {
  const { sums, amounts, having } = space;
  const { fields, idf, size } = word;
  if (costOfSeen(word, wanted.length) < size) {
    for (const document of wanted) {
      let amount = 0;
      for (const { occurrences, norms, weight } of fields) {
        const frequency = frequencyIn(occurrences, document);
        if (frequency > 0) amount += (weight * frequency) / norms.of(document);
      }
      sums[document] = sums[document]! + idf * saturation(amount);
    }
    return;
  }
  const found = readAmounts(word, space);
  for (let i = 0; i < found; i++) {
    const document = having[i]!;
    const before = sums[document]!;
    if (before > 0) sums[document] = before + idf * saturation(amounts[document]!);
    amounts[document] = 0;
  }
}

/** Reads the amounts of a word into the working space; returns the number of documents that have the word. */
function readAmounts({ fields }: WeightedWord, { amounts, having }: ScoringSpace): number {
  let count = 0;
  for (const { occurrences, norms, weight } of fields) {
    count = addAllAmounts(occurrences.lists, norms, weight, amounts, having, count);
  }
  return count;
}

/** Moves the documents with at least this sum to the front; returns how many there are. */
function keepFrom(least: number, sums: Float64Array, documents: Uint32Array, count: number): number {
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const document = documents[i]!;
    if (sums[document]! >= least) documents[kept++] = document;
  }
  return kept;
}
