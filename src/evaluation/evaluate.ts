import {
  checkChoice,
  checkOptions,
  invalidArgument,
  MAX_KEYWORD_QUERY_LENGTH,
  MAX_LIMIT,
  MAX_SEMANTIC_LIMIT,
  MAX_SEMANTIC_QUERY_LENGTH,
  namesOf,
} from '../core/index.js';
import { COPY_MODES, type CopyMode, type Ranking, type SkillSearch, SkillSearchError } from '../index.js';
import {
  type Benchmark,
  fitQuestion,
  GAIN_FUNCTIONS,
  type GainFunction,
  type Gains,
  type Question,
  type RankedDocument,
  type Run,
} from './benchmark.js';
import { bootstrapIntervals, type Comparison, compareFigures } from './compare.js';
import { copiesAsOne } from './corpus.js';
import {
  type Confidence,
  type ConfidentShare,
  type ModeEvaluation,
  measureRanking,
  recallByDepth,
  reliability,
  separation,
} from './measures.js';

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

const EVALUATE_OPTIONS = namesOf<EvaluateOptions>({
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
  checkOptions(options, EVALUATE_OPTIONS);
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
  const measureAs = (name: string, run: Run): ModeEvaluation => {
    return { ...measureRun(name, asJudged(run), measuring), run };
  };
  const measured: ModeEvaluation[] = [];
  for (const mode of modes) {
    const { served, unserved } = await ask(search, mode, depth, options);
    const { grades } = measuring.benchmark;
    const isTold = tellsConfidence(mode) && (grades !== undefined || unserved.length > 0);
    const scored = mode === 'hybrid' && grades !== undefined ? { grades } : undefined;
    measured.push({
      ...measureAs(mode, runOf(served)),
      ...(isTold && { confident: confidence(served, unserved, seed) }),
      ...(scored && { reliability: reliability(asJudged(runOf([...served, ...unserved])), scored.grades) }),
    });
  }
  for (const { name, run } of runs) measured.push(measureAs(name, run));

  const metric = `ndcg@${at[0]}`;
  const other =
    typeof baseline === 'object'
      ? measureRun(baseline.name, asJudged(baseline.run), { ...measuring, abstention: false })
      : measured.find(({ name }) => name === baseline);
  const comparisons = measured.flatMap((one) => {
    const comparing = { questions: benchmark.questions, metric, seed };
    return other === undefined || one === other ? [] : compareFigures(one, other, comparing);
  });
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

/** The answers to what is served, and to what is not: none of these if the mode does not say whether it is confident. */
async function ask(
  search: SkillSearch | undefined,
  mode: EvaluationMode,
  depth: number,
  { benchmark, copies, onProgress, signal }: EvaluateOptions,
) {
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

/**
 * How questions are answered: `bm25` by any of the words, `vector` by meaning, `hybrid` by both, `keyword` by a keyword
 * search in the order of relevance.
 */
export const EVALUATION_MODES = ['bm25', 'vector', 'hybrid', 'keyword'] as const;
/** One of {@link EVALUATION_MODES}. */
export type EvaluationMode = (typeof EVALUATION_MODES)[number];

const RANKING: Readonly<Record<Exclude<EvaluationMode, 'keyword'>, Ranking>> = {
  bm25: 'words',
  vector: 'vector',
  hybrid: 'hybrid',
};

/** The largest `depth` of rankings. */
export const MAX_DEPTH: number = MAX_SEMANTIC_LIMIT;

/** Options of {@link rankQuestions}. */
export interface RankOptions {
  /** How to answer. */
  readonly mode: EvaluationMode;
  /** Documents for each question, 1 to 100. @default 100 */
  readonly depth?: number | undefined;
  /** Whether each document has the parts of its score; never for `keyword`. @default false */
  readonly explain?: boolean | undefined;
  /** Whether copies are shown as one. @default 'keep' */
  readonly copies?: CopyMode | undefined;
  /** Stops the iteration when aborted. */
  readonly signal?: AbortSignal | undefined;
}

const RANK_OPTIONS = namesOf<RankOptions>({ mode: true, depth: true, explain: true, copies: true, signal: true });

/**
 * Asks questions one after the other. A question that is too long is cut between two words: at 2,000 characters, for
 * `keyword` at 200. A question without a letter or digit finds nothing.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`; also what the searches throw, such as `NO_VECTORS`
 * @throws the signal's reason when aborted
 * @example
 * import { openSkillSearch } from 'skill-discovery';
 * import { rankQuestions } from 'skill-discovery/evaluation';
 *
 * await using search = await openSkillSearch({ database: 'skills.db' });
 * const questions = [{ id: 'q1', text: 'release notes from git' }];
 * for await (const [{ id }, documents] of rankQuestions(search, questions, { mode: 'hybrid', explain: true })) {
 *   for (const document of documents) console.log(id, document.id, document.explain);
 * }
 */
export async function* rankQuestions(
  search: SkillSearch,
  questions: Iterable<Question>,
  options: RankOptions,
): AsyncGenerator<readonly [Question, RankedDocument[]]> {
  for await (const { question, documents } of answerQuestions(search, questions, options)) yield [question, documents];
}

/** What a search says to a question. */
interface Answer {
  readonly question: Question;
  /** Best first. */
  readonly documents: RankedDocument[];
  /** Whether the search says that the first document is likely to be useful; undefined where it does not say. */
  readonly confident: boolean | undefined;
}

/** As {@link rankQuestions}, with all that is known of an answer. */
async function* answerQuestions(
  search: SkillSearch,
  questions: Iterable<Question>,
  options: RankOptions,
): AsyncGenerator<Answer> {
  checkOptions(options, RANK_OPTIONS);
  checkMode(options.mode);
  checkCopies(options.copies);
  const { signal } = options;
  for (const question of questions) {
    signal?.throwIfAborted();
    yield { question, ...(await answer(search, question.text, options)) };
  }
}

/** Whether answers in this mode say if they are confident. */
function tellsConfidence(mode: EvaluationMode): boolean {
  return mode !== 'keyword';
}

/** @throws {SkillSearchError} `INVALID_OPTION` */
function checkMode(mode: unknown): void {
  checkChoice({ name: 'mode', code: 'INVALID_OPTION' }, mode ?? null, EVALUATION_MODES);
}

/** @throws {SkillSearchError} `INVALID_OPTION` */
function checkCopies(copies: unknown): void {
  checkChoice({ name: 'copies', code: 'INVALID_OPTION' }, copies, COPY_MODES);
}

async function answer(search: SkillSearch, text: string, options: RankOptions): Promise<Omit<Answer, 'question'>> {
  const { mode, depth = MAX_DEPTH, explain = false, copies = 'keep', signal } = options;
  const q = fitQuestion(text, mode === 'keyword' ? MAX_KEYWORD_QUERY_LENGTH : MAX_SEMANTIC_QUERY_LENGTH);
  if (q === undefined) return { documents: [], confident: tellsConfidence(mode) ? false : undefined };
  if (mode === 'keyword') return { documents: rankByKeywords(search, q, depth, copies), confident: undefined };
  const ranking = RANKING[mode];
  const { hits, confident } = await search.semantic(
    { q, ranking, limit: depth, copies, explain },
    { signal, usage: false },
  );
  const documents = hits.map((hit) => ({
    id: hit.skill.id,
    score: hit.score,
    ...(hit.explain === undefined ? {} : { explain: hit.explain }),
  }));
  return { documents, confident };
}

function rankByKeywords(search: SkillSearch, q: string, depth: number, copies: CopyMode): RankedDocument[] {
  const found: RankedDocument[] = [];
  for (let page = 1; found.length < depth; page++) {
    const { hits, pagination } = search.keyword({ q, page, limit: MAX_LIMIT, sortBy: 'relevance', copies });
    for (const { skill, score = 0 } of hits) found.push({ id: skill.id, score });
    if (page >= pagination.totalPages) break;
  }
  return found.slice(0, depth);
}

interface RunMeasuringOptions {
  readonly benchmark: Benchmark;
  /** Depths at which figures are cut. */
  readonly at: readonly number[];
  /** Documents looked at for each question. */
  readonly depth: number;
  /** How gains count in nDCG. */
  readonly gain: GainFunction;
  /** Whether to measure also how well scores tell questions with an answer from those without. */
  readonly abstention: boolean;
  readonly seed: number;
}

/** Measures a run. A question that is missing in it found nothing. */
function measureRun(name: string, run: Run, options: RunMeasuringOptions): ModeEvaluation {
  const { benchmark, at, depth, gain, abstention, seed } = options;
  const { questions, gains, grades } = benchmark;
  // A benchmark has gains for each of its questions.
  const gainsOf = ({ id }: Question): Gains => gains.get(id)!;
  const rankingOf = ({ id }: Question): readonly RankedDocument[] => run.get(id) ?? [];
  const judgedOf = (question: Question): Gains => grades?.get(question.id) ?? gainsOf(question);
  const measuring = { at, gain, graded: grades !== undefined };
  const byQuestion = new Map(
    questions.map((question) => [question.id, measureRanking(rankingOf(question), judgedOf(question), measuring)]),
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

/** The score of the best document that is not taken out; `-Infinity` if none is left. */
function firstScore(ranking: readonly RankedDocument[], takenOut?: Gains): number {
  return ranking.find(({ id }) => takenOut?.has(id) !== true)?.score ?? Number.NEGATIVE_INFINITY;
}

/** 0 for no values. */
function mean(values: Float64Array): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** How confident answers are, of all questions and of each kind. */
function confidence(served: readonly Answer[], unserved: readonly Answer[], seed: number): Confidence {
  const of = (isMeant: (answer: Answer) => boolean): Confidence => ({
    served: confidentShare(served.filter(isMeant), seed),
    unserved: confidentShare(unserved.filter(isMeant), seed),
  });
  const kinds = new Set([...served, ...unserved].flatMap(({ question }) => question.kind ?? []));
  if (kinds.size === 0) return of(() => true);
  const byKind = Array.from(kinds, (kind) => [kind, of(({ question }) => question.kind === kind)] as const);
  return { ...of(() => true), byKind: Object.fromEntries(byKind) };
}

/** Counts confident answers. */
function confidentShare(answers: readonly Answer[], seed: number): ConfidentShare {
  const values = Float64Array.from(answers, (answer) => (answer.confident === true ? 1 : 0));
  const confident = values.reduce((sum, value) => sum + value, 0);
  const [interval = [0, 0]] = values.length === 0 ? [] : bootstrapIntervals([values], { seed });
  return { questions: values.length, confident, share: confident / Math.max(1, values.length), interval };
}
