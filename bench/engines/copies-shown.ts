import { copiesAsOne } from '../../src/evaluation/corpus.js';
import type { Benchmark, Gains, RankedDocument, Run } from '../../src/evaluation/index.js';
import type { SkillSearch } from '../../src/index.js';

/** Runs of graded requests, by the name of their engine, where a group of copies counts as one skill. */
export interface CopiesShown {
  readonly benchmark: Benchmark;
  /** As each engine shows them: a copy of what stands above it takes a place and is of no use. */
  readonly shown: ReadonlyMap<string, Run>;
  /** Without such copies: the next ones move up. */
  readonly collapsed: ReadonlyMap<string, Run>;
}

/**
 * Makes a group of copies one skill, in requests and runs. Which skills are copies is what our own search says; that
 * helps it, so a table needs both kinds of runs.
 */
export function showCopies(search: SkillSearch, benchmark: Benchmark, runs: ReadonlyMap<string, Run>): CopiesShown {
  const asOne = copiesAsOne(search);
  const judged = asOne.benchmark(benchmark);
  const grades = new Map(Array.from(judged.grades ?? [], ([question, of]) => [question, new Map(of)]));
  const rankingAsShown = (question: string, ranking: readonly RankedDocument[]): RankedDocument[] => {
    const seen = new Set<string>();
    const of = grades.get(question);
    return ranking.map((one) => {
      const group = asOne.shownFor(one.id);
      if (seen.size < seen.add(group).size) return { ...one, id: group };
      const copy = `copy:${one.id}`;
      if (of?.has(group)) of.set(copy, 0);
      return { ...one, id: copy };
    });
  };
  const asShown = (run: Run): Run =>
    new Map(Array.from(run, ([question, ranking]) => [question, rankingAsShown(question, ranking)]));
  const shown = new Map(Array.from(runs, ([name, run]) => [name, asShown(run)]));
  const collapsed = new Map(Array.from(runs, ([name, run]) => [name, asOne.run(run)]));
  const withCopies: ReadonlyMap<string, Gains> = grades;
  return { benchmark: { ...judged, grades: withCopies }, shown, collapsed };
}
