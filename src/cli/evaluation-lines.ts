import {
  type Comparison,
  type ConfidentShare,
  type Evaluation,
  extremesOf,
  type QuestionDifference,
  type Reliability,
} from '../evaluation/index.js';
import { oneLine } from './terminal-text.js';
import { alignColumns, fitColumns } from './text-columns.js';

const MAX_TEXT = 90;
const EXTREMES = 5;

/** A table of the means: a line for each mode, and below it the intervals. */
export function meansLines({ modes }: Evaluation): string[] {
  const figures = Object.keys(modes[0]?.figures ?? {});
  const rows = modes.flatMap(({ name, figures: means, intervals }) => [
    [oneLine(name), ...figures.map((figure) => means[figure]!.toFixed(4))],
    ['', ...figures.map((figure) => intervals[figure]?.map(short).join('-') ?? '')],
  ]);
  return [...alignColumns([['', ...figures], ...rows]), '', '(below each mean its 95 % interval)'];
}

/** How confident the answers of each mode are, and how far its scores are probabilities; nothing if not measured. */
export function confidenceLines({ modes }: Evaluation): string[] {
  const shares = modes.flatMap(({ name, confident }) =>
    confident === undefined
      ? []
      : [
          [oneLine(name), ...[confident.served, confident.unserved].map(shareOf)],
          ['', ...[confident.served, confident.unserved].map(intervalOf)],
        ],
  );
  const calibrations = modes.flatMap(({ name, reliability }) =>
    reliability === undefined ? [] : [calibrationLine(oneLine(name), reliability)],
  );
  return [
    ...(shares.length === 0 ? [] : ['', ...alignColumns([['', 'confident if served', 'if unserved'], ...shares])]),
    ...(calibrations.length === 0 ? [] : ['', ...calibrations]),
  ];
}

function shareOf({ share, confident, questions }: ConfidentShare): string {
  return questions === 0 ? 'none asked' : `${share.toFixed(4)} (${confident} of ${questions})`;
}

function intervalOf({ interval, questions }: ConfidentShare): string {
  return questions === 0 ? '' : interval.map(short).join('-');
}

function calibrationLine(name: string, { score, useful, error, questions }: Reliability): string {
  const both = `mean score ${score.toFixed(4)}, useful ${useful.toFixed(4)}`;
  return `first hits of ${name}: ${both}, calibration error ${error.toFixed(4)} (${questions} questions)`;
}

/** The difference of two rankings, how likely it is chance, and the questions that differ most. */
export function comparisonLines(comparison: Comparison): string[] {
  const { name, baseline, metric, difference, interval, p, won, lost, tied } = comparison;
  const most = extremesOf(comparison, EXTREMES);
  return [
    `${oneLine(name)} against ${oneLine(baseline)}: ${metric} ${signed(difference)} (${signed(interval[0])} to ${signed(interval[1])}), p = ${p.toFixed(4)}; ${won} won, ${lost} lost, ${tied} equal`,
    ...extremeLines('won most', most.won),
    ...extremeLines('lost most', most.lost),
  ];
}

/** A table with a line for each question and mode. */
export function queryLines({ benchmark, modes }: Evaluation): string[] {
  const figures = Object.keys(modes[0]?.byQuestion.values().next().value ?? {});
  const rows = benchmark.questions.flatMap(({ id }) =>
    modes.map(({ name, byQuestion }) => [
      oneLine(id),
      oneLine(name),
      ...figures.map((figure) => byQuestion.get(id)?.[figure]?.toFixed(4) ?? ''),
    ]),
  );
  return alignColumns([['query', 'mode', ...figures], ...rows]);
}

function extremeLines(caption: string, questions: readonly QuestionDifference[]): string[] {
  if (questions.length === 0) return [];
  const lines = questions.map(({ id, text, figure, baseline }) =>
    fitColumns(`    ${signed(figure - baseline)}  ${oneLine(id)}  ${oneLine(text)}`, MAX_TEXT),
  );
  return [`  ${caption}`, ...lines];
}

function short(value: number): string {
  return value.toFixed(3).replace(/^0/, '');
}

function signed(value: number): string {
  return `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(4)}`;
}
