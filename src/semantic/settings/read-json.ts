import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SkillSearchError } from '../../errors.js';

/**
 * A file of a model's folder that has a JSON object or array.
 *
 * @returns undefined if there is no such file
 * @throws {SkillSearchError} `MODEL_NOT_READABLE` if it cannot be read, or has something else
 */
export async function readJsonOf(folder: string, file: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  let cause: unknown;
  try {
    const content: unknown = JSON.parse(await readFile(join(folder, file), 'utf8'));
    if (typeof content === 'object' && content !== null) return content as Record<string, unknown>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    cause = error;
  }
  throw unsupported(folder, file, 'is no JSON object', cause);
}

/** The error of a file of a model's folder that cannot be followed. */
export function unsupported(folder: string, file: string, message: string, cause?: unknown): SkillSearchError {
  return new SkillSearchError('MODEL_NOT_READABLE', `${join(folder, file)} ${message}`, { path: folder, cause });
}
