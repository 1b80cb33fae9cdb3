import { type Command, Option } from 'commander';
import { isCatalogueAddress, isPostgresAddress } from '../core/index.js';
import { parsePath } from './common-options.js';

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
