import { ndcg } from '../../src/evaluation/index.js';
import { calibrationError, reliabilityBins } from '../../src/evaluation/measures.js';
import { type Calibration, probabilityOf } from '../../src/search/ranking/hybrid.js';
import { markdownTable } from '../markdown-table.js';
import { type FirstHit, firstHit, fitCalibration, type Summed, withProbabilities } from './first-hits.js';
import type { JudgedQuestion } from './judged-questions.js';
import { fitListwise, scoresOf } from './listwise.js';

type Sums = (question: JudgedQuestion) => Summed;

/** Of questions that the model was made for, and of others. */
export interface Calibrations {
  readonly hybrid: Calibration;
  readonly foreign: Calibration;
}

/** nDCG@10 by set: before, fitted to all, and on questions that were not fitted to. */
export function weightTable(
  questions: readonly JudgedQuestion[],
  { before, weights }: { readonly before: Float64Array; readonly weights: Float64Array },
): string {
  const halves = [0, 1].map((half) => fitListwise(questions.filter((_, i) => i % 2 !== half)));
  const place = new Map(questions.map((question, i) => [question, i]));
  const rows = setsOf(questions).map(([name, of]) => {
    const apart = fitOthers(questions, name);
    const weightsFor = [
      () => before,
      () => weights,
      (question: JudgedQuestion) => halves[(place.get(question) as number) % 2] as Float64Array,
      () => apart ?? before,
    ];
    const means = weightsFor.map((by) => mean(of.map((question) => gainOf(question, by(question)))).toFixed(4));
    if (apart === undefined) means[3] = '';
    return [name, `${of.length}`, ...means];
  });
  return markdownTable(['set', 'questions', 'before', 'to all', 'to the other half', 'to the other sets'], rows);
}

/** How well the first hit's probability tells what it is, by set, and how often an answer is confident. */
export function calibrationTable(questions: readonly JudgedQuestion[], sums: Sums, calibrations: Calibrations): string {
  const rows = setsOf(questions).map(([name, of]) => {
    const hits = firstHits(of, sums);
    const errors = calibrationsOf(hits, calibrations).map(
      ([calibration, some]) => calibrationError(reliabilityBins(withProbabilities(some, calibration))) * some.length,
    );
    const error = errors.reduce((sum, one) => sum + one, 0) / hits.length;
    const confident = (some: readonly FirstHit[]): string => {
      const are = some.filter((hit) => {
        const calibration = hit.foreign ? calibrations.foreign : calibrations.hybrid;
        return probabilityOf(hit.sum, hit.others, hit.scale, calibration) >= calibration.confident;
      });
      return some.length === 0 ? '' : `${(are.length / some.length).toFixed(2)} of ${some.length}`;
    };
    const right = mean(hits.map((hit) => (hit.right ? 1 : 0)));
    const [served, unserved] = [hits.filter((hit) => hit.served), hits.filter((hit) => !hit.served)];
    return [name, right.toFixed(3), error.toFixed(3), confident(served), confident(unserved)];
  });
  return markdownTable(['set', 'first hit right', 'calibration error', 'confident if served', 'if unserved'], rows);
}

function calibrationsOf(hits: readonly FirstHit[], { hybrid, foreign }: Calibrations): [Calibration, FirstHit[]][] {
  return [
    [hybrid, hits.filter((hit) => !hit.foreign)],
    [foreign, hits.filter((hit) => hit.foreign)],
  ];
}

/** Expected and found shares of right first hits, each half of the questions calibrated by the other. */
export function reliabilityTable(questions: readonly JudgedQuestion[], sums: Sums): string {
  const hits = firstHits(questions, sums);
  const halves = [0, 1].map((half) => hits.filter((_, i) => i % 2 === half));
  const bins = reliabilityBins(halves.flatMap((half, i) => withProbabilities(half, fitCalibration(halves[1 - i]!))));
  const rows = bins.map(({ from, count, expected, right }) => {
    return [`${from}`, `${count}`, expected.toFixed(3), right.toFixed(3)];
  });
  const error = calibrationError(bins).toFixed(3);
  return `${markdownTable(['from', 'questions', 'expected', 'right'], rows)}\n\nerror: ${error}`;
}

function setsOf(questions: readonly JudgedQuestion[]): [name: string, questions: JudgedQuestion[]][] {
  const sets = new Map<string, JudgedQuestion[]>();
  for (const question of questions) {
    const of = sets.get(question.set);
    if (of === undefined) sets.set(question.set, [question]);
    else of.push(question);
  }
  return [...sets];
}

function fitOthers(questions: readonly JudgedQuestion[], name: string): Float64Array | undefined {
  const others = questions.filter(({ set }) => set !== name);
  return others.length === 0 ? undefined : fitListwise(others);
}

export function firstHits(questions: readonly JudgedQuestion[], sums: Sums): FirstHit[] {
  return questions.flatMap((question) => firstHit(question, sums(question)) ?? []);
}

function gainOf(question: JudgedQuestion, weights: Float64Array): number {
  const scores = scoresOf(question, weights);
  const order = [...scores.keys()].sort((a, b) => (scores[b] as number) - (scores[a] as number));
  const ideal = [...question.wanted].sort((a, b) => b - a);
  return ndcg(
    order.slice(0, 10).map((i) => question.gains[i] as number),
    ideal,
    10,
  );
}

function mean(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0) / figures.length;
}
