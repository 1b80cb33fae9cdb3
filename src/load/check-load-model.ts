import { chooseModel } from '../semantic/choose-model.js';
import { resolveModelOptions } from '../semantic/model-options.js';
import type { BuildOptions } from './load-options.js';

/**
 * Checks the model of loads that come later.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`, `MODEL_NOT_FOUND`, `MODEL_NOT_READABLE`
 */
export async function checkLoadModel(options: Pick<BuildOptions, 'model' | 'embedder' | 'semantic'>): Promise<void> {
  const modelOptions = resolveModelOptions(options);
  if (options.semantic !== false) await chooseModel(modelOptions);
}
