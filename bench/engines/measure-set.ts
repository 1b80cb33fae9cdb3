import {
  type Benchmark,
  type Comparison,
  compareFigures,
  evaluate,
  type GainFunction,
  type ModeEvaluation,
  type Run,
} from '../../src/evaluation/index.js';
import type { SkillSearch } from '../../src/index.js';
import type { Runs } from './ask-engines.js';
import { showCopies } from './copies-shown.js';
import { ROW_NAMES, type RowName } from './names.js';

/** What all others are compared with. */
const COMPARED = 'hybrid';

/** One engine on one set. */
export interface MeasuredRow {
  readonly name: RowName;
  readonly figures: ModeEvaluation;
  /** Of graded requests, after copies were taken out of the ranking. */
  readonly collapsed?: ModeEvaluation | undefined;
  /** How far our hybrid search is ahead in nDCG@10; undefined for itself and where it was not asked. */
  readonly ahead: Comparison | undefined;
}

/** Measures what engines found: graded requests with exponential gain and copies as one, others as trec_eval does. */
export async function measureSet(search: SkillSearch, benchmark: Benchmark, runs: Runs): Promise<MeasuredRow[]> {
  const names = ROW_NAMES.filter((name) => runs.has(name));
  if (benchmark.grades === undefined)
    return rowsOf(names, await measure(benchmark, runs, 'linear'), undefined, benchmark);
  const copies = showCopies(search, benchmark, runs);
  const shown = await measure(copies.benchmark, copies.shown, 'exponential');
  const collapsed = await measure(copies.benchmark, copies.collapsed, 'exponential');
  return rowsOf(names, shown, collapsed, benchmark);
}

type Measured = ReadonlyMap<string, ModeEvaluation>;

async function measure(benchmark: Benchmark, runs: ReadonlyMap<string, Run>, gain: GainFunction): Promise<Measured> {
  const named = Array.from(runs, ([name, run]) => ({ name, run }));
  const { modes } = await evaluate({ benchmark, runs: named, gain });
  return new Map(modes.map((one) => [one.name, one]));
}

function rowsOf(
  names: readonly RowName[],
  measured: Measured,
  collapsed: Measured | undefined,
  { questions }: Benchmark,
): MeasuredRow[] {
  const ours = measured.get(COMPARED);
  return names.flatMap((name) => {
    const figures = measured.get(name);
    if (figures === undefined) return [];
    const isOther = ours !== undefined && name !== COMPARED;
    const ahead = isOther ? compareFigures(ours, figures, { questions, metric: 'ndcg@10' }) : undefined;
    return [{ name, figures, collapsed: collapsed?.get(name), ahead }];
  });
}
