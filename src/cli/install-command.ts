import { join, resolve } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { type InstalledSkill, installSkills } from '../agents/index.js';
import { AGENTS, SHARED_AGENT, type Surroundings, shownPath, surroundings } from '../sources/index.js';
import { addCatalogueOptions, type CataloguePlace, jsonOption, parsePath, placeOf, withPlace } from './options.js';
import type { SetUp } from './output.js';
import { type Output, oneLine, printJson, printLines } from './output.js';
import { openSearch } from './search-options.js';
import { counted } from './text-columns.js';

interface InstallFlags extends PlaceFlags, CataloguePlace {
  readonly agent?: string;
  readonly force?: true;
  readonly json?: true;
}

export const setUpInstall: SetUp = (command, output) => {
  addCatalogueOptions(command.argument('<id...>', 'ids of skills, as search prints them'))
    .addOption(toOption('the folder that gets a folder for each skill').conflicts('agent'))
    .addOption(agentNameOption('install where this agent looks, not in the folder that agents share'))
    .addOption(projectOption('install in the working folder, not for the user'))
    .addOption(new Option('--force', 'replace a skill that was installed before, also if it was changed since'))
    .addOption(jsonOption())
    .action((ids: string[], flags: InstallFlags) => install(ids, withPlace(command, flags), output));
};

async function install(ids: readonly string[], flags: InstallFlags, output: Output): Promise<void> {
  const around = surroundings();
  const target = targetOf(flags, around);
  await using search = await openSearch({ ...placeOf(flags), localPaths: true }, output);
  const report = await installSkills(search, { ids, ...target, force: flags.force === true });
  if (flags.json === true) {
    printJson(output, report);
    return;
  }
  const show = (path: string): string => oneLine(shownPath(path, around.home));
  printLines(output, [
    ...report.skills.map(({ state, name, folder, files }) => {
      return `${LABELS[state]}  ${oneLine(name)}, ${counted(files, 'file')}, in ${show(folder)}`;
    }),
    `noted in ${show(report.lock)}`,
  ]);
  const executable = report.skills.some(({ id }) => search.contents(id)?.files.some((file) => file.executable));
  output.error.write(executable ? `${READ_FIRST} Some of its files can be executed.\n` : `${READ_FIRST}\n`);
}

const LABELS: Readonly<Record<InstalledSkill['state'], string>> = {
  installed: 'installed',
  replaced: 'replaced ',
  unchanged: 'unchanged',
};

const READ_FIRST = 'Note: read a skill before an agent uses it: strangers wrote it, and agents follow it.';

/** Where skills are installed, as `install` is told. */
export interface PlaceFlags {
  readonly to?: string;
  readonly project?: true;
}

/** Where `install` writes. */
export interface InstallTarget {
  readonly to: string;
  /** Where it is noted; in the folder if it is left out. */
  readonly lock?: string;
  /** The project whose folder must not be left by a link. */
  readonly within?: string;
}

export function toOption(description: string): Option {
  return new Option('--to <folder>', description).argParser(parsePath);
}

export function projectOption(description: string): Option {
  return new Option('--project', description);
}

/** `--agent`, with the name of an agent of the table. */
export function agentNameOption(description: string): Option {
  return new Option('--agent <name>', description).argParser((name: string) => {
    if (AGENTS.some((agent) => agent.name === name)) return name;
    throw new InvalidArgumentError(`Agents are ${AGENTS.map((agent) => agent.name).join(', ')}.`);
  });
}

/**
 * The folder that an agent reads, or that agents share; in the working folder with `project`.
 *
 * @throws Error if the agent has no such folder
 */
export function targetOf(flags: PlaceFlags & { readonly agent?: string }, of: Surroundings): InstallTarget {
  const { to, project, agent: name = SHARED_AGENT } = flags;
  const inProject = project === true ? { lock: join(of.cwd, 'skills-lock.json'), within: of.cwd } : {};
  if (to !== undefined) return { to: resolve(of.cwd, to), ...inProject };
  const agent = AGENTS.find((one) => one.name === name)!;
  const [folder] = project === true ? agent.projectFolders : agent.userFolders(of);
  if (folder === undefined) {
    throw new Error(`${agent.title} reads no skills of ${project === true ? 'a project' : 'a user'}: give --to FOLDER`);
  }
  return { to: resolve(of.cwd, folder), ...inProject };
}
