import type { ScoreParts } from '../index.js';

/** A question of a benchmark. */
export interface Question {
  readonly id: string;
  readonly text: string;
}

/** The gains of the judged documents of a question, by document id. Above 0 means relevant; all others have 0. */
export type Gains = ReadonlyMap<string, number>;

/** Questions, and which documents answer them. */
export interface Benchmark {
  /** Name of its folder, or of its file. */
  readonly name: string;
  /** The questions with a relevant document, in the order of the file. */
  readonly questions: readonly Question[];
  /** By the id of a question; each question has an entry. */
  readonly gains: ReadonlyMap<string, Gains>;
  /** Path of the benchmark's own documents; undefined if it has none. */
  readonly corpus: string | undefined;
  /** Notes for people: what was left out. */
  readonly remarks: readonly string[];
}

/** A document in a ranking. */
export interface RankedDocument {
  readonly id: string;
  /** Comparable within one ranking; never rises from one document to the next. */
  readonly score: number;
  /** The parts of the score, if asked for. */
  readonly explain?: ScoreParts;
}

/** The documents found for each question, best first, by the id of the question. */
export type Run = ReadonlyMap<string, readonly RankedDocument[]>;
