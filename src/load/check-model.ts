import { SkillSearchError } from '../core/index.js';
import type { ChosenModel } from '../semantic/index.js';
import { BUNDLED_MODEL, modelName } from '../semantic/index.js';

/**
 * Refuses to replace vectors of the caller's own model only because the caller forgot to name it. Those of an earlier
 * version of the bundled model are replaced without asking, also if that had another name.
 *
 * @param present id of the model whose vectors the catalogue has
 * @throws {SkillSearchError} `MODEL_MISMATCH`
 */
export function checkModel(present: string | undefined, chosen: ChosenModel | undefined, database: string): void {
  if (present === undefined || chosen === undefined || chosen.named) return;
  if (modelName(present) === modelName(chosen.id) || chosen.compatible.includes(present)) return;
  const message = `${database} has vectors of the model ${present}, and the one that would be used now is ${chosen.id}: name that model to go on with it, or ${BUNDLED_MODEL} to embed everything again, or load without vectors`;
  throw new SkillSearchError('MODEL_MISMATCH', message, { path: database });
}
