import { SkillSearchError } from './errors.js';
import type { ModelOptions } from './options.js';
import type { Embedder } from './semantic/embedder.js';
import { LocalEmbedder } from './semantic/local-embedder.js';
import { BUNDLED_MODEL, inspectModel } from './semantic/model-folder.js';

/** A model that was looked at and can be started. */
export interface ChosenModel {
  readonly id: string;
  /** Whether the caller named it, as against the bundled one that is used where nothing was said. */
  readonly named: boolean;
  /** @param threads how many texts are embedded at the same time, at most */
  start(threads: number): Promise<Embedder>;
  /** Gives back what {@link start} made; an embedder of the caller's own stays open. */
  stop(embedder: Embedder): Promise<void>;
}

/**
 * The model that the options ask for.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`, `MODEL_NOT_FOUND`, `MODEL_NOT_READABLE`
 */
export async function chooseModel({ model, embedder }: ModelOptions): Promise<ChosenModel> {
  if (embedder !== undefined) {
    if (model !== undefined) throw new SkillSearchError('INVALID_OPTION', 'give `model` or `embedder`, not both');
    checkEmbedder(embedder);
    return { id: embedder.model, named: true, start: async () => embedder, stop: async () => {} };
  }
  if (model !== undefined && (typeof model !== 'string' || model === '' || model.includes('\0'))) {
    throw new SkillSearchError('INVALID_OPTION', `model must be the path of a folder, got ${describe(model)}`);
  }
  const folder = await inspectModel(model ?? BUNDLED_MODEL);
  return {
    id: folder.id,
    named: model !== undefined,
    start: (threads) => LocalEmbedder.start(folder, threads),
    stop: async (started) => started.close?.(),
  };
}

function checkEmbedder(embedder: unknown): asserts embedder is Embedder {
  const { model, embed } = (embedder ?? {}) as Partial<Embedder>;
  if (typeof model === 'string' && model !== '' && typeof embed === 'function') return;
  const message = 'embedder must be an object with the name of its `model` and a function `embed(texts)`';
  throw new SkillSearchError('INVALID_OPTION', message);
}

function describe(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
