import { MAX_COMPATIBLE_MODELS } from '../core/index.js';
import { readContentOf } from './settings/read-json.js';

/**
 * Optional file of a model's folder: ids of other models, such as its former versions, as a JSON array. Questions that
 * this model reads may be compared with their vectors, until a load makes its own. It is no part of the model's id.
 */
const FILE = 'compatible.json';

/**
 * The ids of the models that a model's folder says its questions may be compared with.
 *
 * @returns none if the folder does not say
 * @throws {SkillSearchError} `MODEL_NOT_READABLE` if the file is anything but an array of ids, or too long
 */
export async function readCompatibleModels(folder: string): Promise<readonly string[]> {
  return (await readContentOf(folder, FILE, areIds, EXPECTED)) ?? [];
}

const EXPECTED = `must be a JSON array of up to ${MAX_COMPATIBLE_MODELS} ids of models, such as ["my-model@0123456789ab"]`;

function areIds(ids: unknown): ids is readonly string[] {
  if (!Array.isArray(ids) || ids.length > MAX_COMPATIBLE_MODELS) return false;
  return ids.every((id) => typeof id === 'string' && /^.+@[0-9a-f]{12}$/.test(id));
}
