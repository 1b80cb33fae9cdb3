import type { ErrorCode } from '../core/index.js';
import type { Script } from './readable-share.js';
import type { ModelSettings } from './settings/model-settings.js';

/** The `workerData` of a model thread. */
export interface ModelThreadData {
  /** Absolute path of the model folder. */
  readonly path: string;
  /** The file with the model, in the folder. */
  readonly weights: string;
  readonly settings: Pick<ModelSettings, 'pooling' | 'maxTokens'>;
  /** What the folder says. Without, the scripts that the model reads are looked up in its vocabulary. */
  readonly languages: readonly string[] | undefined;
}

/** A message to a model thread. After `close` it sends no more answers, and ends. */
export type ModelThreadRequest =
  | { readonly kind: 'embed'; readonly texts: readonly string[] }
  | { readonly kind: 'close' };

/** A message from a model thread: first `ready` or `failed`, then one answer for each request, in the same order. */
export type ModelThreadMessage =
  /**
   * With the scripts that the model can read by its vocabulary, undefined if they were not looked up or it shows none.
   */
  | { readonly kind: 'ready'; readonly scripts: readonly Script[] | undefined; readonly dimensions: number }
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string }
  /** With the vectors one after the other, and how long the model took for them. */
  | {
      readonly kind: 'vectors';
      readonly values: Float32Array<ArrayBuffer>;
      readonly dimensions: number;
      readonly milliseconds: number;
    }
  | { readonly kind: 'error'; readonly message: string };
