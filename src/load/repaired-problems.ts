import type { CatalogueProblem, CheckReport } from './check-report.js';

type Found = Omit<CheckReport, 'repaired'>;

/** The problems among some that a later look did not find any more. */
export function repairedProblems(before: readonly CatalogueProblem[], left: Found): CatalogueProblem[] {
  const isLeft = new Set([...left.problems, ...left.outdated].map(nameOf));
  return before.filter((problem) => !isLeft.has(nameOf(problem)));
}

function nameOf({ part, path, skill, problem }: CatalogueProblem): string {
  return JSON.stringify([part, path, skill, problem]);
}
