import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { SkillSearchError } from './errors.js';

/**
 * @returns the path as given
 * @throws {SkillSearchError} `INVALID_OPTION` where it cannot be the path of a file
 */
export function checkDatabase(database: unknown): string {
  return checkPath('database', database, 'a file');
}

/**
 * @param what the path leads to, for the message
 * @returns the path as given
 * @throws {SkillSearchError} `INVALID_OPTION` where it cannot be one
 */
export function checkPath(option: string, path: unknown, what: string): string {
  if (typeof path === 'string' && path !== '' && !path.includes('\0')) return path;
  throw new SkillSearchError('INVALID_OPTION', `${option} must be the path of ${what}, got ${describe(path)}`);
}

/** @throws {SkillSearchError} `INVALID_OPTION` where it is neither left out nor true nor false */
export function checkFlag(option: string, value: unknown): void {
  if (value === undefined || typeof value === 'boolean') return;
  throw new SkillSearchError('INVALID_OPTION', `${option} must be true or false, got ${describe(value)}`);
}

/** @throws {SkillSearchError} `INVALID_OPTION` where it is neither left out nor a function */
export function checkListener(option: string, value: unknown): void {
  if (value === undefined || typeof value === 'function') return;
  throw new SkillSearchError('INVALID_OPTION', `${option} must be a function, got ${describe(value)}`);
}

/**
 * @returns the signal as given
 * @throws {SkillSearchError} `INVALID_OPTION` where it is neither left out nor an AbortSignal
 */
export function checkSignal(signal: AbortSignal | undefined): AbortSignal | undefined {
  if (signal === undefined || (signal as unknown) instanceof AbortSignal) return signal;
  throw new SkillSearchError('INVALID_OPTION', `signal must be an AbortSignal, got ${describe(signal)}`);
}

function describe(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

/** Where the file is, or will be: absolute. A link stays a link: what it leads to is opened, and replaced. */
export function resolveDatabase(database: string): string {
  const path = resolve(database);
  return existsSync(path) ? realpathSync(path) : path;
}

/** Whether a value is an object that rows can be read from; a text is none. */
export function isIterable(rows: unknown): rows is Iterable<unknown> | AsyncIterable<unknown> {
  return typeof rows === 'object' && rows !== null && (Symbol.iterator in rows || Symbol.asyncIterator in rows);
}

/**
 * @returns the rows as given
 * @throws {SkillSearchError} `INVALID_OPTION` where they cannot be iterated
 */
export function checkRows(rows: unknown, option: string): Iterable<unknown> | AsyncIterable<unknown> {
  if (isIterable(rows)) return rows;
  throw new SkillSearchError('INVALID_OPTION', `${option} must be rows that can be iterated, got ${typeof rows}`);
}
