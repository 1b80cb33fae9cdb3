import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { InstalledSource } from '../index.js';
import { AGENTS, surroundings, userFolders } from '../installed/index.js';

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

/** The option that names agents. */
export function agentOption(description: string): Option {
  return new Option('--agent <name>', description).argParser(collectAgents);
}

/** The source that the flags of a command name; undefined if it is not asked for. Ends the command where they clash. */
export function installedSource(command: Command, { installed, agent }: InstalledFlags): InstalledSource | undefined {
  if (installed === true) return { installed: agent === undefined ? {} : { agents: agent } };
  if (agent !== undefined) command.error('error: --agent says whose installed skills are meant: add --installed');
  return undefined;
}

/**
 * The catalogue of a command. The installed skills have one of their own in the user's data folder, which is made.
 *
 * @param command that was called with these flags
 */
export function installedDatabase(command: Command, flags: InstalledFlags & { readonly database: string }): string {
  if (flags.installed !== true || command.getOptionValueSource('database') !== 'default') return flags.database;
  const { data } = userFolders(surroundings());
  mkdirSync(data, { recursive: true, mode: 0o700 });
  return join(data, 'skills.db');
}

function collectAgents(value: string, previous: readonly string[] = []): readonly string[] {
  if (!AGENTS.some(({ name }) => name === value)) {
    throw new InvalidArgumentError(`\`skill-discovery agents --all\` lists the names.`);
  }
  return previous.includes(value) ? previous : [...previous, value];
}
