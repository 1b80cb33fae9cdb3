import type { Hash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { checkPath, SkillSearchError } from '../core/index.js';
import { LANGUAGES, readModelLanguages } from './languages.js';
import { type ModelSettings, readContentOf, readModelSettings, settingsKey } from './settings.js';

/** Ids in `compatible.json` of a model's folder. A model has a few former versions. */
const MAX_COMPATIBLE_MODELS = 100;

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

/** A model whose files were found, before they are read. */
export interface FoundModel extends Omit<ModelFolder, 'id' | 'otherLanguages'> {
  /** Files that its vectors depend on, those of `other-languages/` included, in the order in which they are hashed. */
  readonly files: readonly string[];
  readonly otherLanguages: Omit<ModelFolder, 'id' | 'compatible' | 'otherLanguages'> | undefined;
}

/**
 * Finds the files of a model, and reads the small ones. That is enough to load it, and it takes a few milliseconds.
 *
 * @throws {SkillSearchError} as `inspectModel`
 */
export async function findModel(folder: string): Promise<FoundModel> {
  const path = resolve(checkPath('folder', folder, 'a model'));
  if (!isFolder(path)) {
    throw new SkillSearchError('MODEL_NOT_FOUND', `no model folder at ${path}`, { path });
  }
  const { files, ...model } = await findFiles(path);
  const compatible = (await readContentOf(path, FILE, areIds, EXPECTED)) ?? [];
  const otherPath = join(path, OTHER_LANGUAGES);
  if (!isFolder(otherPath)) return { path, ...model, compatible, files, otherLanguages: undefined };
  const { files: otherFiles, ...other } = await findFiles(otherPath);
  // Both must say what they read. The list of the first decides which text goes where, so it belongs to the id.
  if (model.languages === undefined) throw lacks(path, [LANGUAGES]);
  if (other.languages === undefined) throw lacks(otherPath, [LANGUAGES]);
  const all = [...files, LANGUAGES, ...otherFiles.map((file) => `${OTHER_LANGUAGES}/${file}`)];
  return { path, ...model, compatible, files: all, otherLanguages: { path: otherPath, ...other } };
}

/**
 * Reads all files of a model for its id.
 *
 * @throws {SkillSearchError} `MODEL_NOT_READABLE`
 */
export async function identifyModel({ files, otherLanguages: other, ...model }: FoundModel): Promise<ModelFolder> {
  const settings = other === undefined ? [model.settings] : [model.settings, other.settings];
  const id = `${basename(model.path)}@${await hashFiles(model.path, files, settings.map(settingsKey))}`;
  if (other === undefined) return { ...model, id };
  return { ...model, id, otherLanguages: { ...other, id, compatible: model.compatible } };
}

/** The files of one model: those that its vectors depend on, in the order in which they are hashed. */
async function findFiles(path: string) {
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

/** A hash of the names and contents of files, and of keys that are not undefined: 12 hexadecimal digits. */
async function hashFiles(
  folder: string,
  files: readonly string[],
  keys: readonly (string | undefined)[],
): Promise<string> {
  const { createHash } = await import('node:crypto');
  const hash = createHash('sha256');
  // One buffer for all: a stream makes another for each piece, which takes longer than the hash. It is large enough
  // that reading costs little, and small enough to stay in a processor's cache.
  const buffer = Buffer.allocUnsafe(1 << 20);
  for (const file of files) {
    hash.update(`${file}\0`);
    await hashContent(hash, buffer, folder, file);
  }
  for (const [i, key] of keys.entries()) if (key !== undefined) hash.update(`\0settings ${i}\0${key}`);
  return hash.digest('hex').slice(0, 12);
}

async function hashContent(hash: Hash, buffer: Buffer, folder: string, file: string): Promise<void> {
  const path = join(folder, file);
  try {
    const handle = await open(path);
    try {
      for (;;) {
        const { bytesRead } = await handle.read(buffer, 0, buffer.length);
        if (bytesRead === 0) return;
        hash.update(buffer.subarray(0, bytesRead));
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    const message = `cannot read ${path}: ${(error as Error).message}`;
    throw new SkillSearchError('MODEL_NOT_READABLE', message, { path: folder, cause: error });
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * Optional file of a model's folder: ids of other models, such as its former versions, as a JSON array. Questions that
 * this model reads may be compared with their vectors, until a load makes its own. It is no part of the model's id.
 */
const FILE = 'compatible.json';

const EXPECTED = `must be a JSON array of up to ${MAX_COMPATIBLE_MODELS} ids of models, such as ["my-model@0123456789ab"]`;

function areIds(ids: unknown): ids is readonly string[] {
  if (!Array.isArray(ids) || ids.length > MAX_COMPATIBLE_MODELS) return false;
  return ids.every((id) => typeof id === 'string' && /^.+@[0-9a-f]{12}$/.test(id));
}
