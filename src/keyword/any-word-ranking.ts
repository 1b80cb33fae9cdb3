import { kthLargest } from '../arrays/kth-largest.js';
import { SCORED_FIELDS } from '../result.js';
import { type FieldWeights, HIGHEST_SATURATION, inverseDocumentFrequency, saturation } from './bm25.js';
import type { DocumentScores, RankedDocuments, RankOptions } from './keyword-index.js';
import type { LengthNorms } from './length-norms.js';
import type { ScoringSpace } from './scoring-space.js';
import { addAmounts, type FieldOccurrences, frequencyIn, type WordOccurrences } from './word-occurrences.js';

/** The best documents by {@link AnyWordRanking.best}. */
interface BestDocuments {
  readonly numbers: Uint32Array;
  readonly scores: Float64Array;
}

/** A field that counts, and where a word stands in it. */
interface WeightedField {
  readonly occurrences: FieldOccurrences;
  readonly norms: LengthNorms;
  /** Above 0. */
  readonly weight: number;
}

/** A word of a question, with what it can add to a document's score. */
interface WeightedWord {
  readonly fields: readonly WeightedField[];
  readonly idf: number;
  /** The most that a document gets by it. */
  readonly bound: number;
  /** Postings, and lists of them, in all of the fields. */
  readonly size: number;
  readonly lists: number;
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

/** Place of file text among the scored fields. */
const FILE_TEXT = SCORED_FIELDS.indexOf('files');

/** What every index answers by `rank`, given where the words stand. The space has a place for each document. */
export function rankAnyWord(
  words: readonly WordOccurrences[],
  counts: readonly number[],
  norms: readonly LengthNorms[],
  options: RankOptions,
  space: ScoringSpace,
): RankedDocuments {
  const ranking = new AnyWordRanking(words, counts, norms, options.weights, space.size);
  return {
    ...ranking.best(options, space),
    scoresOf: (numbers) => ranking.scoresOf(numbers),
    highest: ranking.highest,
  };
}

/**
 * Ranks documents by the words of one question that they have, any of them.
 *
 * The words are gone through in the order of what they can add to a score. At some point all that is left can no longer
 * lift a document without any of the words so far into the best; from there on only documents already seen count, fewer
 * and fewer, looked up one by one where that is less work (MaxScore: H. Turtle and J. Flood, Query evaluation: strategies
 * and optimizations, Information Processing & Management 31(6), 1995).
 */
class AnyWordRanking {
  readonly #words: readonly WordOccurrences[];
  /** Times what the words count. */
  readonly #idfs: readonly number[];
  readonly #norms: readonly LengthNorms[];
  /** By scored field. */
  readonly #weights: readonly number[];
  /** What a document that is full of every word would reach; words that occur nowhere are in it. */
  readonly highest: number;

  /**
   * @param words with their occurrences by scored field
   * @param counts what each word counts among them
   * @param norms by scored field
   * @param weights of the fields
   * @param size number of documents
   */
  constructor(
    words: readonly WordOccurrences[],
    counts: readonly number[],
    norms: readonly LengthNorms[],
    weights: FieldWeights,
    size: number,
  ) {
    this.#words = words;
    this.#norms = norms;
    this.#weights = SCORED_FIELDS.map((field) => weights[field]);
    this.#idfs = words.map(({ documents }, w) => counts[w]! * inverseDocumentFrequency(size, documents));
    this.highest = this.#idfs.reduce((sum, idf) => sum + idf * HIGHEST_SATURATION, 0);
  }

  /** What some documents, ascending, have of the words: every list is gone through once. */
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
  best(options: RankOptions, space: ScoringSpace): BestDocuments {
    // The sums depend on the order in which they were made up. What is told, and decides, is added up in one way only.
    const candidates = this.#candidates(options, space).slice().sort();
    const scored = this.scoresOf(candidates)
      .map(({ score }, i) => ({ number: candidates[i]!, score }))
      .sort((a, b) => b.score - a.score || a.number - b.number)
      .slice(0, options.limit);
    return {
      numbers: Uint32Array.from(scored, ({ number }) => number),
      scores: Float64Array.from(scored, ({ score }) => score),
    };
  }

  /** The best documents, and those of which rounding leaves open whether they are; in `space`, in no particular order. */
  #candidates({ limit, filter }: RankOptions, space: ScoringSpace): Uint32Array {
    const { sums, seen, left } = space;
    const words = this.#weightedWords();
    const ahead = boundsAhead(words);
    const highest = ahead[0]!;
    /** What one of so many documents must have at least by now to be among the best, if nothing were added any more. */
    const barOf = (documents: Uint32Array, count: number): number =>
      count < limit ? 0 : kthLargest(sums, documents, count, limit) - highest * ROUNDING;

    let next = 0;
    let countSeen = 0;
    for (; next < words.length; next++) {
      const word = words[next]!;
      const most = ahead[next]!;
      // No sum can be above what lies behind.
      if (most < highest - most && isLong(word, countSeen) && most < barOf(seen, countSeen)) break;
      countSeen = addToAll(word, filter, space, countSeen);
    }

    left.set(seen.subarray(0, countSeen));
    let countLeft = countSeen;
    for (; next < words.length; next++) {
      const word = words[next]!;
      if (isLong(word, countLeft)) {
        const least = barOf(left, countLeft) - ahead[next]!;
        countLeft = keepFrom(least, sums, left, countLeft);
      }
      addToSeen(word, left.subarray(0, countLeft), space);
    }
    countLeft = keepFrom(barOf(left, countLeft), sums, left, countLeft);
    for (let i = 0; i < countSeen; i++) sums[seen[i]!] = 0;
    return left.subarray(0, countLeft);
  }

  /** All that can add to a score, what can add most first. */
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

/** At each place what all from there on can add together; one place more than there are words, with 0. */
function boundsAhead(words: readonly WeightedWord[]): Float64Array {
  const ahead = new Float64Array(words.length + 1);
  for (let i = words.length - 1; i >= 0; i--) ahead[i] = ahead[i + 1]! + words[i]!.bound;
  return ahead;
}

/** Whether reading a word takes longer than finding the best of so many documents. */
function isLong({ size }: WeightedWord, count: number): boolean {
  return size > count * SELECTION_COST;
}

/** Adds a word to all documents that have it; returns the number of documents seen by now. */
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
    const number = having[i]!;
    const amount = amounts[number]!;
    amounts[number] = 0;
    if (filter !== undefined && filter[number] === 0) continue;
    const before = sums[number]!;
    const after = before + word.idf * saturation(amount);
    // A weight next to nothing may add 0: such a document stays unseen.
    if (before === 0 && after > 0) seen[count++] = number;
    sums[number] = after;
  }
  return count;
}

/** Adds a word to documents seen before: looked up one by one, or all at once where that is less work. */
function addToSeen(word: WeightedWord, wanted: Uint32Array, space: ScoringSpace): void {
  const { sums, amounts, having } = space;
  const { fields, idf, size, lists } = word;
  if (wanted.length * lists * LOOKUP_COST < size) {
    for (const number of wanted) {
      let amount = 0;
      for (const { occurrences, norms, weight } of fields) {
        const frequency = frequencyIn(occurrences, number);
        if (frequency > 0) amount += (weight * frequency) / norms.of(number);
      }
      sums[number] = sums[number]! + idf * saturation(amount);
    }
    return;
  }
  const found = readAmounts(word, space);
  for (let i = 0; i < found; i++) {
    const number = having[i]!;
    const before = sums[number]!;
    if (before > 0) sums[number] = before + idf * saturation(amounts[number]!);
    amounts[number] = 0;
  }
}

/** Reads how much of a word documents have, each once; returns how many have any of it. */
function readAmounts({ fields }: WeightedWord, { amounts, having }: ScoringSpace): number {
  let count = 0;
  for (const { occurrences, norms, weight } of fields) {
    for (const list of occurrences.lists) {
      list.forEach((frequency, number) => {
        const before = amounts[number]!;
        const after = before + (weight * frequency) / norms.of(number);
        if (before === 0 && after > 0) having[count++] = number;
        amounts[number] = after;
      });
    }
  }
  return count;
}

/** Moves the places whose value is at least so much to the front; returns how many there are. */
function keepFrom(least: number, values: Float64Array, places: Uint32Array, count: number): number {
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const place = places[i]!;
    if (values[place]! >= least) places[kept++] = place;
  }
  return kept;
}
