import { type Comparison, type Evaluation, extremesOf, type QuestionDifference } from '../evaluation/index.js';
import { oneLine } from './terminal-text.js';
import { fitColumns, pad, widthOf } from './text-columns.js';

const MAX_TEXT = 90;
const EXTREMES = 5;

/** A table of the means: a line for each mode, and one below with the interval of each. */
export function meansLines({ modes }: Evaluation): string[] {
  const figures = Object.keys(modes[0]?.figures ?? {});
  const rows = modes.flatMap(({ name, figures: means, intervals }) => [
    [oneLine(name), ...figures.map((figure) => means[figure]!.toFixed(4))],
    ['', ...figures.map((figure) => intervals[figure]?.map(short).join('-') ?? '')],
  ]);
  return [...table([['', ...figures], ...rows]), '', '(below each mean its 95 % interval)'];
}

/** Whether a difference is real, and where it comes from. */
export function comparisonLines(comparison: Comparison): string[] {
  const { name, baseline, metric, difference, interval, p, won, lost, tied } = comparison;
  const most = extremesOf(comparison, EXTREMES);
  return [
    `${oneLine(name)} against ${oneLine(baseline)}: ${metric} ${signed(difference)} (${signed(interval[0])} to ${signed(interval[1])}), p = ${p.toFixed(4)}; ${won} won, ${lost} lost, ${tied} equal`,
    ...extremeLines('won most', most.won),
    ...extremeLines('lost most', most.lost),
  ];
}

/** A line for each question and mode, in columns. */
export function queryLines({ benchmark, modes }: Evaluation): string[] {
  const figures = Object.keys(modes[0]?.byQuestion.values().next().value ?? {});
  const rows = benchmark.questions.flatMap(({ id }) =>
    modes.map(({ name, byQuestion }) => [
      oneLine(id),
      oneLine(name),
      ...figures.map((figure) => byQuestion.get(id)?.[figure]?.toFixed(4) ?? ''),
    ]),
  );
  return table([['query', 'mode', ...figures], ...rows]);
}

function extremeLines(caption: string, questions: readonly QuestionDifference[]): string[] {
  if (questions.length === 0) return [];
  const lines = questions.map(({ id, text, figure, baseline }) =>
    fitColumns(`    ${signed(figure - baseline)}  ${oneLine(id)}  ${oneLine(text)}`, MAX_TEXT),
  );
  return [`  ${caption}`, ...lines];
}

function table(rows: ReadonlyArray<readonly string[]>): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((most, row) => Math.max(most, widthOf(row[column] ?? '')), 0),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}

function short(value: number): string {
  return value.toFixed(3).replace(/^0/, '');
}

function signed(value: number): string {
  return `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(4)}`;
}
