import { faultIn, readId, readObjects } from '../evaluation/read-lines.js';

/** A request that a person wrote for a skill. */
export interface WrittenRequest {
  readonly skill: string;
  readonly request: string;
  /** ISO 639-1, in lower case. */
  readonly language: string;
  /** The same in English, if the request is in another language. */
  readonly english: string | undefined;
}

/**
 * Requests, one a line: `{"skill", "request", "language", "english"?}`. Other members are ignored.
 *
 * @throws {SkillSearchError} `SOURCE_NOT_FOUND`, `INVALID_SOURCE` with file and line
 */
export async function* readRequests(path: string): AsyncGenerator<WrittenRequest> {
  for await (const [row, line] of readObjects(path)) {
    const skill = readId(row['skill']);
    const request = textOf(row['request']);
    const language = textOf(row['language'])?.toLowerCase();
    const english = row['english'] === undefined ? undefined : textOf(row['english']);
    if (skill === undefined || request === undefined || language === undefined) {
      throw faultIn(path, line, 'expected a request: an object with the texts `skill`, `request` and `language`');
    }
    if (!/^[a-z]{2,3}(?:-[a-z0-9]+)*$/.test(language)) {
      throw faultIn(path, line, `expected a language as in ISO 639-1, such as "de", got ${JSON.stringify(language)}`);
    }
    if (row['english'] !== undefined && english === undefined) {
      throw faultIn(path, line, 'expected `english` to be a text');
    }
    yield { skill, request, language, english };
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
