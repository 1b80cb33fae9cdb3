import type { SkillSearch } from '../index.js';
import type { Benchmark, Gains, Run } from './benchmark.js';

/** Benchmarks and runs in which a group of copies is one document. */
export interface CopiesAsOne {
  /** The id that a group of copies gets, by the id of any of its members. */
  shownFor(id: string): string;
  /** Gives a group the highest gain of its members. */
  benchmark(benchmark: Benchmark): Benchmark;
  /** Keeps the best of a group. */
  run(run: Run): Run;
}

/** Each group gets the id of the skill that a search shows for it. An id that is not in the catalogue stays. */
export function copiesAsOne(search: SkillSearch): CopiesAsOne {
  const shown = new Map<string, string>();
  const shownFor = (id: string): string => {
    const known = shown.get(id);
    if (known !== undefined) return known;
    const [first = id, ...others] = search.copiesOf(id);
    for (const copy of [id, first, ...others]) shown.set(copy, first);
    return first;
  };
  const ofGroups = (gains: Gains): Gains => {
    const best = new Map<string, number>();
    for (const [id, gain] of gains) {
      const group = shownFor(id);
      best.set(group, Math.max(gain, best.get(group) ?? gain));
    }
    return best;
  };
  const ofAll = (gains: ReadonlyMap<string, Gains>): ReadonlyMap<string, Gains> =>
    new Map(Array.from(gains, ([question, of]) => [question, ofGroups(of)]));
  return {
    shownFor,
    benchmark: (benchmark) => {
      const { gains, grades } = benchmark;
      return { ...benchmark, gains: ofAll(gains), ...(grades === undefined ? {} : { grades: ofAll(grades) }) };
    },
    run: (run) =>
      new Map(
        Array.from(run, ([question, ranking]) => {
          const seen = new Set<string>();
          const isFirst = (id: string): boolean => seen.size < seen.add(id).size;
          return [question, ranking.map((one) => ({ ...one, id: shownFor(one.id) })).filter(({ id }) => isFirst(id))];
        }),
      ),
  };
}
