import { checkChoice, checkOptions, invalidArgument, namesOf } from '../core/index.js';
import { type CopyMode, type SkillSearch, SkillSearchError } from '../index.js';
import { type Benchmark, GAIN_FUNCTIONS, type GainFunction, type Run } from './benchmark.js';
import { type Comparison, compareFigures } from './compare.js';
import { confidentShare, reliability } from './confidence.js';
import { copiesAsOne } from './copies-as-one.js';
import { type ModeEvaluation, measureRun } from './measure-run.js';
import {
  type Answer,
  answerQuestions,
  checkCopies,
  checkMode,
  EVALUATION_MODES,
  type EvaluationMode,
  MAX_DEPTH,
  tellsConfidence,
} from './rank-questions.js';

/** A run made by another program, or by an earlier evaluation; see `readRun`. */
export interface NamedRun {
  /** How the figures of the run are labelled; different from those of all modes and other runs. */
  readonly name: string;
  readonly run: Run;
}

/** Options of {@link evaluate}. */
export interface EvaluateOptions {
  /** The questions and their right answers; see `readBenchmark`. */
  readonly benchmark: Benchmark;
  /** The search that the modes ask; not needed without modes. */
  readonly search?: SkillSearch | undefined;
  /** Modes to ask and measure. @default all of `EVALUATION_MODES`; none without a search */
  readonly modes?: readonly EvaluationMode[] | undefined;
  /** Runs to measure beside the modes. @default [] */
  readonly runs?: readonly NamedRun[] | undefined;
  /** What to compare all others with: the name of a mode or run, or another run. @default nothing */
  readonly baseline?: string | NamedRun | undefined;
  /** Depths at which nDCG, MRR, recall and precision are cut, 1 or more each. @default [10] */
  readonly at?: readonly number[] | undefined;
  /** Documents looked at for each question, 1 to 100. @default 100 */
  readonly depth?: number | undefined;
  /** How gains count in nDCG. @default the benchmark's own, or 'linear' */
  readonly gain?: GainFunction | undefined;
  /**
   * What happens to copies. With `collapse` the modes show one of a group, and a group counts as one document with the
   * highest gain of its members, in judgements and, given a search, in runs.
   *
   * @default 'keep'
   */
  readonly copies?: CopyMode | undefined;
  /**
   * Whether to measure `auroc`: how well the first score separates a question from the same one without its answers.
   *
   * @default false
   */
  readonly abstention?: boolean | undefined;
  /** Seed of the random numbers for intervals and tests: the same seed gives the same figures. @default 1 */
  readonly seed?: number | undefined;
  /** Called for each question that a mode has answered. */
  readonly onProgress?: ((progress: EvaluationProgress) => void) | undefined;
  /** Stops the evaluation when aborted. */
  readonly signal?: AbortSignal | undefined;
}

const OPTIONS = namesOf<EvaluateOptions>({
  benchmark: true,
  search: true,
  modes: true,
  runs: true,
  baseline: true,
  at: true,
  depth: true,
  gain: true,
  copies: true,
  abstention: true,
  seed: true,
  onProgress: true,
  signal: true,
});

/** How far one mode is. */
export interface EvaluationProgress {
  readonly mode: EvaluationMode;
  /** Questions that this mode has answered. */
  readonly done: number;
  /** All questions, with the unserved ones if the mode is asked those. */
  readonly total: number;
}

/** The figures of all modes and runs. */
export interface Evaluation {
  readonly benchmark: Benchmark;
  /** Modes first, then runs, in the order of the options. */
  readonly modes: readonly ModeEvaluation[];
  /** The figure that comparisons use: nDCG at the first depth, such as `ndcg@10`. */
  readonly metric: string;
  /** How gains counted in nDCG. */
  readonly gain: GainFunction;
  /** What happened to copies; `keep` without a search, which alone knows them. */
  readonly copies: CopyMode;
  /** Each mode and run against the baseline; empty without one. */
  readonly comparisons: readonly Comparison[];
}

/**
 * Asks the questions of a benchmark in each mode, and measures the answers.
 *
 * @throws {SkillSearchError} `INVALID_OPTION` for a faulty option; also what the searches throw, such as `NO_VECTORS`
 * @throws the signal's reason when aborted
 * @example
 * import { evaluate, openCorpus, readBenchmark } from 'skill-discovery/evaluation';
 *
 * const benchmark = await readBenchmark('./scifact');
 * await using corpus = await openCorpus({ documents: benchmark.corpus });
 * const { modes } = await evaluate({ benchmark, search: corpus.search, modes: ['bm25', 'hybrid'] });
 * for (const { name, figures } of modes) console.log(name, figures['ndcg@10']);
 */
export async function evaluate(options: EvaluateOptions): Promise<Evaluation> {
  checkOptions(options, OPTIONS);
  checkArray('questions of the benchmark', options.benchmark?.questions);
  checkArray('modes', options.modes ?? []);
  checkArray('runs', options.runs ?? []);
  checkChoice({ name: 'gain', code: 'INVALID_OPTION' }, options.gain, GAIN_FUNCTIONS);
  checkCopies(options.copies);
  const { benchmark, search, runs = [], baseline, abstention = false, seed = 1, copies = 'keep' } = options;
  const gain = options.gain ?? benchmark.gain ?? 'linear';
  checkGains(gain, benchmark);
  const modes = options.modes ?? (search === undefined ? [] : EVALUATION_MODES);
  for (const mode of modes) checkMode(mode);
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

  const asOne = copies === 'collapse' && search !== undefined ? copiesAsOne(search) : undefined;
  const asJudged = (run: Run): Run => asOne?.run(run) ?? run;
  const measuring = { benchmark: asOne?.benchmark(benchmark) ?? benchmark, at, depth, gain, abstention, seed };
  const measureAs = (name: string, run: Run): ModeEvaluation => ({
    ...measureRun(name, asJudged(run), measuring),
    run,
  });
  const measured: ModeEvaluation[] = [];
  for (const mode of modes) {
    const { served, unserved } = await ask(search, mode, depth, options);
    const { grades } = measuring.benchmark;
    measured.push({
      ...measureAs(mode, runOf(served)),
      ...(tellsConfidence(mode) && (grades !== undefined || unserved.length > 0)
        ? { confident: { served: confidentShare(served, seed), unserved: confidentShare(unserved, seed) } }
        : {}),
      ...(mode === 'hybrid' && grades !== undefined
        ? { reliability: reliability(asJudged(runOf([...served, ...unserved])), grades) }
        : {}),
    });
  }
  for (const { name, run } of runs) measured.push(measureAs(name, run));

  const metric = `ndcg@${at[0]}`;
  const other =
    typeof baseline === 'object'
      ? measureRun(baseline.name, asJudged(baseline.run), { ...measuring, abstention: false })
      : measured.find(({ name }) => name === baseline);
  const comparisons = measured
    .filter((one) => one !== other)
    .flatMap((one) =>
      other === undefined ? [] : [compareFigures(one, other, { questions: benchmark.questions, metric, seed })],
    );
  return { benchmark, modes: measured, metric, gain, copies: asOne === undefined ? 'keep' : copies, comparisons };
}

function checkArray(name: string, value: unknown): void {
  if (!Array.isArray(value)) throw invalidArgument({ name, code: 'INVALID_OPTION' }, 'an array', value);
}

/** Large gains are no grades: 2^gain would be beyond all numbers. */
function checkGains(gain: GainFunction, { gains, grades = gains }: Benchmark): void {
  if (gain === 'linear') return;
  for (const of of grades.values()) {
    for (const grade of of.values()) {
      if (grade <= MAX_EXPONENT) continue;
      const message = `gain must be linear for judgements above ${MAX_EXPONENT}, got exponential and ${grade}`;
      throw new SkillSearchError('INVALID_OPTION', message, { parameter: 'gain' });
    }
  }
}

const MAX_EXPONENT = 50;

function checkDepths(option: string, depths: readonly number[], max: number): readonly number[] {
  const wrong = depths.find((depth) => !Number.isInteger(depth) || depth < 1 || depth > max);
  if (depths.length > 0 && wrong === undefined) return [...new Set(depths)];
  const range = max === Number.MAX_SAFE_INTEGER ? 'a whole number from 1' : `a whole number from 1 to ${max}`;
  throw new SkillSearchError('INVALID_OPTION', `${option} must be ${range}, got ${wrong ?? 'none'}`, {
    parameter: option,
  });
}

interface Answers {
  readonly served: readonly Answer[];
  /** Empty if the mode does not say whether it is confident. */
  readonly unserved: readonly Answer[];
}

async function ask(
  search: SkillSearch | undefined,
  mode: EvaluationMode,
  depth: number,
  { benchmark, copies, onProgress, signal }: EvaluateOptions,
): Promise<Answers> {
  if (search === undefined) {
    throw new SkillSearchError('INVALID_OPTION', `mode ${mode} needs a search, got none`);
  }
  const unserved = tellsConfidence(mode) ? (benchmark.unserved ?? []) : [];
  const questions = [...benchmark.questions, ...unserved];
  const answers: Answer[] = [];
  const total = questions.length;
  onProgress?.({ mode, done: 0, total });
  for await (const answer of answerQuestions(search, questions, { mode, depth, copies, signal })) {
    answers.push(answer);
    onProgress?.({ mode, done: answers.length, total });
    // Keyword search is synchronous. This lets the event loop run.
    if (answers.length % 16 === 0) await new Promise(setImmediate);
  }
  const { length } = benchmark.questions;
  return { served: answers.slice(0, length), unserved: answers.slice(length) };
}

function runOf(answers: readonly Answer[]): Run {
  return new Map(answers.map(({ question, documents }) => [question.id, documents]));
}
