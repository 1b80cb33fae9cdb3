import type { Embedder } from './embedder.js';
import { LocalEmbedder } from './local-embedder.js';
import { BUNDLED_MODEL, inspectModel } from './model-folder.js';
import type { ModelOptions } from './model-options.js';

/** A model that was looked at and can be started. */
export interface ChosenModel {
  readonly id: string;
  /** Its folder; absent for an embedder of the caller's own. */
  readonly path?: string;
  /** Whether the caller named it, as against the bundled one that is used where nothing was said. */
  readonly named: boolean;
  /** @param threads how many texts are embedded at the same time, at most */
  start(threads: number): Promise<Embedder>;
  /** Gives back what {@link start} made; an embedder of the caller's own stays open. */
  stop(embedder: Embedder): Promise<void>;
}

/**
 * Looks at the model that the options ask for.
 *
 * @param options as {@link resolveModelOptions} gave them
 * @throws {SkillSearchError} `MODEL_NOT_FOUND`, `MODEL_NOT_READABLE`
 */
export async function chooseModel({ model, embedder }: ModelOptions): Promise<ChosenModel> {
  if (embedder !== undefined) {
    return { id: embedder.model, named: true, start: async () => embedder, stop: async () => {} };
  }
  const folder = await inspectModel(model ?? BUNDLED_MODEL);
  return {
    id: folder.id,
    path: folder.path,
    named: model !== undefined,
    start: (threads) => LocalEmbedder.start(folder, threads),
    stop: async (started) => started.close?.(),
  };
}
