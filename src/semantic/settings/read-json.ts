import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, SkillSearchError } from '../../core/index.js';

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The JSON object in a file of a model's folder.
 *
 * @returns undefined if there is no such file
 * @throws {SkillSearchError} `MODEL_NOT_READABLE` if it cannot be read, or has something else
 */
export function readJsonOf(folder: string, file: string): Promise<JsonObject | undefined> {
  return readContentOf(folder, file, isObject, 'is no JSON object');
}

/**
 * As {@link readJsonOf}, of a file that has an array of objects.
 *
 * @param objects what they are, for the error
 */
export function readJsonListOf(
  folder: string,
  file: string,
  objects: string,
): Promise<readonly JsonObject[] | undefined> {
  const isList = (content: unknown): content is JsonObject[] => Array.isArray(content) && content.every(isObject);
  return readContentOf(folder, file, isList, `is no array of ${objects}`);
}

/**
 * As {@link readJsonOf}, of a file with some other content.
 *
 * @param refusal what is said of a file with anything else, after its path
 */
export async function readContentOf<Content>(
  folder: string,
  file: string,
  accepts: (content: unknown) => content is Content,
  refusal: string,
): Promise<Content | undefined> {
  let cause: unknown;
  try {
    const content: unknown = JSON.parse(await readFile(join(folder, file), 'utf8'));
    if (accepts(content)) return content;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    cause = error;
  }
  throw unsupported(folder, file, refusal, cause);
}

/** The error of a file of a model's folder that cannot be followed. */
export function unsupported(folder: string, file: string, message: string, cause?: unknown): SkillSearchError {
  return new SkillSearchError('MODEL_NOT_READABLE', `${join(folder, file)} ${message}`, { path: folder, cause });
}
