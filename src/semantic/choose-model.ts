import type { Embedder } from './embedder.js';
import { BUNDLED_MODEL, findModel, identifyModel } from './model-folder.js';
import type { ModelOptions } from './model-options.js';
import { ModelThread } from './model-thread-handle.js';
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

/** How {@link chooseModel} goes about it. */
export interface ChooseModelOptions {
  /**
   * Whether the model begins to load before all its files are read for its id: for somebody who nearly always goes on
   * to `start` it, and who must `stop` it if not. @default false
   */
  readonly early?: boolean | undefined;
}

/**
 * Finds the model that the options ask for.
 *
 * @param options checked by {@link resolveModelOptions}
 * @throws {SkillSearchError} `MODEL_NOT_FOUND`, `MODEL_NOT_READABLE`
 */
export async function chooseModel(
  { model, embedder }: ModelOptions,
  { early = false }: ChooseModelOptions = {},
): Promise<ChosenModel> {
  if (embedder !== undefined) {
    return { id: embedder.model, compatible: [], named: true, start: async () => embedder, stop: async () => {} };
  }
  const found = await findModel(model ?? BUNDLED_MODEL);
  let loading = early ? new ModelThread(found) : undefined;
  try {
    const folder = await identifyModel(found);
    return {
      id: folder.id,
      compatible: folder.compatible,
      path: folder.path,
      named: model !== undefined,
      start: (threads) => {
        const first = loading;
        loading = undefined;
        return startModel(folder, threads, first);
      },
      stop: async (started) => started.close?.(),
    };
  } catch (error) {
    await loading?.close();
    throw error;
  }
}
