import { kthLargest } from '../kth-largest.js';
import { type FieldScores, SCORED_FIELDS } from '../result.js';
import { HIGHEST_SATURATION, saturation } from './bm25.js';
import type { DocumentScores, FieldWeights, RankedDocuments, RankOptions } from './keyword-index.js';
import type { LengthPenalties } from './length-penalties.js';
import { inverseDocumentFrequency } from './step-plan.js';
import {
  type FieldOccurrences,
  frequenciesIn,
  frequencyIn,
  type OccurrenceReader,
  type WordOccurrences,
} from './word-occurrences.js';

/** The best documents by {@link AnyWordRanking.best}. */
interface BestDocuments {
  readonly numbers: Uint32Array;
  readonly scores: Float64Array;
}

/** A word of a question in one field, with what it can add to a document's score. */
interface WeightedField {
  readonly occurrences: FieldOccurrences;
  readonly penalties: LengthPenalties;
  /** Weight of the field times idf of the word. */
  readonly factor: number;
  /** The most that a document gets by it. */
  readonly bound: number;
}

/**
 * The same numbers added up in another order differ by rounding: at most 5 fields of 64 words, each by 2^-53 of the sum. A
 * document is given up only where it is behind by more than this part of the highest sum.
 */
const ROUNDING = 1e-12;

/** Finding the `limit` best so far takes as long as reading so many documents' postings for each document seen. */
const SELECTION_COST = 0.5;

/** Looking a document up in a list takes as long as reading so many of its postings. */
const LOOKUP_COST = 6;

/** Working space by document, shared by all questions: one is answered at a time. */
export class RankingSpace {
  readonly reader: OccurrenceReader;
  /** What the fields gone through add up to; all 0 between two questions. */
  readonly sums: Float64Array;
  /** The documents whose sum is not 0, in no particular order. */
  readonly seen: Uint32Array;
  /** Those of them that can still be among the best. */
  readonly left: Uint32Array;

  constructor(size: number, reader: OccurrenceReader) {
    this.reader = reader;
    this.sums = new Float64Array(size);
    this.seen = new Uint32Array(size);
    this.left = new Uint32Array(size);
  }
}

/** What every index answers by `rank`, given where the words stand. The space has a place for each document. */
export function rankAnyWord(
  words: readonly WordOccurrences[],
  weights: readonly number[],
  penalties: readonly LengthPenalties[],
  options: RankOptions,
  space: RankingSpace,
): RankedDocuments {
  const ranking = new AnyWordRanking(words, weights, penalties, space.sums.length);
  const scoresOfOne = (number: number): DocumentScores => ranking.scoresOf(Uint32Array.of(number))[0] as DocumentScores;
  return {
    ...ranking.best(options, space),
    fieldsOf: (number) => scoresOfOne(number).fields,
    coverageOf: (number) => scoresOfOne(number).coverage,
    scoresOf: (numbers) => ranking.scoresOf(numbers),
    highest: ranking.highest,
    accepts: (term) => words.some(({ terms }) => terms.has(term)),
  };
}

/**
 * Ranks documents by the words of one question that they have, any of them.
 *
 * The fields of the words are gone through in the order of what they can add to a score. At some point all that is left
 * can no longer lift a document without any of the words so far into the best; from there on only documents already seen
 * count, fewer and fewer, looked up one by one where that is less work (MaxScore: H. Turtle and J. Flood, Query
 * evaluation: strategies and optimizations, Information Processing & Management 31(6), 1995).
 */
class AnyWordRanking {
  readonly #words: readonly WordOccurrences[];
  /** Times the words' weights. */
  readonly #idfs: readonly number[];
  readonly #penalties: readonly LengthPenalties[];
  /** What a document that is full of every word would reach in a field; words that occur nowhere are in it. */
  readonly highest: number;

  /**
   * @param words with their occurrences by scored field
   * @param weights what each word counts
   * @param penalties the BM25 length penalties by scored field
   * @param size number of documents
   */
  constructor(
    words: readonly WordOccurrences[],
    weights: readonly number[],
    penalties: readonly LengthPenalties[],
    size: number,
  ) {
    this.#words = words;
    this.#penalties = penalties;
    this.#idfs = words.map(({ documents }, w) => (weights[w] as number) * inverseDocumentFrequency(size, documents));
    this.highest = this.#idfs.reduce((sum, idf) => sum + idf * HIGHEST_SATURATION, 0);
  }

  /** The BM25 of some documents by field, and the share of the words that each has: every list is gone through once. */
  scoresOf(numbers: Uint32Array): DocumentScores[] {
    const sums = SCORED_FIELDS.map(() => new Float64Array(numbers.length));
    const covered = new Float64Array(numbers.length);
    let all = 0;
    for (let w = 0; w < this.#words.length; w++) {
      const idf = this.#idfs[w] as number;
      const found = new Uint8Array(numbers.length);
      for (const [field, occurrences] of (this.#words[w] as WordOccurrences).byField.entries()) {
        if (occurrences === undefined) continue;
        const [penalties, sum] = [this.#penalties[field] as LengthPenalties, sums[field] as Float64Array];
        const frequencies = frequenciesIn(occurrences, numbers);
        for (let i = 0; i < numbers.length; i++) {
          const frequency = frequencies[i] as number;
          if (frequency === 0) continue;
          found[i] = 1;
          sum[i] = (sum[i] as number) + idf * saturation(frequency, penalties.of(numbers[i] as number));
        }
      }
      all += idf;
      for (let i = 0; i < numbers.length; i++) if (found[i] === 1) covered[i] = (covered[i] as number) + idf;
    }
    return Array.from(numbers, (_, i) => {
      const [name = 0, author = 0, labels = 0, description = 0, files = 0] = sums.map((sum) => sum[i] as number);
      const coverage = all === 0 ? 0 : (covered[i] as number) / all;
      return { fields: { name, author, labels, description, files }, coverage };
    });
  }

  /** The best documents by the weighted sum of their {@link scoresOf}, best first. */
  best(options: RankOptions, space: RankingSpace): BestDocuments {
    const { weights, limit } = options;
    // The sums depend on the order in which they were made up. What is told, and decides, is added up in one way only.
    const candidates = this.#candidates(options, space).slice().sort();
    const scored = this.scoresOf(candidates)
      .map(({ fields }, i) => ({ number: candidates[i] as number, score: weightedSum(fields, weights) }))
      .sort((a, b) => b.score - a.score || a.number - b.number)
      .slice(0, limit);
    return {
      numbers: Uint32Array.from(scored, ({ number }) => number),
      scores: Float64Array.from(scored, ({ score }) => score),
    };
  }

  /** The best documents, and those of which rounding leaves open whether they are; in `space`, in no particular order. */
  #candidates({ weights, limit, filter }: RankOptions, space: RankingSpace): Uint32Array {
    const { sums, seen, left } = space;
    const fields = this.#weightedFields(weights);
    const ahead = boundsAhead(fields);
    const highest = ahead[0] as number;
    /** What one of so many documents must have at least by now to be among the best, if nothing were added any more. */
    const barOf = (documents: Uint32Array, count: number): number =>
      count < limit ? 0 : kthLargest(sums, documents, count, limit) - highest * ROUNDING;

    let next = 0;
    let countSeen = 0;
    for (; next < fields.length; next++) {
      const field = fields[next] as WeightedField;
      const most = ahead[next] as number;
      // No sum can be above what lies behind.
      if (most < highest - most && isLong(field, countSeen) && most < barOf(seen, countSeen)) break;
      countSeen = addToAll(field, filter, space, countSeen);
    }

    left.set(seen.subarray(0, countSeen));
    let countLeft = countSeen;
    for (; next < fields.length; next++) {
      const field = fields[next] as WeightedField;
      if (isLong(field, countLeft)) {
        const least = barOf(left, countLeft) - (ahead[next] as number);
        countLeft = keepFrom(least, sums, left, countLeft);
      }
      addToSeen(field, left.subarray(0, countLeft), space);
    }
    countLeft = keepFrom(barOf(left, countLeft), sums, left, countLeft);
    for (let i = 0; i < countSeen; i++) sums[seen[i] as number] = 0;
    return left.subarray(0, countLeft);
  }

  /** All that can add to a score, what can add most first. */
  #weightedFields(weights: FieldWeights): WeightedField[] {
    const fields = SCORED_FIELDS.flatMap((name, field) =>
      this.#words.flatMap(({ byField }, w): WeightedField[] => {
        const occurrences = byField[field];
        const factor = weights[name] * (this.#idfs[w] as number);
        if (occurrences === undefined || factor === 0) return [];
        const penalties = this.#penalties[field] as LengthPenalties;
        return [{ occurrences, penalties, factor, bound: factor * occurrences.highest }];
      }),
    );
    return fields.sort((a, b) => b.bound - a.bound);
  }
}

function weightedSum(scores: FieldScores, weights: FieldWeights): number {
  let sum = 0;
  for (const field of SCORED_FIELDS) sum += weights[field] * scores[field];
  return sum;
}

/** At each place what all from there on can add together; one place more than there are fields, with 0. */
function boundsAhead(fields: readonly WeightedField[]): Float64Array {
  const ahead = new Float64Array(fields.length + 1);
  for (let i = fields.length - 1; i >= 0; i--) ahead[i] = (ahead[i + 1] as number) + (fields[i] as WeightedField).bound;
  return ahead;
}

/** Whether reading a field takes longer than finding the best of so many documents. */
function isLong({ occurrences }: WeightedField, count: number): boolean {
  return occurrences.size > count * SELECTION_COST;
}

/** Adds a word of a field to all documents that have it; returns the number of documents seen by now. */
function addToAll(
  { occurrences, penalties, factor }: WeightedField,
  filter: Uint8Array | undefined,
  { reader, sums, seen }: RankingSpace,
  countBefore: number,
): number {
  const { numbers, frequencies } = reader;
  const found = reader.read(occurrences.lists);
  let count = countBefore;
  for (let i = 0; i < found; i++) {
    const number = numbers[i] as number;
    if (filter !== undefined && filter[number] === 0) continue;
    const before = sums[number] as number;
    const after = before + factor * saturation(frequencies[i] as number, penalties.of(number));
    // A weight next to nothing may add 0: such a document stays unseen.
    if (before === 0 && after > 0) seen[count++] = number;
    sums[number] = after;
  }
  return count;
}

/** Adds a word of a field to documents seen before: looked up one by one, or all at once where that is less work. */
function addToSeen(
  { occurrences, penalties, factor }: WeightedField,
  wanted: Uint32Array,
  { reader, sums }: RankingSpace,
): void {
  const add = (number: number, frequency: number): void => {
    const before = sums[number] as number;
    if (before > 0 && frequency > 0) sums[number] = before + factor * saturation(frequency, penalties.of(number));
  };
  if (wanted.length * occurrences.lists.length * LOOKUP_COST < occurrences.size) {
    for (const number of wanted) add(number, frequencyIn(occurrences, number));
    return;
  }
  const found = reader.read(occurrences.lists);
  for (let i = 0; i < found; i++) add(reader.numbers[i] as number, reader.frequencies[i] as number);
}

/** Moves the places whose value is at least so much to the front; returns how many there are. */
function keepFrom(least: number, values: Float64Array, places: Uint32Array, count: number): number {
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const place = places[i] as number;
    if ((values[place] as number) >= least) places[kept++] = place;
  }
  return kept;
}
