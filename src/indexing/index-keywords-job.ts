import type { KeywordPart } from '../keyword/packed/build/merge-keywords.js';
import type { PackedKeywords } from '../keyword/packed/packed-keywords.js';

/** What the thread that collects words is started with. */
export interface KeywordThreadData {
  readonly catalogue: string;
  /** The state that is meant. */
  readonly stamp: string;
  /** Whether the file is written; else what would be in it is sent. */
  readonly write: boolean;
}

export type KeywordThreadMessage =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | { readonly kind: 'built'; readonly keywords: PackedKeywords }
  | { readonly kind: 'failed'; readonly message: string };

/** Documents whose words several threads collect, each taking the next few when it is done with those before. */
export interface SharedDocuments {
  readonly catalogue: string;
  /** The state that is meant. */
  readonly stamp: string;
  /** Their numbers, ascending, and their rows in the database; in shared memory. */
  readonly documents: Uint32Array;
  readonly rows: Float64Array;
  /** How many were taken, and how many are done; in shared memory. */
  readonly counts: Int32Array;
}

export type KeywordPartMessage =
  | { readonly kind: 'part'; readonly part: KeywordPart }
  | { readonly kind: 'failed'; readonly message: string };
