import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SkillSearchError } from '../errors.js';
import { MAX_COMPATIBLE_MODELS } from '../limits.js';

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
  const path = join(folder, FILE);
  let cause: unknown;
  try {
    const ids: unknown = JSON.parse(await readFile(path, 'utf8'));
    const isList = Array.isArray(ids) && ids.every((id) => typeof id === 'string' && /^.+@[0-9a-f]{12}$/.test(id));
    if (isList && ids.length <= MAX_COMPATIBLE_MODELS) return ids;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    cause = error;
  }
  const message = `${path} must be a JSON array of up to ${MAX_COMPATIBLE_MODELS} ids of models, such as ["my-model@0123456789ab"]`;
  throw new SkillSearchError('MODEL_NOT_READABLE', message, { path: folder, cause });
}
