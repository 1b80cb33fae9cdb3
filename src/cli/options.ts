import { readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  isCatalogueAddress,
  isPostgresAddress,
  SkillSearchError,
  splitHosts,
  tellWhileWaiting,
} from '../core/index.js';
import { type Output, oneLine } from './output.js';

export function databaseOption(description = 'the catalogue'): Option {
  return new Option('--database <file>', description).default('skills.db');
}

export function modelOption(): Option {
  return new Option('--model <folder>', 'folder of the model that makes vectors, instead of the one included');
}

export function jsonOption(): Option {
  return new Option('--json', 'print the result as JSON');
}

/** Parses a decimal number: digits, and optionally a point with digits. */
export function parseDecimal(value: string): number {
  if (!/^(\d+(\.\d+)?|\.\d+)$/.test(value)) throw new InvalidArgumentError('It must be a decimal number.');
  return Number(value);
}

/** Parses an integer of decimal digits. */
export function parseInteger(value: string): number {
  if (!/^\d+$/.test(value)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(value);
}

/** Parses an option that may be repeated: one of some choices, each kept once. */
export function collectChoices<Choice extends string>(choices: readonly Choice[]) {
  return (value: string, previous: readonly Choice[] = []): Choice[] => {
    const choice = choices.find((one) => one === value);
    if (choice === undefined) throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
    return previous.includes(choice) ? [...previous] : [...previous, choice];
  };
}

/** Parses a path. One that is empty, as an unset variable is, would be the working folder. */
export function parsePath(value: string): string {
  if (value === '') throw new InvalidArgumentError('It must be a path.');
  return value;
}

/** Parses names with commas or blanks between, each kept once. */
export function parseNames(value: string): readonly string[] {
  const names = [...new Set(value.split(/[\s,]+/).filter((name) => name !== ''))];
  if (names.length === 0) throw new InvalidArgumentError('It must be names with commas between.');
  return names;
}

/** Flags of a command whose `--database` may be a catalogue in PostgreSQL. */
export interface SharedFlags {
  readonly database: string;
  readonly cache?: string | undefined;
  readonly databasePasswordFile?: string;
}

/** Adds `--cache` and `--database-password-file` to a command. */
export function addSharedOptions(command: Command): Command {
  return command
    .option(
      '--cache <folder>',
      "where a catalogue that is no file is copied to (default: in the user's cache folder)",
      parsePath,
    )
    .addOption(databasePasswordOption());
}

export function databasePasswordOption(): Option {
  return new Option(
    '--database-password-file <file>',
    'a file with the password for --database postgres://… (default: PGPASSWORD or ~/.pgpass)',
  ).argParser(parsePath);
}

/**
 * The options of the library that these flags mean. Ends the command where a flag is for another kind of catalogue.
 *
 * @param command that was called with these flags
 */
export function sharedOptionsOf(
  command: Command,
  { database, cache, databasePasswordFile }: SharedFlags,
): { readonly cache?: string | undefined; readonly passwordFile?: string | undefined } {
  const isShared = isPostgresAddress(database);
  if (databasePasswordFile !== undefined && !isShared) {
    command.error('error: --database-password-file is for a catalogue in PostgreSQL: --database postgres://…');
  }
  if (cache !== undefined && !isCatalogueAddress(database)) {
    command.error('error: --cache is for a catalogue that is no file: give its address as --database');
  }
  return { cache, passwordFile: databasePasswordFile };
}

/** Where a catalogue is, as the library takes it. */
export interface CataloguePlace {
  readonly database: string;
  readonly cache?: string | undefined;
  readonly passwordFile?: string | undefined;
}

/** Adds the options that say where a catalogue is to a command that searches it. */
export function addCatalogueOptions(command: Command): Command {
  return addSharedOptions(
    command.addOption(
      databaseOption(
        'the catalogue: a file, the http(s) address of the manifest of a snapshot, or postgres://user@host/database',
      ),
    ),
  );
}

/** The flags of a command, with where its catalogue is. Ends the command where they clash. */
export function withPlace<Flags extends SharedFlags>(command: Command, flags: Flags): Flags & CataloguePlace {
  return { ...flags, ...sharedOptionsOf(command, flags) };
}

/** What opening a catalogue takes of the flags of a command. */
export function placeOf({ database, cache, passwordFile }: CataloguePlace): CataloguePlace {
  return { database, cache, passwordFile };
}

/** Says on standard error what is waited for while work that needs the local copy of a catalogue takes long. */
export function sayWaiting<T>(database: unknown, { error }: Output, work: Promise<T>): Promise<T> {
  return tellWhileWaiting(database, (line) => void error.write(`${oneLine(line)}\n`), work);
}

export interface StopWordsFlags {
  readonly stopWords?: string;
}

export function stopWordsOption(): Option {
  return new Option(
    '--stop-words <file>',
    'words that count only where a question has no others: one a line, instead of the usual ones',
  );
}

/**
 * The words of the file, one a line. Lines that start with `#` are comments.
 *
 * @returns undefined if no file was given
 */
export async function stopWordsOf({ stopWords: path }: StopWordsFlags): Promise<string[] | undefined> {
  if (path === undefined) return undefined;
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'ENOENT' ? `there is no file ${path}` : `${path} cannot be read (${cause.message})`;
    throw new SkillSearchError(cause.code === 'ENOENT' ? 'SOURCE_NOT_FOUND' : 'INVALID_SOURCE', why, { path });
  });
  const lines = text.replace(/^\ufeff/, '').split('\n');
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
}

/**
 * Refuses an address with a password in it: everybody on a machine can read the words of a command. The message does
 * not repeat the address.
 *
 * @param option that the address was given as, with its dashes
 * @param files option that names a file with the password instead
 */
export function refusePassword(option: string, address: unknown, files: string): void {
  if (!isPostgresAddress(address)) return;
  const [first] = splitHosts(address);
  if (!URL.canParse(first) || new URL(first).password === '') return;
  const message = `the address of ${option} has a password, which everybody on this machine can read there. Leave it out, and put it into PGPASSWORD, ~/.pgpass, or a file that ${files} names`;
  throw new SkillSearchError('INVALID_OPTION', message);
}
