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

/** The fields of an object with these names: flags that an option of the library has the name of. */
export function pick<From, Name extends keyof From>(from: From, ...names: readonly Name[]): Pick<From, Name> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<From, Name>;
}

export function modelOption(): Option {
  return new Option('--model <folder>', 'folder of the model that makes vectors, instead of the one included');
}

export function jsonOption(): Option {
  return new Option('--json', 'print the result as JSON');
}

/** An option that takes one of some values. */
export function choiceOption(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices);
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

/** Parses a path. One that is empty, as an unset variable is, would be the working folder. */
export function parsePath(value: string): string {
  if (value === '') throw new InvalidArgumentError('It must be a path.');
  return value;
}

/** Parses an option that may be repeated. */
export function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}

/** Flags of a command that say where its catalogue is. */
export interface PlaceFlags {
  readonly database: string;
  readonly cache?: string;
  readonly databasePasswordFile?: string;
}

/** Where a catalogue is, as the library takes it. */
export interface CataloguePlace {
  readonly database: string;
  readonly cache?: string | undefined;
  readonly passwordFile?: string | undefined;
}

/** What `--database` says of itself where it may be in PostgreSQL. */
export const FILE_OR_POSTGRES = 'the catalogue: a file, or postgres://user@host/database';
const ANY_PLACE =
  'the catalogue: a file, the http(s) address of the manifest of a snapshot, or postgres://user@host/database';

/** Adds the options that say where a catalogue is. */
export function addPlaceOptions(command: Command, description: string = ANY_PLACE): Command {
  return command
    .addOption(databaseOption(description))
    .option(
      '--cache <folder>',
      "where a catalogue that is no file is copied to (default: in the user's cache folder)",
      parsePath,
    )
    .addOption(databasePasswordOption());
}

export function databaseOption(description = 'the catalogue'): Option {
  return new Option('--database <file>', description).default('skills.db');
}

export function databasePasswordOption(): Option {
  return new Option(
    '--database-password-file <file>',
    'a file with the password for --database postgres://… (default: PGPASSWORD or ~/.pgpass)',
  ).argParser(parsePath);
}

/** Where the flags of a command say that its catalogue is. Ends the command where one is for another kind. */
export function placeOf(
  command: Command,
  { database, cache, databasePasswordFile: passwordFile }: PlaceFlags,
): CataloguePlace {
  if (passwordFile !== undefined && !isPostgresAddress(database)) {
    command.error('error: --database-password-file is for a catalogue in PostgreSQL: --database postgres://…');
  }
  if (cache !== undefined && !isCatalogueAddress(database)) {
    command.error('error: --cache is for a catalogue that is no file: give its address as --database');
  }
  return { database, cache, passwordFile };
}

/** Says on standard error what is waited for while work that needs the local copy of a catalogue takes long. */
export function sayWaiting<T>(database: unknown, { error }: Output, work: Promise<T>): Promise<T> {
  return tellWhileWaiting(database, (line) => void error.write(`${oneLine(line)}\n`), work);
}

/** Flags that say how questions are read. */
export interface ReadingFlags {
  readonly stopWords?: string;
  readonly gloss: boolean;
}

/** Adds the options that say how questions are read. */
export function addReadingOptions(command: Command): Command {
  return command
    .option(
      '--stop-words <file>',
      'words that count only where a question has no others: one a line, instead of the usual ones',
    )
    .option('--no-gloss', 'do not look for English words for a question in another language');
}

/** How questions are read, as the library takes it. In a file of words, lines that start with `#` are comments. */
export async function readingOf({
  stopWords: path,
  gloss,
}: ReadingFlags): Promise<{ readonly stopWords: string[] | undefined; readonly gloss: boolean }> {
  if (path === undefined) return { stopWords: undefined, gloss };
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'ENOENT' ? `there is no file ${path}` : `${path} cannot be read (${cause.message})`;
    throw new SkillSearchError(cause.code === 'ENOENT' ? 'SOURCE_NOT_FOUND' : 'INVALID_SOURCE', why, { path });
  });
  const lines = text.replace(/^\ufeff/, '').split('\n');
  return { stopWords: lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#')), gloss };
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
