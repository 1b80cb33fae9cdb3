import type { ErrorCode } from '../errors.js';
import type { Dtype } from './model-folder.js';
import type { Script } from './readable-share.js';

/** What a model thread is started with. */
export interface ModelThreadData {
  /** Absolute path of the model folder. */
  readonly path: string;
  readonly dtype: Dtype;
}

/** What a model thread is told. After `close` it answers nothing more and ends. */
export type ModelThreadRequest =
  | { readonly kind: 'embed'; readonly texts: readonly string[] }
  | { readonly kind: 'close' };

/** The first message of a thread is `ready` or `failed`; then one answer a request, in their order. */
export type ModelThreadMessage =
  /** With the scripts that the model reads; undefined where its vocabulary does not show them. */
  | { readonly kind: 'ready'; readonly scripts: readonly Script[] | undefined }
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string }
  /** The vectors one after the other. */
  | { readonly kind: 'vectors'; readonly values: Float32Array<ArrayBuffer>; readonly dimensions: number }
  | { readonly kind: 'error'; readonly message: string };
