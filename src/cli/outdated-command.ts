import { Option } from 'commander';
import { type ComparedSkill, compareInstalled, type InstalledState } from '../install/index.js';
import { shownPath, surroundings } from '../installed/index.js';
import { addCatalogueOptions, type CataloguePlace, placeOf, withPlace } from './catalogue-option.js';
import { jsonOption } from './common-options.js';
import { counted } from './counted.js';
import { openSearch } from './open-search.js';
import { type Output, printJson, printLines } from './output.js';
import type { SetUp } from './set-up.js';
import { type PlaceFlags, placesOf, projectOption, toOption } from './skill-folders.js';
import { oneLine } from './terminal-text.js';
import { alignColumns } from './text-columns.js';

interface OutdatedFlags extends PlaceFlags, CataloguePlace {
  readonly server: readonly string[];
  readonly json?: true;
}

export const setUpOutdated: SetUp = (command, output) => {
  addCatalogueOptions(command)
    .addOption(toOption('compare what was installed with --to this folder'))
    .addOption(projectOption('compare what was installed in the working folder only'))
    .addOption(
      new Option(
        '--server <host>',
        'a server that publishes the catalogue; those of this machine count always (repeatable)',
      )
        .default([], 'none')
        .argParser((host, before: readonly string[]) => [...before, host]),
    )
    .addOption(jsonOption())
    .action((flags: OutdatedFlags) => outdated(withPlace(command, flags), output));
};

/** @throws Error if not all are up to date, so that the exit status is 1 */
async function outdated(flags: OutdatedFlags, output: Output): Promise<void> {
  const around = surroundings();
  await using search = await openSearch({ ...placeOf(flags), keywordIndex: false, localPaths: true }, output);
  const skills = await compareInstalled(search, placesOf(flags, around), { servers: flags.server });
  if (flags.json === true) printJson(output, { skills });
  else
    printLines(
      output,
      linesOf(skills, (path) => oneLine(shownPath(path, around.home))),
    );
  const others = skills.filter(({ state }) => state !== 'up-to-date').length;
  if (others > 0) throw new Error(`${others} of ${counted(skills.length, 'installed skill')} not up to date`);
}

const LABELS: Readonly<Record<InstalledState, string>> = {
  'up-to-date': 'up to date',
  'changed-in-catalogue': 'changed in the catalogue',
  'changed-here': 'changed here',
  'changed-in-both': 'changed here and in the catalogue',
  different: 'other files than the catalogue has',
  'not-in-catalogue': 'not in the catalogue',
  missing: 'folder is missing',
};

function linesOf(skills: readonly ComparedSkill[], show: (path: string) => string): string[] {
  if (skills.length === 0) return ['No lock file says that anything was installed.'];
  const rows = skills.map(({ name, state, folder, lock }) => [oneLine(name), LABELS[state], show(folder ?? lock)]);
  return alignColumns([['SKILL', 'STATE', 'PLACE'], ...rows]);
}
