import { ndcg, separation } from '../../src/evaluation/index.js';
import { type Calibration, isConfident, probabilityOf } from '../../src/ranking/calibration.js';
import { markdownTable } from '../markdown-table.js';
import { calibrationError, type FirstHit, firstHit, fitCalibration, reliabilityOf, type Summed } from './first-hits.js';
import type { JudgedQuestion } from './judged-questions.js';
import { fitListwise, scoresOf } from './listwise.js';

type Sums = (question: JudgedQuestion) => Summed;

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

/** How well the first hit's probability tells what it is, by set. */
export function calibrationTable(questions: readonly JudgedQuestion[], sums: Sums, calibration: Calibration): string {
  const rows = setsOf(questions).map(([name, of]) => {
    const fittedToOthers = calibrateOthers(questions, name, sums) ?? calibration;
    const error = (by: Calibration): string => calibrationError(reliabilityOf(firstHits(of, sums), by)).toFixed(3);
    const right = mean(firstHits(of, sums).map((hit) => (hit.right ? 1 : 0)));
    const answerable = of.filter(({ gains }) => gains.some((gain) => gain > 0));
    const both = [false, true].map((without) =>
      answerable.map((question) => firstHit(question, sums(question), without)),
    );
    const [present, absent] = both.map((hits) =>
      Float64Array.from(hits, (hit) =>
        hit === undefined ? Number.NEGATIVE_INFINITY : probabilityOf(hit.sum, hit.others, calibration),
      ),
    ) as [Float64Array, Float64Array];
    const confident = both.map((hits) =>
      mean(hits.map((hit) => (hit !== undefined && isConfident(hit.sum, hit.others, hit.scale, calibration) ? 1 : 0))),
    );
    const figures = [right.toFixed(3), error(calibration), error(fittedToOthers)];
    const auroc = separation(present, absent).area.toFixed(3);
    return [name, ...figures, auroc, ...confident.map((share) => share.toFixed(2))];
  });
  const errors = ['error, fitted to all', 'error, fitted to the other sets'];
  const head = ['set', 'right', ...errors, 'AUROC with and without right answers', 'confident with', 'without'];
  return markdownTable(head, rows);
}

/** Expected and found shares of right first hits, each set calibrated by the others and counting the same. */
export function reliabilityTable(questions: readonly JudgedQuestion[], sums: Sums): string {
  const bins = new Map<number, { share: number; expected: number; right: number }>();
  const sets = setsOf(questions);
  for (const [name, of] of sets) {
    const calibration = calibrateOthers(questions, name, sums);
    if (calibration === undefined) continue;
    for (const { from, count, expected, right } of reliabilityOf(firstHits(of, sums), calibration)) {
      const bin = bins.get(from) ?? { share: 0, expected: 0, right: 0 };
      const share = count / of.length / sets.length;
      bins.set(from, {
        share: bin.share + share,
        expected: bin.expected + share * expected,
        right: bin.right + share * right,
      });
    }
  }
  const ordered = [...bins].sort(([a], [b]) => a - b);
  const error = ordered.reduce((sum, [, { expected, right }]) => sum + Math.abs(expected - right), 0);
  const rows = ordered.map(([from, { share, expected, right }]) => {
    const figures = [share, expected / share, right / share].map((figure) => figure.toFixed(3));
    return [`${from}`, ...figures];
  });
  return `${markdownTable(['from', 'share of questions', 'expected', 'right'], rows)}\n\nerror: ${error.toFixed(3)}`;
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

function calibrateOthers(questions: readonly JudgedQuestion[], name: string, sums: Sums): Calibration | undefined {
  const others = questions.filter(({ set }) => set !== name);
  return others.length === 0 ? undefined : fitCalibration(firstHits(others, sums));
}

function firstHits(questions: readonly JudgedQuestion[], sums: Sums): FirstHit[] {
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
