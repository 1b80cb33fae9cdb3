import type { Comparison, Interval, ModeEvaluation } from '../../src/evaluation/index.js';
import { markdownTable } from '../markdown-table.js';
import type { MeasuredRow } from './measure-set.js';
import { ROW_NAMES, ROW_TITLES } from './names.js';

/** A set and what engines found in it. */
export interface MeasuredSet {
  readonly title: string;
  readonly questions: number;
  readonly rows: readonly MeasuredRow[];
}

/** Graded requests: a row for each engine, and how much copies change. */
export function gradedTable({ title, questions, rows }: MeasuredSet): string {
  const head = [
    `${questions} ${questions === 1 ? 'request' : 'requests'} ${title}`,
    'nDCG@10',
    'useful@5',
    'first useful',
    'judged@10',
    'our hybrid is ahead by',
  ];
  const cells = rows.map(({ name, figures, ahead }) => [
    ROW_TITLES[name],
    withInterval(figures),
    ...['useful@5', 'useful@1', 'judged@10'].map((figure) => short(figures.figures[figure] ?? 0)),
    difference(ahead),
  ]);
  const most = Math.max(0, ...rows.map(gainWithoutCopies));
  const note = `With copies taken out of every ranking, no nDCG@10 is more than ${short(most)} higher.`;
  return `${markdownTable(head, cells)}\n\n${note}`;
}

function gainWithoutCopies({ figures, collapsed }: MeasuredRow): number {
  return (collapsed?.figures['ndcg@10'] ?? 0) - (figures.figures['ndcg@10'] ?? 0);
}

/** Given sets: nDCG@10 of each engine, a row for each set, and their mean. */
export function givenTable(sets: readonly MeasuredSet[]): string {
  const names = namesOf(sets);
  const figureOf = ({ rows }: MeasuredSet, name: string): number | undefined =>
    rows.find((row) => row.name === name)?.figures.figures['ndcg@10'];
  const rows = sets.map((set) => [titleOf(set), ...names.map((name) => short(figureOf(set, name)))]);
  const means = names.map((name) => short(mean(sets.map((set) => figureOf(set, name) ?? 0))));
  return markdownTable(
    ['nDCG@10', ...names.map((name) => ROW_TITLES[name])],
    [...rows, ['mean of the sets', ...means]],
  );
}

/** Given sets: how far hybrid search is ahead of each engine, a row for each set. */
export function aheadTable(sets: readonly MeasuredSet[]): string {
  const names = namesOf(sets).filter((name) => name !== 'hybrid');
  const rows = sets.map((set) => [
    titleOf(set),
    ...names.map((name) => difference(set.rows.find((row) => row.name === name)?.ahead)),
  ]);
  return markdownTable(['our hybrid is ahead by', ...names.map((name) => ROW_TITLES[name])], rows);
}

function namesOf(sets: readonly MeasuredSet[]): MeasuredRow['name'][] {
  return ROW_NAMES.filter((name) => sets.some(({ rows }) => rows.some((row) => row.name === name)));
}

const titleOf = ({ title, questions }: MeasuredSet): string => `${title} (${questions.toLocaleString('en')})`;

function withInterval({ figures, intervals }: ModeEvaluation): string {
  const [low, high] = intervals['ndcg@10'] ?? [0, 0];
  return `${short(figures['ndcg@10'])} (${short(low)}-${short(high)})`;
}

function difference(comparison: Comparison | undefined): string {
  if (comparison === undefined) return '';
  const [low, high]: Interval = comparison.interval;
  return `${signed(comparison.difference)} (${signed(low)} to ${signed(high)})`;
}

/** `.546`, and `1.000` where it is one. */
function short(value: number | undefined): string {
  return value === undefined ? '' : value.toFixed(3).replace(/^0\./, '.');
}

function signed(value: number): string {
  const text = short(Math.abs(value));
  return `${value < 0 && text !== '.000' ? '-' : '+'}${text}`;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
