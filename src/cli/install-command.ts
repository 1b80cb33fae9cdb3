import { join, resolve } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { installSkills } from '../agents/index.js';
import { AGENTS, SHARED_AGENT, type Surroundings, shownPath, surroundings } from '../sources/index.js';
import { addPlaceOptions, jsonOption, type PlaceFlags, parsePath, placeOf } from './options.js';
import { oneLine, printJson, printLines } from './output.js';
import type { SetUp } from './run.js';
import { openSearch } from './search-options.js';
import { counted } from './text-columns.js';

interface InstallFlags extends PlaceFlags {
  readonly to?: string;
  readonly project?: true;
  readonly agent?: string;
  readonly force?: true;
  readonly json?: true;
}

export const setUp: SetUp = (command, output) => {
  addPlaceOptions(command.argument('<id...>', 'ids of skills, as search prints them'))
    .addOption(
      new Option('--to <folder>', 'the folder that gets a folder for each skill')
        .argParser(parsePath)
        .conflicts('agent'),
    )
    .option('--agent <name>', 'install where this agent looks, not in the folder that agents share', parseAgent)
    .option('--project', 'install in the working folder, not for the user')
    .option('--force', 'replace a skill that was installed before, also if it was changed since')
    .addOption(jsonOption())
    .action(async (ids: string[], flags: InstallFlags) => {
      const around = surroundings();
      const target = targetOf(flags, around);
      await using search = await openSearch({ ...placeOf(command, flags), localPaths: true }, output);
      const report = await installSkills(search, { ids, ...target, force: flags.force === true });
      if (flags.json === true) return printJson(output, report);
      const show = (path: string): string => oneLine(shownPath(path, around.home));
      const lines = report.skills.map(
        ({ state, name, folder, files }) =>
          `${state.padEnd(9)}  ${oneLine(name)}, ${counted(files, 'file')}, in ${show(folder)}`,
      );
      printLines(output, [...lines, `noted in ${show(report.lock)}`]);
      const executable = report.skills.some(({ id }) => search.contents(id)?.files.some((file) => file.executable));
      output.error.write(executable ? `${READ_FIRST} Some of its files can be executed.\n` : `${READ_FIRST}\n`);
    });
};

const READ_FIRST = 'Note: read a skill before an agent uses it: strangers wrote it, and agents follow it.';

function parseAgent(name: string): string {
  if (AGENTS.some((agent) => agent.name === name)) return name;
  throw new InvalidArgumentError(`Agents are ${AGENTS.map((agent) => agent.name).join(', ')}.`);
}

/**
 * Where `install` writes: the folder that an agent reads, or that agents share; in the working folder with `project`,
 * which no link may leave.
 *
 * @throws Error if the agent has no such folder
 */
function targetOf(
  { to, project, agent: name = SHARED_AGENT }: InstallFlags,
  of: Surroundings,
): { readonly to: string; readonly lock?: string; readonly within?: string } {
  const inProject = project === true ? { lock: join(of.cwd, 'skills-lock.json'), within: of.cwd } : {};
  if (to !== undefined) return { to: resolve(of.cwd, to), ...inProject };
  const agent = AGENTS.find((one) => one.name === name)!;
  const [folder] = project === true ? agent.projectFolders : agent.userFolders(of);
  if (folder === undefined) {
    throw new Error(`${agent.title} reads no skills of ${project === true ? 'a project' : 'a user'}: give --to FOLDER`);
  }
  return { to: resolve(of.cwd, folder), ...inProject };
}
