import { separation } from './auroc.js';
import type { Benchmark, GainFunction, Gains, Question, RankedDocument, Run } from './benchmark.js';
import { bootstrapIntervals, type Interval } from './bootstrap.js';
import type { Confidence, Reliability } from './confidence.js';
import { type Figures, measureRanking, recallByDepth } from './measure.js';

/** The figures of one mode or run. */
export interface ModeEvaluation {
  /** Of the mode, or as the run was named. */
  readonly name: string;
  /** What was found. */
  readonly run: Run;
  /** Figures by the id of a question, in the order of the questions. */
  readonly byQuestion: ReadonlyMap<string, Figures>;
  /** Means over all questions; with `auroc` where `abstention` was asked for. */
  readonly figures: Figures;
  /** The 95 % interval of each mean, by the name of the figure. */
  readonly intervals: Readonly<Record<string, Interval>>;
  /** Mean recall among the first 1, 2, … documents, up to the depth of the evaluation. */
  readonly recallByDepth: readonly number[];
  /**
   * How confident the answers are. Only of a mode that says so, with a benchmark that is graded or has `unserved`
   * questions.
   */
  readonly confident?: Confidence | undefined;
  /** How far first scores are probabilities. Only of `hybrid`, whose scores are meant to be, if graded. */
  readonly reliability?: Reliability | undefined;
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
export function measureRun(name: string, run: Run, options: RunMeasuringOptions): ModeEvaluation {
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
