import type { Command } from 'commander';
import { databaseOption } from './common-options.js';
import { addSharedOptions, type SharedFlags, sharedOptionsOf } from './shared-options.js';

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
