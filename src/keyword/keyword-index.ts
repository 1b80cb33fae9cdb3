import type { FieldScores, KeywordStep } from '../result.js';
import type { FieldWeights } from './bm25.js';
import type { Question } from './question.js';

/** The searchable text of one skill. */
export interface KeywordDocument {
  readonly name: string;
  readonly author: string;
  /** Category and occupation slugs. */
  readonly labels: readonly string[];
  readonly description: string;
  readonly files: readonly { readonly filename: string; readonly text: string }[];
}

/** Documents, numbered from 0. */
export interface DocumentSource {
  readonly size: number;
  /** All documents in the order of their numbers. */
  all(): Iterable<KeywordDocument>;
  /** One document. */
  read(number: number): KeywordDocument;
}

export interface MatchOptions {
  /** One byte a document, 0 where the document may not match. */
  readonly filter?: Uint8Array | undefined;
  /** Whether `scores` are wanted; they cost time. @default false */
  readonly scored?: boolean;
}

export interface KeywordMatches {
  /** The step that answered; undefined where nothing matches. */
  readonly step: KeywordStep | undefined;
  /** The numbers of all matching documents, ascending. */
  readonly numbers: Uint32Array;
  /**
   * Beside each number its relevance, above 0 and at most 1, if asked for. Documents of the exact name come first, then those
   * whose name begins with the question, then the others; in each of these groups those first that have each word with the
   * question's accents. What is left open BM25 decides.
   */
  readonly scores: Float64Array | undefined;
  /**
   * Asks the index which terms of texts (lower case, with accents) answered a word of the question in this step. What comes
   * back knows by itself: it may be kept, and keeps nothing of the index.
   */
  readonly accepting: () => (term: string) => boolean;
}

/** Tells which terms match a question at the step that answered. */
export interface TermMatcher extends Pick<KeywordMatches, 'step'> {
  /** Whether a term of a text (lower case, with accents) answers a word of the question. */
  readonly accepts: (term: string) => boolean;
}

export interface RankOptions {
  /** How much a word's standing in each field counts; see `bm25.ts`. A field of weight 0 costs nothing. */
  readonly weights: FieldWeights;
  /** How many of the best documents are wanted; at least 1. */
  readonly limit: number;
  /** One byte a document, 0 where the document may not be found. */
  readonly filter?: Uint8Array | undefined;
}

/** What a document has of the words of a question. */
export interface DocumentScores {
  /** BM25 over all fields by their weights: from 0, below `highest` of {@link RankedDocuments}. */
  readonly score: number;
  /** BM25 of each field by itself; 0 in a field that has none of the words. */
  readonly fields: FieldScores;
  /** The share of the question's words that it has in any field, each weighed by its idf: 0 to 1. */
  readonly coverage: number;
  /** Distinct terms of its file text; a file that only repeats the description counts as none. */
  readonly fileTerms: number;
}

export interface RankedDocuments {
  /** The best `limit` documents of those with a score above 0: highest score first, ties by ascending number. */
  readonly numbers: Uint32Array;
  /** The score beside each number. */
  readonly scores: Float64Array;
  /** What documents have of the words, found or not: ascending, in their order. Of many in less time than one by one. */
  readonly scoresOf: (numbers: Uint32Array) => readonly DocumentScores[];
  /**
   * What no document can exceed, in any field or over all, whatever their weights, and one that is full of every word comes close to. Words that occur nowhere
   * are in it as the rarest of all: where the main word of a question is unknown, nothing gets near it.
   */
  readonly highest: number;
}

/**
 * Finds documents by words. Every implementation must pass `test/keyword/keyword-index-contract.ts`; sets and totals
 * are exact, scores may differ between implementations within the order that {@link KeywordMatches.scores} promises.
 */
export interface KeywordIndex {
  /** Number of documents. */
  readonly size: number;
  /** All documents that match, by the first step that finds any. */
  match(question: Question, options?: MatchOptions): KeywordMatches;
  /**
   * The best documents by BM25 over their fields (`bm25.ts`), of those that have any word of the question (`looseWords`;
   * phrases are read as words).
   *
   * A document has a word in a field if a term there answers it as it stands or by its stem; how often is the sum over
   * all such terms. The parts of words in PascalCase (`inner` tokens) of all fields but the files count as part of the
   * description; a file that only repeats the description counts as none. The length of a field is the number of its
   * distinct terms, that of the description with those parts. The idf of a word counts the documents that have it in any
   * field.
   */
  rank(question: Question, options: RankOptions): RankedDocuments;
  /** The documents whose name is the question, case, white space and punctuation aside; ascending. */
  named(question: Question): readonly number[];
  /**
   * The documents whose name's first whole words are the question, case, white space and punctuation aside, and that have
   * more words; ascending. See `beginningsOf` for where words end. A question of very many words begins no name.
   */
  beginning(question: Question): readonly number[];
}
