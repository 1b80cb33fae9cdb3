import { type DocumentNumber, LargestValues, leapTo } from '../core/index.js';
import { SCORED_FIELDS } from '../result.js';
import { FIELD_WEIGHTS, inverseDocumentFrequency, type LengthNorms, saturation } from './bm25.js';
import type { BestOptions, ScoredDocuments } from './keyword-index.js';
import type { PostingList } from './posting-list.js';

/** What the relevance of the documents that match a question depends on. */
export interface Relevance {
  readonly tiers: ScoreTiers;
  readonly words: readonly MatchedWord[];
  /** By scored field. */
  readonly norms: readonly LengthNorms[];
  /** Number of documents in the index. */
  readonly size: number;
}

/**
 * The implementation of `KeywordMatches.best` for every index.
 *
 * A document that is named like the question, or whose name begins with it, comes before all others, whatever these
 * score. So of many documents these are looked at first, and no others where they are enough: where the names of twenty
 * skills begin with a word, a first page of that word scores these, not the thousands that have the word.
 */
export function bestMatches(
  { tiers, words, norms, size }: Relevance,
  { count, isShown }: BestOptions,
): ScoredDocuments {
  let best: ScoredDocuments = { documents: new Uint32Array(), scores: new Float64Array() };
  for (const documents of tiers.descending()) {
    if (best.documents.length >= count) break;
    const scores = scoreMatches(documents, words, norms, size);
    tiers.apply(documents, scores);
    best = withLeading(best, { documents, scores }, count - best.documents.length, isShown);
  }
  return best;
}

/** Adds the wanted documents that score best: so many that are new, and all that score as much as the last of them. */
function withLeading(
  best: ScoredDocuments,
  { documents, scores }: ScoredDocuments,
  count: number,
  isShown: (document: DocumentNumber) => boolean,
): ScoredDocuments {
  const known = new Set(best.documents);
  const isWanted = (document: DocumentNumber): boolean => !known.has(document) && isShown(document);
  const largest = new LargestValues(count);
  for (let i = 0; i < documents.length; i++) {
    if (scores[i]! > largest.least && isWanted(documents[i]!)) largest.add(scores[i]!);
  }
  const { least } = largest;
  const isLeading = (_: number, i: number): boolean =>
    known.has(documents[i]!) || (scores[i]! >= least && isShown(documents[i]!));
  return { documents: documents.filter(isLeading), scores: scores.filter(isLeading) };
}

/** Number of tiers. Scores of a higher tier are above all scores of a lower one, whatever the words add. */
const SCORE_TIERS = 6;

/** Tiers by the name of a document. It is one tier lower if it has a word only with other accents than the question. */
const OTHER_NAME_TIER = 1;
const NAME_BEGINNING_TIER = 3;
const EXACT_NAME_TIER = 5;

/** So many documents are scored in some hundredths of a millisecond. */
const FEW_DOCUMENTS = 1000;

/** A BM25F score `s` becomes `s / (s + HALF_SCORE)`, so 0 to 1: monotone, and the same for all questions. */
const HALF_SCORE = 10;

/** What decides about the tiers of documents. */
export interface TierMembers {
  /** Documents whose name is the question, in no particular order. */
  readonly exactNames: readonly DocumentNumber[];
  /** Documents whose name begins with the question, in no particular order. */
  readonly nameBeginnings: readonly DocumentNumber[];
  /** By word, documents that have it only with other accents than the question; ascending. */
  readonly otherAccents: readonly Uint32Array[];
}

/** The tiers of the documents that match a question. */
export class ScoreTiers {
  readonly #documents: Uint32Array;
  /** Beside each document its tier by its name. */
  readonly #byName: Uint8Array;
  readonly #otherAccents: readonly Uint32Array[];

  /** @param documents ascending; members of tiers that are not among them are ignored */
  constructor(documents: Uint32Array, { exactNames, nameBeginnings, otherAccents }: TierMembers) {
    this.#documents = documents;
    this.#otherAccents = otherAccents.filter(({ length }) => length > 0);
    this.#byName = new Uint8Array(documents.length).fill(OTHER_NAME_TIER);
    const setTier = (named: readonly DocumentNumber[], tier: number): void => {
      let i = 0;
      for (const document of Uint32Array.from(named).sort()) {
        i = leapTo(documents, document, i);
        if (documents[i] === document) this.#byName[i] = tier;
      }
    };
    setTier(nameBeginnings, NAME_BEGINNING_TIER);
    setTier(exactNames, EXACT_NAME_TIER);
  }

  /**
   * The documents in parts, each ascending: none scores more than those of a part before, which are in it once more. Few
   * documents are not parted: scoring them at once is faster.
   */
  *descending(): Generator<Uint32Array> {
    if (this.#documents.length > FEW_DOCUMENTS) {
      for (const tier of [EXACT_NAME_TIER, NAME_BEGINNING_TIER]) {
        const named = this.#documents.filter((_, i) => this.#byName[i]! >= tier);
        if (named.length > 0) yield named;
      }
    }
    yield this.#documents;
  }

  /**
   * Puts BM25F scores into tiers, in place: above 0 and at most 1.
   *
   * @param documents ascending, some of those that match
   * @param scores beside each document, from 0
   */
  apply(documents: Uint32Array, scores: Float64Array): void {
    const otherAccents = this.#placesWithOtherAccents(documents);
    let at = 0;
    for (let i = 0; i < scores.length; i++) {
      const score = scores[i]!;
      at = leapTo(this.#documents, documents[i]!, at);
      const tier = this.#byName[at]! - (otherAccents.has(i) ? 1 : 0);
      scores[i] = (tier + score / (score + HALF_SCORE)) / SCORE_TIERS;
    }
  }

  /** The places among some ascending documents of those that have any word only with other accents. */
  #placesWithOtherAccents(documents: Uint32Array): ReadonlySet<number> {
    const places = new Set<number>();
    for (const list of this.#otherAccents) {
      let i = 0;
      for (const document of list) {
        i = leapTo(documents, document, i);
        if (documents[i] === document) places.add(i);
      }
    }
    return places;
  }
}

/** A word of the step that answered a question. */
interface MatchedWord {
  /** The weight of the word among the words of the question, see `QuestionWord`. */
  readonly weight: number;
  /** Number of documents that have the word in a field that counts in the step. */
  readonly documentFrequency: number;
  /** By scored field, the posting lists of all terms that answer the word. */
  readonly lists: readonly (readonly PostingList[])[];
}

const WEIGHTS = SCORED_FIELDS.map((field) => FIELD_WEIGHTS[field]);

/**
 * Scores documents by BM25F, see `bm25.ts`.
 *
 * @param documents ascending
 * @param norms by scored field
 * @returns the score beside each document, from 0
 */
function scoreMatches(
  documents: Uint32Array,
  words: readonly MatchedWord[],
  norms: readonly LengthNorms[],
  size: number,
): Float64Array {
  const scores = new Float64Array(documents.length);
  const amounts = new Float64Array(documents.length);
  for (const { weight, documentFrequency, lists } of words) {
    const idf = weight * inverseDocumentFrequency(size, documentFrequency);
    for (const [field, ofField] of lists.entries()) {
      for (const list of ofField) list.addAmounts(documents, norms[field]!, WEIGHTS[field]!, amounts);
    }
    for (let i = 0; i < scores.length; i++) scores[i] = scores[i]! + idf * saturation(amounts[i]!);
    amounts.fill(0);
  }
  return scores;
}
