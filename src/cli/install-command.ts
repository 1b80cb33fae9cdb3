import { Option } from 'commander';
import { type InstalledSkill, installSkills } from '../agents/index.js';
import { shownPath, surroundings } from '../sources/index.js';
import { addCatalogueOptions, type CataloguePlace, placeOf, withPlace } from './catalogue-option.js';
import { jsonOption } from './common-options.js';
import { counted } from './counted.js';
import { openSearch } from './open-search.js';
import { type Output, printJson, printLines } from './output.js';
import type { SetUp } from './set-up.js';
import { agentNameOption, type PlaceFlags, projectOption, targetOf, toOption } from './skill-folders.js';
import { oneLine } from './terminal-text.js';

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
    .addOption(new Option('--force', 'replace a skill that was installed before, if nobody has changed it since'))
    .addOption(jsonOption())
    .action((ids: string[], flags: InstallFlags) => install(ids, withPlace(command, flags), output));
};

async function install(ids: readonly string[], flags: InstallFlags, output: Output): Promise<void> {
  const around = surroundings();
  const target = targetOf(flags, around);
  await using search = await openSearch({ ...placeOf(flags), keywordIndex: false, localPaths: true }, output);
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
