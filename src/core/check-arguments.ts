import { isCatalogueAddress, isPostgresAddress, isSnapshotAddress } from './addresses.js';
import { type ErrorCode, SkillSearchError } from './errors.js';

/** What an argument is called in an error message, and the code of the error. */
export interface Argument {
  readonly name: string;
  readonly code: Extract<ErrorCode, 'INVALID_OPTION' | 'INVALID_PARAMETER' | 'INVALID_QUERY'>;
}

/** The error of an argument that is not as expected: `NAME must be EXPECTED, got VALUE`. */
export function invalidArgument({ name, code }: Argument, expected: string, value: unknown): SkillSearchError {
  return new SkillSearchError(code, `${name} must be ${expected}, got ${describeValue(value)}`, { parameter: name });
}

/** A value as a short text in one line, safe to show. Texts are quoted, and cut after 40 characters. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (value === undefined || value === null || typeof value === 'number' || typeof value === 'boolean') {
    return String(value);
  }
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}

/** The names that the properties of an options object or of a query may have; made by {@link namesOf}. */
export type Names = ReadonlySet<string>;

/**
 * The names of an interface's properties, for {@link checkNames}. The compiler demands all of them and no others, so
 * nobody can add an option and forget it here.
 *
 * @example
 * const NAMES = namesOf<{ readonly from: string; readonly to: string }>({ from: true, to: true });
 */
export function namesOf<Options>(names: Readonly<Record<keyof Options, true>>): Names {
  return new Set(Object.keys(names));
}

/**
 * Refuses what is no object, and an object with a property that its reader does not know: most likely a slip, which
 * would go unnoticed otherwise. A property that is undefined counts as left out.
 *
 * Called by each keyword search, so it makes nothing: some 100 ns for a query.
 *
 * @param argument what the whole is called
 * @throws {SkillSearchError} with this code; its `parameter` is the unknown name
 */
export function checkNames(given: unknown, names: Names, argument: Argument): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw invalidArgument(argument, `an object with ${listOf(names)}`, given);
  }
  for (const property in given) {
    if (names.has(property)) continue;
    if ((given as Readonly<Record<string, unknown>>)[property] === undefined) continue;
    throw unknownName(property, names, argument.code);
  }
}

/** As {@link checkNames}, for the options of a function. */
export function checkOptions(options: unknown, names: Names): void {
  checkNames(options, names, OPTIONS);
}

const OPTIONS: Argument = { name: 'options', code: 'INVALID_OPTION' };

function unknownName(property: string, names: Names, code: Argument['code']): SkillSearchError {
  const kind = code === 'INVALID_OPTION' ? 'option' : 'parameter';
  const shown = /^[\w$.-]{1,40}$/.test(property) ? property : describeValue(property);
  const nearest = nearestName(property, names);
  const advice = nearest === undefined ? `expected ${listOf(names)}` : `did you mean ${nearest}?`;
  return new SkillSearchError(code, `unknown ${kind} ${shown}: ${advice}`, { parameter: property });
}

function listOf(names: Names): string {
  return [...names].join(', ');
}

/** @returns the value, or undefined if it is left out */
export function checkInteger(argument: Argument, value: unknown, min: number, max: number): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw invalidArgument(argument, `an integer from ${min} to ${max}`, value);
}

/** @returns the value, or undefined if it is left out */
export function checkAtLeast(argument: Argument, value: unknown, min: number): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min) return value;
  throw invalidArgument(argument, `an integer of at least ${min}`, value);
}

/** @returns the value, or undefined if it is left out */
export function checkNumber(argument: Argument, value: unknown, min: number, max: number): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && value >= min && value <= max) return value;
  throw invalidArgument(argument, `a number from ${min} to ${max}`, value);
}

/** @returns the value, or undefined if it is left out */
export function checkChoice<Choice extends string | boolean>(
  argument: Argument,
  value: unknown,
  choices: readonly Choice[],
): Choice | undefined {
  if (value === undefined) return undefined;
  const choice = choices.find((one) => one === value);
  if (choice === undefined) throw invalidArgument(argument, `one of ${choices.join(', ')}`, value);
  return choice;
}

/**
 * @returns the path as given
 * @throws {SkillSearchError} `INVALID_OPTION` if it cannot be the path of a file
 */
export function checkDatabase(database: unknown): string {
  if (isSnapshotAddress(database)) {
    const message = 'database must be the path of a file here: a snapshot is searched, never written';
    throw new SkillSearchError('INVALID_OPTION', message, { parameter: 'database' });
  }
  refuseShared('database', database, COPY_INSTEAD);
  refuseAddress('database', database, 'http://, https:// or postgres://');
  return checkPath('database', database, 'a file');
}

/**
 * Refuses an address of a kind that is not known, which would be taken as the path of a file. The message does not
 * repeat it: it may have a password.
 *
 * @param known how addresses may begin
 * @throws {SkillSearchError} `INVALID_OPTION`
 */
export function refuseAddress(option: string, place: unknown, known: string): void {
  if (typeof place !== 'string') return;
  // One letter is a drive of Windows.
  const [scheme] = /^[a-z][a-z0-9+.-]{1,30}:\/\//i.exec(place) ?? [];
  if (scheme === undefined) return;
  const advice = scheme.toLowerCase() === 'file://' ? ': give the path alone' : '';
  const message = `${option} must be the path of a file, or an address that begins with ${known}, and it begins with ${scheme}${advice}`;
  throw new SkillSearchError('INVALID_OPTION', message, { parameter: option });
}

/**
 * Checks what names a catalogue that is searched, and the options that only some kinds of catalogues have.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`
 */
export function checkSearched(
  options: Readonly<Partial<Record<'database' | 'cache' | 'passwordFile', unknown>>>,
): void {
  const { database, cache, passwordFile } = options;
  if (database !== undefined && !isCatalogueAddress(database)) checkDatabase(database);
  if (cache !== undefined) checkPath('cache', cache, 'a folder');
  if (passwordFile !== undefined) checkPath('passwordFile', passwordFile, 'a file');
  if (!isCatalogueAddress(database)) refuseOption('cache', cache, NO_FILE);
  if (!isPostgresAddress(database)) {
    refuseOption('passwordFile', passwordFile, 'is for a catalogue in PostgreSQL: give postgres://… as database');
  }
}

/** Of options for catalogues of which there is a local copy. */
export const NO_FILE = 'is for a catalogue that is no file: give its address as database';

/**
 * Refuses an option that would have no effect, unless it is left out.
 *
 * @param reason what follows its name
 * @throws {SkillSearchError} `INVALID_OPTION`
 */
export function refuseOption(option: string, value: unknown, reason: string): void {
  if (value === undefined) return;
  throw new SkillSearchError('INVALID_OPTION', `${option} ${reason}`, { parameter: option });
}

/**
 * Refuses a catalogue in PostgreSQL where a file is needed. The message does not repeat the address: it may have a
 * password.
 *
 * @param instead what to do, as a clause
 * @throws {SkillSearchError} `INVALID_OPTION`
 */
export function refuseShared(option: string, database: unknown, instead: string): void {
  if (!isPostgresAddress(database)) return;
  const message = `${option} must be the path of a file here, not an address of PostgreSQL: ${instead}`;
  throw new SkillSearchError('INVALID_OPTION', message, { parameter: option });
}

const COPY_INSTEAD = 'give that of its local copy, skills.db in the folder that `cache` names';

/**
 * Refuses options that are for a catalogue in PostgreSQL.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`
 */
export function checkNotShared(options: { readonly cache?: unknown; readonly passwordFile?: unknown }): void {
  for (const option of ['cache', 'passwordFile'] as const) {
    refuseOption(option, options[option], 'is for a catalogue in PostgreSQL, and database names a file');
  }
}

/**
 * @param what the path leads to, for the error message
 * @returns the path as given
 * @throws {SkillSearchError} `INVALID_OPTION` if it cannot be a path
 */
export function checkPath(option: string, path: unknown, what: string): string {
  if (typeof path === 'string' && path !== '' && !path.includes('\0')) return path;
  throw invalidArgument(optionOf(option), `the path of ${what}`, path);
}

/** @throws {SkillSearchError} `INVALID_OPTION` unless it is a text or left out */
export function checkText(option: string, value: unknown): void {
  if (value === undefined || typeof value === 'string') return;
  throw invalidArgument(optionOf(option), 'a string', value);
}

/** @throws {SkillSearchError} `INVALID_OPTION` unless it is true, false or left out */
export function checkFlag(option: string, value: unknown): void {
  if (value === undefined || typeof value === 'boolean') return;
  throw invalidArgument(optionOf(option), 'true or false', value);
}

/** @throws {SkillSearchError} `INVALID_OPTION` unless it is a function or left out */
export function checkListener(option: string, value: unknown): void {
  if (value === undefined || typeof value === 'function') return;
  throw invalidArgument(optionOf(option), 'a function', value);
}

/**
 * @returns the signal as given
 * @throws {SkillSearchError} `INVALID_OPTION` unless it is an AbortSignal or left out
 */
export function checkSignal(signal: unknown): AbortSignal | undefined {
  if (signal === undefined || signal instanceof AbortSignal) return signal;
  throw invalidArgument(optionOf('signal'), 'an AbortSignal', signal);
}

/**
 * @returns the rows as given
 * @throws {SkillSearchError} `INVALID_OPTION` if they cannot be iterated
 */
export function checkRows(rows: unknown, option: string): Iterable<unknown> | AsyncIterable<unknown> {
  if (isIterable(rows)) return rows;
  throw invalidArgument(optionOf(option), 'rows that can be iterated', rows);
}

/** Whether a value is an object that can be iterated. A text cannot be a list of rows, though it can be iterated. */
export function isIterable(rows: unknown): rows is Iterable<unknown> | AsyncIterable<unknown> {
  return typeof rows === 'object' && rows !== null && (Symbol.iterator in rows || Symbol.asyncIterator in rows);
}

/** Names an option as the argument at fault. */
export function optionOf(name: string): Argument {
  return { name, code: 'INVALID_OPTION' };
}

/** Names a parameter as the argument at fault. */
export function parameterOf(name: string): Argument {
  return { name, code: 'INVALID_PARAMETER' };
}

/**
 * The name that somebody probably meant by one that does not exist, as `sortBy` for `sort`; undefined if none is near.
 * Near is: equal but for case, the beginning of the other, or few edits away for its length (one edit in three
 * letters).
 *
 * @param names at least those that exist; the first of several that are equally near is taken
 */
export function nearestName(given: string, names: Iterable<string>): string | undefined {
  // Nobody means a short name by a very long one, and the work grows with the length.
  if (given.length > LONGEST) return undefined;
  const lower = given.toLowerCase();
  let best: string | undefined;
  let bestEdits = Number.POSITIVE_INFINITY;
  for (const name of names) {
    const other = name.toLowerCase();
    const isBeginning = other.startsWith(lower) || lower.startsWith(other);
    const edits = isBeginning ? 0.5 * Math.abs(other.length - lower.length) : editsBetween(lower, other);
    const isNear = isBeginning || edits <= Math.floor(Math.max(lower.length, other.length) / 3);
    if (!isNear || edits >= bestEdits) continue;
    best = name;
    bestEdits = edits;
  }
  return best;
}

const LONGEST = 64;

/** Letters to insert, remove or replace (Levenshtein distance, by rows of the table). */
function editsBetween(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 0; i < one.length; i++) {
    const row = [i + 1];
    for (let j = 0; j < other.length; j++) {
      const replaced = above[j]! + (one[i] === other[j] ? 0 : 1);
      row.push(Math.min(replaced, above[j + 1]! + 1, row[j]! + 1));
    }
    above = row;
  }
  return above[other.length]!;
}

/** A text can be iterated, too, but its letters are no ids. */
export function checkIds(ids: unknown): string[] {
  const isList = typeof ids === 'object' && ids !== null && Symbol.iterator in ids;
  if (!isList) throw invalidArgument(IDS, 'an array of ids, or ids that can be iterated', ids);
  const list = [...(ids as Iterable<unknown>)];
  for (const id of list) if (typeof id !== 'string') throw invalidArgument(IDS, 'strings', id);
  return list as string[];
}

const IDS: Argument = { name: 'ids', code: 'INVALID_OPTION' };
