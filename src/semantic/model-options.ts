import { resolve } from 'node:path';
import { SkillSearchError } from '../errors.js';
import { checkPath, type ModelOptions } from '../options.js';
import type { Embedder } from './embedder.js';

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
