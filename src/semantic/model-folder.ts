import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPath } from '../check-arguments.js';
import { SkillSearchError } from '../errors.js';
import { readCompatibleModels } from './compatible-models.js';
import { LANGUAGES, readModelLanguages } from './model-languages.js';
import { type ModelSettings, readModelSettings, settingsKey } from './settings/model-settings.js';

/** Absolute path of the folder with the model that comes with the library. */
export const BUNDLED_MODEL: string = fileURLToPath(new URL('../../data/models/skill-minilm', import.meta.url));

/** A folder with a model in the layout of Transformers.js. */
export interface ModelFolder {
  /** Absolute path. */
  readonly path: string;
  /** Name of the folder and a hash of its files, `NAME@HASH`: changes with every byte of the model. */
  readonly id: string;
  /** The file with the model, in the folder. */
  readonly weights: string;
  readonly settings: ModelSettings;
  /** The languages that the folder says the model reads (ISO 639-1); undefined if it does not. */
  readonly languages: readonly string[] | undefined;
  /** Ids of other models whose vectors its questions may be compared with, such as its former versions. */
  readonly compatible: readonly string[];
  /** The model in the folder `other-languages/` of this one, under the id of both; undefined if there is none. */
  readonly otherLanguages?: ModelFolder | undefined;
}

/** Files of weights, the preferred first: quantised ones rank as well, and are several times smaller and faster. */
const WEIGHTS = [
  'onnx/model_quantized.onnx',
  'onnx/model_int8.onnx',
  'onnx/model_uint8.onnx',
  'onnx/model.onnx',
  'onnx/model_fp16.onnx',
] as const;

/**
 * Optional folder of a model's folder: a second model, in the same layout and vector space, which embeds all texts in
 * languages that the first does not read.
 */
const OTHER_LANGUAGES = 'other-languages';

const CONFIGURATION = ['config.json', 'tokenizer.json', 'tokenizer_config.json'];

/**
 * Finds out the id of a model and how its weights are stored. Reads all its files, but does not load it.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`; `MODEL_NOT_FOUND` if there is no such folder; `MODEL_NOT_READABLE` if a
 *   file is missing or cannot be read
 * @example
 * const { id } = await inspectModel(BUNDLED_MODEL);
 */
export async function inspectModel(folder: string): Promise<ModelFolder> {
  const path = resolve(checkPath('folder', folder, 'a model'));
  if (!isFolder(path)) {
    throw new SkillSearchError('MODEL_NOT_FOUND', `no model folder at ${path}`, { path });
  }
  const { files, ...model } = await findFiles(path);
  const compatible = await readCompatibleModels(path);
  const otherPath = join(path, OTHER_LANGUAGES);
  if (!isFolder(otherPath)) return { path, id: await idOf(path, files, [model.settings]), ...model, compatible };
  const { files: otherFiles, ...other } = await findFiles(otherPath);
  // Both must say what they read. The list of the first decides which text goes where, so it belongs to the id.
  if (model.languages === undefined) throw lacks(path, [LANGUAGES]);
  if (other.languages === undefined) throw lacks(otherPath, [LANGUAGES]);
  const all = [...files, LANGUAGES, ...otherFiles.map((file) => `${OTHER_LANGUAGES}/${file}`)];
  const id = await idOf(path, all, [model.settings, other.settings]);
  return { path, id, ...model, compatible, otherLanguages: { path: otherPath, id, ...other, compatible } };
}

/** The files of one model. */
interface ModelFiles extends Pick<ModelFolder, 'weights' | 'languages' | 'settings'> {
  /** Those that its vectors depend on, in the order in which they are hashed. */
  readonly files: readonly string[];
}

async function findFiles(path: string): Promise<ModelFiles> {
  const weights = WEIGHTS.find((file) => existsSync(join(path, file))) ?? WEIGHTS[0];
  const files = [...CONFIGURATION, weights];
  const missing = files.filter((file) => !existsSync(join(path, file)));
  if (missing.length > 0) throw lacks(path, missing);
  const settings = await readModelSettings(path);
  const languages = await readModelLanguages(path);
  return { files: [...files, ...externalData(path, weights)], weights, settings, languages };
}

/** Files with weights that do not lie in the file of the model, such as `onnx/model.onnx_data`. */
function externalData(path: string, weights: string): string[] {
  const beginning = basename(weights);
  return readdirSync(join(path, dirname(weights)))
    .filter((name) => name.startsWith(beginning) && /^[._]data/.test(name.slice(beginning.length)))
    .sort()
    .map((name) => `${dirname(weights)}/${name}`);
}

function lacks(path: string, missing: readonly string[]): SkillSearchError {
  return new SkillSearchError('MODEL_NOT_READABLE', `the model folder ${path} lacks ${missing.join(', ')}`, { path });
}

/** The name of a model's folder, from the model's id. */
export function modelName(id: string): string {
  return id.replace(/@[0-9a-f]{12}$/, '');
}

async function idOf(path: string, files: readonly string[], settings: readonly ModelSettings[]): Promise<string> {
  return `${basename(path)}@${await hashFiles(path, files, settings.map(settingsKey))}`;
}

/** A hash of the names and contents of files, and of keys that are not undefined: 12 hexadecimal digits. */
async function hashFiles(
  folder: string,
  files: readonly string[],
  keys: readonly (string | undefined)[],
): Promise<string> {
  const { createHash } = await import('node:crypto');
  const hash = createHash('sha256');
  for (const file of files) {
    hash.update(`${file}\0`);
    const path = join(folder, file);
    try {
      for await (const chunk of createReadStream(path)) hash.update(chunk);
    } catch (error) {
      const message = `cannot read ${path}: ${(error as Error).message}`;
      throw new SkillSearchError('MODEL_NOT_READABLE', message, { path: folder, cause: error });
    }
  }
  for (const [i, key] of keys.entries()) if (key !== undefined) hash.update(`\0settings ${i}\0${key}`);
  return hash.digest('hex').slice(0, 12);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
