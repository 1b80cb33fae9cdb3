import { type SkillSearch, SkillSearchError } from '../index.js';
import { separation } from './auroc.js';
import type { Benchmark, Gains, Question, RankedDocument, Run } from './benchmark.js';
import { bootstrapIntervals, type Interval } from './bootstrap.js';
import { type Comparison, compareFigures } from './compare.js';
import { type Figures, measureRanking, recallByDepth } from './measure.js';
import { EVALUATION_MODES, type EvaluationMode, MAX_DEPTH, rankQuestions } from './rank-questions.js';

/** A run that was made elsewhere, or earlier. */
export interface NamedRun {
  readonly name: string;
  readonly run: Run;
}

export interface EvaluateOptions {
  readonly benchmark: Benchmark;
  /** What is asked; needed where there are modes. */
  readonly search?: SkillSearch | undefined;
  /** @default all, none where there is no search */
  readonly modes?: readonly EvaluationMode[] | undefined;
  /** Runs to measure beside the modes. */
  readonly runs?: readonly NamedRun[] | undefined;
  /** What all others are compared with: the name of a mode or run, or another run. */
  readonly baseline?: string | NamedRun | undefined;
  /** Depths at which nDCG, MRR, recall and precision are cut, from 1. @default [10] */
  readonly at?: readonly number[] | undefined;
  /** Documents that are looked at for each question, 1 to 100. @default 100 */
  readonly depth?: number | undefined;
  /** Whether each question is also asked with its right answers taken out. @default false */
  readonly abstention?: boolean | undefined;
  /** Of the random numbers that intervals and tests draw. @default 1 */
  readonly seed?: number | undefined;
  readonly onProgress?: ((progress: EvaluationProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface EvaluationProgress {
  readonly mode: EvaluationMode;
  /** Questions answered by this mode, and all. */
  readonly done: number;
  readonly total: number;
}

/** What came out for one mode or run. */
export interface ModeEvaluation {
  readonly name: string;
  readonly run: Run;
  /** By the id of a question, in their order. */
  readonly byQuestion: ReadonlyMap<string, Figures>;
  /** Means over all questions, with `auroc` where abstention was asked for. */
  readonly figures: Figures;
  /** 95 % of each mean, by its name. */
  readonly intervals: Readonly<Record<string, Interval>>;
  /** Mean recall among the first 1, 2, … documents. */
  readonly recallByDepth: readonly number[];
}

export interface Evaluation {
  readonly benchmark: Benchmark;
  readonly modes: readonly ModeEvaluation[];
  /** What questions are compared by: nDCG at the first depth. */
  readonly metric: string;
  /** Of every mode with the baseline, where there is one. */
  readonly comparisons: readonly Comparison[];
}

/**
 * Asks the questions of a benchmark and measures what is found.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`, and as the searches
 * @throws the signal's reason when aborted
 * @example
 * const benchmark = await readBenchmark('./scifact');
 * await using corpus = await openCorpus({ documents: benchmark.corpus });
 * const { modes } = await evaluate({ benchmark, search: corpus.search, modes: ['bm25', 'hybrid'] });
 * for (const { name, figures } of modes) console.log(name, figures['ndcg@10']);
 */
export async function evaluate(options: EvaluateOptions): Promise<Evaluation> {
  const { benchmark, search, runs = [], baseline, abstention = false, seed = 1 } = options;
  const modes = options.modes ?? (search === undefined ? [] : EVALUATION_MODES);
  const depth = checkDepths('depth', [options.depth ?? MAX_DEPTH], MAX_DEPTH)[0]!;
  const at = checkDepths('at', options.at ?? [10], Number.MAX_SAFE_INTEGER);
  const names = [...modes, ...runs.map(({ name }) => name)];
  if (new Set(names).size < names.length) {
    throw new SkillSearchError('INVALID_OPTION', `modes and runs must have different names, got ${names.join(', ')}`);
  }
  if (typeof baseline === 'string' && !names.includes(baseline)) {
    const message = `baseline must be a run or one of ${names.join(', ')}, got ${baseline}`;
    throw new SkillSearchError('INVALID_OPTION', message, { parameter: 'baseline' });
  }

  const measured: ModeEvaluation[] = [];
  const measureAs = (name: string, run: Run): void => {
    measured.push(measure(name, run, { benchmark, at, depth, abstention, seed }));
  };
  for (const mode of modes) measureAs(mode, await ask(search, mode, depth, options));
  for (const { name, run } of runs) measureAs(name, run);

  const metric = `ndcg@${at[0]}`;
  const other =
    typeof baseline === 'object'
      ? measure(baseline.name, baseline.run, { benchmark, at, depth, abstention: false, seed })
      : measured.find(({ name }) => name === baseline);
  const comparisons = measured
    .filter((one) => other !== undefined && one !== other)
    .map((one) => compareFigures(one, other as ModeEvaluation, { questions: benchmark.questions, metric, seed }));
  return { benchmark, modes: measured, metric, comparisons };
}

function checkDepths(option: string, depths: readonly number[], max: number): readonly number[] {
  const wrong = depths.find((depth) => !Number.isInteger(depth) || depth < 1 || depth > max);
  if (depths.length > 0 && wrong === undefined) return [...new Set(depths)];
  const range = max === Number.MAX_SAFE_INTEGER ? 'a whole number from 1' : `a whole number from 1 to ${max}`;
  throw new SkillSearchError('INVALID_OPTION', `${option} must be ${range}, got ${wrong ?? 'none'}`, {
    parameter: option,
  });
}

async function ask(
  search: SkillSearch | undefined,
  mode: EvaluationMode,
  depth: number,
  { benchmark, onProgress, signal }: EvaluateOptions,
): Promise<Run> {
  if (search === undefined) {
    throw new SkillSearchError('INVALID_OPTION', `mode ${mode} needs a search, got none`);
  }
  const run = new Map<string, readonly RankedDocument[]>();
  const total = benchmark.questions.length;
  onProgress?.({ mode, done: 0, total });
  for await (const [{ id }, ranking] of rankQuestions(search, benchmark.questions, { mode, depth, signal })) {
    run.set(id, ranking);
    onProgress?.({ mode, done: run.size, total });
    // Keyword search answers at once: others have their turn here.
    if (run.size % 16 === 0) await new Promise(setImmediate);
  }
  return run;
}

interface MeasuringOptions {
  readonly benchmark: Benchmark;
  readonly at: readonly number[];
  readonly depth: number;
  readonly abstention: boolean;
  readonly seed: number;
}

/** Measures a run; a question that it does not have found nothing. */
function measure(name: string, run: Run, { benchmark, at, depth, abstention, seed }: MeasuringOptions): ModeEvaluation {
  const { questions, gains } = benchmark;
  const gainsOf = ({ id }: Question): Gains => gains.get(id) as Gains;
  const rankingOf = ({ id }: Question): readonly RankedDocument[] => run.get(id) ?? [];
  const byQuestion = new Map(
    questions.map((question) => [question.id, measureRanking(rankingOf(question), gainsOf(question), { at })]),
  );

  const names = Object.keys(byQuestion.values().next().value ?? {});
  const columns: Float64Array[] = names.map((figure) =>
    Float64Array.from(byQuestion.values(), (figures) => figures[figure]!),
  );
  if (abstention) {
    names.push('auroc');
    columns.push(
      separation(
        Float64Array.from(questions, (question) => firstScore(rankingOf(question))),
        Float64Array.from(questions, (question) => firstScore(rankingOf(question), gainsOf(question))),
      ).parts,
    );
  }
  const intervals = bootstrapIntervals(columns, { seed });
  const recalls = new Float64Array(depth);
  for (const question of questions) {
    for (const [i, recall] of recallByDepth(rankingOf(question), gainsOf(question), depth).entries()) {
      recalls[i] = recalls[i]! + recall / questions.length;
    }
  }
  return {
    name,
    run,
    byQuestion,
    figures: Object.fromEntries(names.map((figure, i) => [figure, mean(columns[i]!)])),
    intervals: Object.fromEntries(names.map((figure, i) => [figure, intervals[i]!])),
    recallByDepth: [...recalls],
  };
}

/** The score of the best document that is not taken out; below all others where none is left. */
function firstScore(ranking: readonly RankedDocument[], takenOut?: Gains): number {
  return ranking.find(({ id }) => takenOut?.has(id) !== true)?.score ?? Number.NEGATIVE_INFINITY;
}

/** 0 of nothing. */
function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return values.length === 0 ? 0 : sum / values.length;
}
