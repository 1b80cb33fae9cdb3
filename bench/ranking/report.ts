import { ndcg } from '../../src/evaluation/index.js';
import { markdownTable } from '../markdown-table.js';
import type { JudgedQuestion } from './judged-questions.js';
import { fitListwise, scoresOf } from './listwise.js';

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
