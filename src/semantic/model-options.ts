import { resolve } from 'node:path';
import { checkPath } from '../check-arguments.js';
import { SkillSearchError } from '../errors.js';
import type { Embedder } from './embedder.js';

/** Which model makes vectors. Without any of these it is the one that comes with the library. */
export interface ModelOptions {
  /** Folder of another model, in the layout of Transformers.js: `config.json`, `tokenizer.json`, `onnx/…`. */
  readonly model?: string | undefined;
  /** Something else that makes vectors. It stays open: whoever made it closes it. */
  readonly embedder?: Embedder | undefined;
}

/**
 * Checks which model is asked for, and says where its folder is from any working directory.
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
