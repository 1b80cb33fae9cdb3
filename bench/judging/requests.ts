import { readFileSync } from 'node:fs';

/** A request of a test collection: a line of `queries.jsonl`. */
export interface Request {
  readonly _id: string;
  readonly text: string;
  /** ISO 639-1. */
  readonly language: string;
  /** How it is written; see bench/requests/README.md. */
  readonly style: string;
  /** The same request in English; only where `text` is not. */
  readonly english?: string;
}

/** Reads the requests of some `queries.jsonl` files. */
export function readRequests(paths: readonly string[]): Request[] {
  return paths.flatMap((path) => readJsonLines<Request>(path));
}

/**
 * The objects of a JSON Lines file, which the caller knows the shape of.
 *
 * @throws {Error} naming file and line, where it is no JSON
 */
export function readJsonLines<T>(path: string): T[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line, i) => {
      if (line.trim() === '') return [];
      try {
        return JSON.parse(line) as T;
      } catch (error) {
        throw new Error(`${path}:${i + 1}: ${(error as Error).message}`);
      }
    });
}
