import { resolve } from 'node:path';
import { checkPath, SkillSearchError } from '../core/index.js';
import type { Embedder } from './embedder.js';

/** Which model makes vectors: by default the one that comes with the library. */
export interface ModelOptions {
  /**
   * Folder of another model, in the layout of Transformers.js: `config.json`, `tokenizer.json`, `tokenizer_config.json`
   * and `onnx/`.
   */
  readonly model?: string | undefined;
  /** An embedder of your own, instead of a model folder. It is never closed by the library. */
  readonly embedder?: Embedder | undefined;
}

/**
 * Checks the options, and makes the path of the folder absolute, as the process may change its working directory.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`
 */
export function resolveModelOptions({ model, embedder }: ModelOptions): ModelOptions {
  if (embedder !== undefined) {
    if (model !== undefined) throw new SkillSearchError('INVALID_OPTION', 'give `model` or `embedder`, not both');
    checkEmbedder(embedder);
    return { embedder };
  }
  if (model === undefined) return {};
  return { model: resolve(checkPath('model', model, 'a folder')) };
}

function checkEmbedder(embedder: unknown): asserts embedder is Embedder {
  const { model, embed } = (embedder ?? {}) as Partial<Embedder>;
  const named = typeof model === 'string' && model !== '' && model.isWellFormed() && !/\p{Cc}/u.test(model);
  if (named && typeof embed === 'function') return;
  const message = 'embedder must be an object with the name of its `model`, in one line, and a function `embed(texts)`';
  throw new SkillSearchError('INVALID_OPTION', message);
}
