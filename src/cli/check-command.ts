import { type CatalogueProblem, type CheckReport, checkCatalogue } from '../index.js';
import {
  addSharedOptions,
  databaseOption,
  jsonOption,
  type SharedFlags,
  sayWaiting,
  sharedOptionsOf,
} from './options.js';
import type { SetUp } from './output.js';
import { type Output, oneLine, printJson, printLines } from './output.js';

interface CheckFlags extends SharedFlags {
  readonly repair?: true;
  readonly json?: true;
}

export const setUpCheck: SetUp = (command, output) => {
  command
    .addOption(databaseOption('the catalogue: a file, or postgres://user@host/database'))
    .option('--repair', 'make again what can be derived; damaged skills are kept until a load brings them again')
    .addOption(jsonOption())
    .action((flags: CheckFlags) => check(flags, sharedOptionsOf(command, flags), output));
  addSharedOptions(command);
};

/** @throws Error if something is wrong, so that the exit status is 1 */
async function check(
  { database, repair, json }: CheckFlags,
  shared: ReturnType<typeof sharedOptionsOf>,
  output: Output,
): Promise<void> {
  const report = await sayWaiting(database, output, checkCatalogue({ database, ...shared, repair }));
  if (json === true) printJson(output, report);
  else printLines(output, reportLines(report));
  const { length } = report.problems;
  if (length > 0) throw new Error(`${database} has ${length === 1 ? 'a problem' : `${length} problems`}`);
}

function reportLines({ skills, vectors, problems, outdated, repaired }: CheckReport): string[] {
  const counts = `checked ${skills.toLocaleString('en')} skills and ${vectors.toLocaleString('en')} vectors`;
  return [
    ...repaired.map((problem) => oneLine(`repaired: ${sentenceOf(problem)}`)),
    ...problems.map((problem) => oneLine(`${sentenceOf(problem)}: ${problem.remedy}`)),
    ...outdated.map((problem) => oneLine(`note: ${sentenceOf(problem)}: ${problem.remedy}`)),
    problems.length === 0 ? `${counts}: all is well` : counts,
  ];
}

function sentenceOf({ part, path, skill, problem }: CatalogueProblem): string {
  const where =
    skill === undefined
      ? part === 'database' || part === 'vectors' || part === 'snapshot'
        ? part
        : path
      : `skill ${skill}`;
  return `${where}: ${problem}`;
}
