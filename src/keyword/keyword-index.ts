import type { KeywordStep } from '../result.js';
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
   * that have each word with the question's accents; within these groups BM25 decides.
   */
  readonly scores: Float64Array | undefined;
  /** Whether a term of a text (lower case, with accents) answered a word of the question in this step. */
  readonly accepts: (term: string) => boolean;
}

/**
 * Finds documents by words. Every implementation must pass `test/keyword/keyword-index-contract.ts`; sets and totals
 * are exact, scores may differ between implementations within the order that {@link KeywordMatches.scores} promises.
 */
export interface KeywordIndex {
  /** Number of documents. */
  readonly size: number;
  match(question: Question, options?: MatchOptions): KeywordMatches;
}
