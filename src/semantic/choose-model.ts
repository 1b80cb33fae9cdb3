import type { Embedder } from './embedder.js';
import { BUNDLED_MODEL, inspectModel } from './model-folder.js';
import type { ModelOptions } from './model-options.js';
import { startModel } from './start-model.js';

/** A model that was found, and can be started. */
export interface ChosenModel {
  /** Names the model; vectors are stored under it. */
  readonly id: string;
  /** Ids of other models whose vectors its questions may be compared with. */
  readonly compatible: readonly string[];
  /** The model's folder; absent if the caller gave an embedder. */
  readonly path?: string;
  /** Whether the caller asked for this model. False for the bundled one, which is used by default. */
  readonly named: boolean;
  /** @param threads how many texts may be embedded at the same time */
  start(threads: number): Promise<Embedder>;
  /** Closes what {@link start} returned, unless the caller gave the embedder. */
  stop(embedder: Embedder): Promise<void>;
}

/**
 * Finds the model that the options ask for.
 *
 * @param options checked by {@link resolveModelOptions}
 * @throws {SkillSearchError} `MODEL_NOT_FOUND`, `MODEL_NOT_READABLE`
 */
export async function chooseModel({ model, embedder }: ModelOptions): Promise<ChosenModel> {
  if (embedder !== undefined) {
    return { id: embedder.model, compatible: [], named: true, start: async () => embedder, stop: async () => {} };
  }
  const folder = await inspectModel(model ?? BUNDLED_MODEL);
  return {
    id: folder.id,
    compatible: folder.compatible,
    path: folder.path,
    named: model !== undefined,
    start: (threads) => startModel(folder, threads),
    stop: async (started) => started.close?.(),
  };
}
