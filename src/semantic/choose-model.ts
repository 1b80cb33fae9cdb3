import { fileURLToPath } from 'node:url';
import { dataFile } from '../core/index.js';
import type { Embedder, ModelOptions } from './embedder.js';
import type { ModelFolder } from './model-folder.js';

// What finds and runs models is imported when one is wanted: a search by words alone does without.

/** Absolute path of the folder with the model that comes with the library. */
export const BUNDLED_MODEL: string = fileURLToPath(dataFile('models/skill-minilm'));

/**
 * Finds out the id of a model and how its weights are stored. Reads all its files, but does not load it.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`; `MODEL_NOT_FOUND` if there is no such folder; `MODEL_NOT_READABLE` if a
 *   file is missing or cannot be read
 * @example
 * const { id } = await inspectModel(BUNDLED_MODEL);
 */
export async function inspectModel(folder: string): Promise<ModelFolder> {
  const { findModel, identifyModel } = await import('./model-folder.js');
  return identifyModel(await findModel(folder));
}

/** The name of a model's folder, from the model's id. */
export function modelName(id: string): string {
  return id.replace(/@[0-9a-f]{12}$/, '');
}

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

/** How a model is found, and started. */
interface ChooseHow {
  /**
   * Whether the model begins to load before all its files are read for its id: for a caller that nearly always goes on
   * to `start` it, and must `stop` it if not.
   */
  readonly early?: boolean;
  /** Whether it is the one that processes of this user share, if a single thread of a model of this machine is started. */
  readonly shared?: boolean | undefined;
}

/**
 * Finds the model that the options ask for.
 *
 * @param options checked by {@link resolveModelOptions}
 * @throws {SkillSearchError} `MODEL_NOT_FOUND`, `MODEL_NOT_READABLE`
 */
export async function chooseModel(
  { model, embedder }: ModelOptions,
  { early = false, shared = false }: ChooseHow = {},
): Promise<ChosenModel> {
  if (embedder !== undefined) {
    return { id: embedder.model, compatible: [], named: true, start: async () => embedder, stop: async () => {} };
  }
  const [{ findModel, identifyModel }, { startOwn }] = await Promise.all([
    import('./model-folder.js'),
    import('./local-embedder.js'),
  ]);
  const found = await findModel(model ?? BUNDLED_MODEL);
  const start = shared ? (await import('./shared-model.js')).shareModel : startOwn;
  let loading = early ? start(found) : undefined;
  try {
    const folder = await identifyModel(found);
    return {
      id: folder.id,
      compatible: folder.compatible,
      path: folder.path,
      named: model !== undefined,
      start: async (threads) => {
        const first = loading;
        loading = undefined;
        const { startModel } = await import('./routed-embedder.js');
        return startModel(folder, threads, first, threads === 1 ? start : undefined);
      },
      stop: async (started) => started.close?.(),
    };
  } catch (error) {
    await loading?.close();
    throw error;
  }
}
