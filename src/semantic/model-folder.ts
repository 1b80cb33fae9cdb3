import { createReadStream, existsSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPath } from '../check-arguments.js';
import { SkillSearchError } from '../errors.js';
import { readModelLanguages } from './model-languages.js';

/** Absolute path of the folder with the model that comes with the library. */
export const BUNDLED_MODEL: string = fileURLToPath(new URL('../../data/models/skill-minilm', import.meta.url));

/** A folder with a model in the layout of Transformers.js. */
export interface ModelFolder {
  /** Absolute path. */
  readonly path: string;
  /** Name of the folder and a hash of its files, `NAME@HASH`: changes with every byte of the model. */
  readonly id: string;
  /** How the weights are stored, as Transformers.js calls it. */
  readonly dtype: Dtype;
  /** The languages that the folder says the model reads (ISO 639-1); undefined if it does not. */
  readonly languages: readonly string[] | undefined;
}

/** Files of weights, the preferred first: quantised ones rank as well, and are several times smaller and faster. */
const WEIGHTS = {
  q8: 'onnx/model_quantized.onnx',
  int8: 'onnx/model_int8.onnx',
  uint8: 'onnx/model_uint8.onnx',
  fp32: 'onnx/model.onnx',
  fp16: 'onnx/model_fp16.onnx',
} as const;
export type Dtype = keyof typeof WEIGHTS;

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
  const [dtype, weights] =
    Object.entries(WEIGHTS).find(([, file]) => existsSync(join(path, file))) ?? ([undefined, WEIGHTS.q8] as const);
  const files = [...CONFIGURATION, weights];
  const missing = files.filter((file) => !existsSync(join(path, file)));
  if (dtype === undefined || missing.length > 0) {
    const message = `the model folder ${path} lacks ${missing.join(', ')}`;
    throw new SkillSearchError('MODEL_NOT_READABLE', message, { path });
  }
  const external = `${weights}_data`;
  if (existsSync(join(path, external))) files.push(external);
  const languages = await readModelLanguages(path);
  return { path, id: `${basename(path)}@${await hashFiles(path, files)}`, dtype: dtype as Dtype, languages };
}

/** The name of a model's folder, from the model's id. */
export function modelName(id: string): string {
  return id.replace(/@[0-9a-f]{12}$/, '');
}

/** A hash of the names and contents of files: 12 hexadecimal digits. */
async function hashFiles(folder: string, files: readonly string[]): Promise<string> {
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
  return hash.digest('hex').slice(0, 12);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
