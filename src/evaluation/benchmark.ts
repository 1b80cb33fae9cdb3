import type { ScoreParts } from '../index.js';

/** A question of a benchmark. */
export interface Question {
  readonly id: string;
  readonly text: string;
}

/** What each document is worth that answers a question, by id: above 0 it is relevant. Others are worth nothing. */
export type Gains = ReadonlyMap<string, number>;

/** Questions and which documents answer them. */
export interface Benchmark {
  /** Name of its folder, or of its file. */
  readonly name: string;
  /** Those with a relevant document, in their order. */
  readonly questions: readonly Question[];
  /** By the id of a question. */
  readonly gains: ReadonlyMap<string, Gains>;
  /** Path of the documents that belong to it; undefined where they come from elsewhere. */
  readonly corpus: string | undefined;
  /** What was left out, for people. */
  readonly remarks: readonly string[];
}

/** A document in a ranking. */
export interface RankedDocument {
  readonly id: string;
  /** Falls from document to document. */
  readonly score: number;
  /** How the score came about, if asked for. */
  readonly explain?: ScoreParts;
}

/** What was found for each question, best first, by the question's id. */
export type Run = ReadonlyMap<string, readonly RankedDocument[]>;
