import type { VectorSet } from './vector-codes.js';

/** What the thread that builds the files is started with. */
export interface BuildThreadData {
  readonly catalogue: string;
  readonly stamp: string;
  readonly model: string;
  readonly vectors: VectorSet;
  readonly graphFrom: number;
  /** Not 0 as soon as the thread is to stop. */
  readonly stop: Int32Array;
}

export type BuildThreadMessage =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | { readonly kind: 'failed'; readonly message: string };
