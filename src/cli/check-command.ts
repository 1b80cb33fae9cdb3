import { type CatalogueProblem, type CheckReport, checkCatalogue } from '../index.js';
import { addPlaceOptions, FILE_OR_POSTGRES, jsonOption, type PlaceFlags, placeOf, sayWaiting } from './options.js';
import { oneLine, printJson, printLines } from './output.js';
import type { SetUp } from './run.js';

interface CheckFlags extends PlaceFlags {
  readonly repair?: true;
  readonly json?: true;
}

export const setUp: SetUp = (command, output) => {
  addPlaceOptions(command, FILE_OR_POSTGRES)
    .option('--repair', 'make again what can be derived; damaged skills are kept until a load brings them again')
    .addOption(jsonOption())
    .action(async (flags: CheckFlags) => {
      const place = placeOf(command, flags);
      const report = await sayWaiting(place.database, output, checkCatalogue({ ...place, repair: flags.repair }));
      if (flags.json === true) printJson(output, report);
      else printLines(output, reportLines(report));
      const { length } = report.problems;
      // So that the exit status is 1.
      if (length > 0) throw new Error(`${place.database} has ${length === 1 ? 'a problem' : `${length} problems`}`);
    });
};

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
  const isWhole = part === 'database' || part === 'vectors' || part === 'snapshot';
  const where = skill === undefined ? (isWhole ? part : path) : `skill ${skill}`;
  return `${where}: ${problem}`;
}
