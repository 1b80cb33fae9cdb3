import { dirname } from 'node:path';
import { type Command, Option } from 'commander';
import { makeFolder } from '../core/index.js';
import type { InstalledSource } from '../index.js';
import { surroundings } from '../sources/index.js';
import type { Output } from './output.js';
import { oneLine } from './terminal-text.js';

/** Flags of a command that can read the installed skills. */
export interface InstalledFlags {
  readonly installed?: true;
  readonly agent?: readonly string[];
}

/** Adds `--installed` and `--agent` to a command. */
export function addInstalledOptions(command: Command): void {
  command
    .option('--installed', "the skills that this machine's agents have, in this project and for you")
    .addOption(agentOption('with --installed: those of this agent only (repeatable)'));
}

/** The option that names agents. The library says which there are. */
export function agentOption(description: string): Option {
  return new Option('--agent <name>', description).argParser((value: string, previous: readonly string[] = []) => [
    ...previous,
    value,
  ]);
}

/** What a command loads of the installed skills, and where. */
export interface InstalledChoice {
  readonly database: string;
  /** Undefined if they are not asked for. */
  readonly source: InstalledSource | undefined;
}

/**
 * The catalogue of a command, and the source that its flags name. Ends the command where they clash. Without
 * `--database` the installed skills have catalogues of their own in the user's data folder, by project: which one is
 * told, and its folder is made.
 *
 * @param command that was called with these flags
 * @param tell gets the path of such a catalogue
 */
export async function chooseInstalled(
  command: Command,
  { installed, agent: agents, database }: InstalledFlags & { readonly database: string },
  tell: (database: string) => void = () => {},
): Promise<InstalledChoice> {
  if (installed !== true) {
    if (agents !== undefined) command.error('error: --agent says whose installed skills are meant: add --installed');
    return { database, source: undefined };
  }
  if (command.getOptionValueSource('database') !== 'default') return { database, source: { installed: { agents } } };
  const { installedPlace } = await import('../sources/installed/installed-place.js');
  const place = await installedPlace(surroundings(), agents);
  makeFolder(dirname(place.database), { mode: 0o700, code: 'DATABASE_NOT_WRITABLE' });
  tell(place.database);
  const source = { installed: { agents, cwd: place.cwd }, found: place.found };
  return { database: place.database, source };
}

/** Tells on standard error where the installed skills have their catalogue. */
export function tellCatalogue({ error }: Output): (database: string) => void {
  return (database) => void error.write(`Catalogue: ${oneLine(database)}\n`);
}
