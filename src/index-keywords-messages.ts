import type { PackedKeywords } from './keyword/packed/packed-keywords.js';

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
