import { faultIn, readId, readObjects } from '../../src/evaluation/benchmark.js';

/** A question of a judged collection, with what a plain benchmark does not have. */
export interface Request {
  readonly id: string;
  readonly text: string;
  /** Such as `de`; undefined where the file does not say. */
  readonly language: string | undefined;
  /** The same request in English, if it is in another language. */
  readonly english: string | undefined;
}

/**
 * JSON Lines of `_id` and `text`, and optionally `language` and `english`; plain or gzip.
 *
 * @throws {SkillSearchError} `SOURCE_NOT_FOUND`; `INVALID_SOURCE` with file and line
 */
export async function readRequests(path: string): Promise<Request[]> {
  const requests: Request[] = [];
  for await (const [row, line] of readObjects(path)) {
    const id = readId(row['_id']);
    const { text } = row;
    if (id === undefined || typeof text !== 'string') {
      throw faultIn(path, line, 'expected a request: an object with `_id` and `text`');
    }
    requests.push({ id, text, language: textOf(row['language']), english: textOf(row['english']) });
  }
  return requests;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
