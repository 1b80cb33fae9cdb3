import { checkOptions, namesOf } from '../core/index.js';
import type { CopyMode } from '../index.js';
import type { GainFunction } from './benchmark.js';
import { type Comparison, extremesOf, type Interval, type QuestionDifference } from './compare.js';
import type { Evaluation } from './evaluate.js';
import type { Confidence, ConfidentShare, Figures, ModeEvaluation, Reliability } from './measures.js';

/** An evaluation as one object for JSON. Figures are rounded to six decimal places. */
export interface EvaluationSummary {
  /** Name of the benchmark. */
  readonly benchmark: string;
  /** Number of questions, without the unserved ones. */
  readonly queries: number;
  /** How gains counted in nDCG. Absent, as `copies`, if there are no grades and both are the defaults. */
  readonly gain?: GainFunction;
  /** What happened to copies. */
  readonly copies?: CopyMode;
  /** Means by the name of the mode or run. */
  readonly modes: Readonly<Record<string, Figures>>;
  /** The 95 % interval of each mean, by mode and figure. */
  readonly intervals: Readonly<Record<string, Readonly<Record<string, readonly [number, number]>>>>;
  /** Shares of confident answers by mode; absent unless measured. */
  readonly confident?: Readonly<Record<string, Confidence>>;
  /** By mode; absent unless measured. */
  readonly reliability?: Readonly<Record<string, Reliability>>;
  /** Absent without a baseline. */
  readonly comparisons?: readonly ComparisonSummary[];
  /** Figures by mode and question; only with the option `byQuery`. */
  readonly byQuery?: Readonly<Record<string, Readonly<Record<string, Figures>>>>;
}

/** A `Comparison` with the questions that differ most. */
export interface ComparisonSummary extends Omit<Comparison, 'name' | 'differences'> {
  readonly mode: string;
  readonly wonMost: readonly QuestionDifference[];
  readonly lostMost: readonly QuestionDifference[];
}

/** Options of {@link summarise}. */
export interface SummaryOptions {
  /** Whether to include the figures of each question. @default false */
  readonly byQuery?: boolean | undefined;
  /** How many of the questions won and lost most to include, 0 or more. @default 10 */
  readonly extremes?: number | undefined;
}

const OPTIONS = namesOf<SummaryOptions>({ byQuery: true, extremes: true });

/**
 * The figures of an evaluation, without runs and single questions.
 *
 * @example
 * import { evaluate, readBenchmark, readRun, summarise } from 'skill-discovery/evaluation';
 *
 * const benchmark = await readBenchmark('scifact');
 * const evaluation = await evaluate({ benchmark, runs: [{ name: 'mine', run: await readRun('mine.run') }] });
 * console.log(JSON.stringify(summarise(evaluation)));
 */
export function summarise(evaluation: Evaluation, options: SummaryOptions = {}): EvaluationSummary {
  checkOptions(options, OPTIONS);
  const { byQuery = false, extremes = 10 } = options;
  const { benchmark, modes, comparisons, gain, copies } = evaluation;
  const isUsual = benchmark.grades === undefined && gain === 'linear' && copies === 'keep';
  const byMode = <Part>(partOf: (mode: ModeEvaluation) => Part): Record<string, NonNullable<Part>> =>
    Object.fromEntries(modes.flatMap((mode) => [[mode.name, partOf(mode)]]).filter(([, part]) => part !== undefined));
  const [confident, reliability] = [byMode((mode) => mode.confident), byMode((mode) => mode.reliability)];
  const compared = comparisons.map(({ name: mode, differences: _, ...comparison }, i): ComparisonSummary => {
    const { won, lost } = extremesOf(comparisons[i]!, extremes);
    return { mode, ...comparison, wonMost: won, lostMost: lost };
  });
  return rounded({
    benchmark: benchmark.name,
    queries: benchmark.questions.length,
    ...(isUsual ? {} : { gain, copies }),
    modes: byMode(({ figures }) => figures),
    intervals: byMode(({ intervals }) => intervals),
    ...(Object.keys(confident).length === 0 ? {} : { confident }),
    ...(Object.keys(reliability).length === 0 ? {} : { reliability }),
    ...(compared.length === 0 ? {} : { comparisons: compared }),
    ...(byQuery ? { byQuery: byMode(({ byQuestion }) => Object.fromEntries(byQuestion)) } : {}),
  });
}

/** The same value with every number in it rounded. */
function rounded<Value>(value: Value): Value {
  if (typeof value === 'number') return (Math.round(value * 1e6) / 1e6) as Value;
  if (Array.isArray(value)) return value.map(rounded) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, rounded(one)])) as Value;
}

const EXTREMES = 15;

/**
 * An evaluation as one HTML page with pictures. The page needs no script, no other file and no network.
 *
 * @example
 * import { writeFile } from 'node:fs/promises';
 * import { evaluate, readBenchmark, readRun, reportPage } from 'skill-discovery/evaluation';
 *
 * const benchmark = await readBenchmark('scifact');
 * const evaluation = await evaluate({ benchmark, runs: [{ name: 'mine', run: await readRun('mine.run') }] });
 * await writeFile('report.html', reportPage(evaluation));
 */
export function reportPage(evaluation: Evaluation): string {
  const { benchmark, modes, comparisons } = evaluation;
  const title = `${benchmark.name}, ${benchmark.questions.length.toLocaleString('en')} questions`;
  const names = modes.map(({ name }) => name);
  const figures = Object.keys(modes[0]?.figures ?? {});
  const groups = figures.map((figure) => [figure, modes.map((mode) => barOf(mode, figure))] as const);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
${benchmark.remarks.map((remark) => `<p>${escapeHtml(remark)}</p>`).join('\n')}
<h2>Means with 95 % intervals</h2>
${legend(names)}
${barPicture(names, groups)}
${meansTable(modes, figures)}
${confidenceSection(modes)}
<h2>Recall by depth</h2>
${legend(names)}
${depthPicture(modes.map(({ name, recallByDepth }) => [name, recallByDepth] as const))}
${comparisons.map(comparisonSection).join('\n')}
</body>
</html>
`;
}

function barOf({ figures, intervals }: ModeEvaluation, figure: string) {
  return { value: figures[figure]!, interval: intervals[figure] ?? [0, 0] };
}

function legend(names: readonly string[]): string {
  const items = names.map((name, i) => `<li class="k${i % COLOURS}">${escapeHtml(name)}</li>`);
  return `<ul class="legend">${items.join('')}</ul>`;
}

/** Rows of cells as a table; a row's first cell heads it, and cells are HTML. */
function table(head: readonly string[], rows: ReadonlyArray<readonly [head: string, ...cells: string[]]>): string {
  const body = rows.map(([name, ...cells]) => `<tr><th>${escapeHtml(name)}</th>${cells.join('')}</tr>`);
  const heads = ['', ...head].map((name) => `<th>${escapeHtml(name)}</th>`).join('');
  return `<div class="wide"><table><tr>${heads}</tr>${body.join('')}</table></div>`;
}

function figureCell(value: number, [low, high]: Interval, more = ''): string {
  return `<td>${fixed(value)}<small> ${fixed(low)} to ${fixed(high)}${more}</small></td>`;
}

function meansTable(modes: readonly ModeEvaluation[], figures: readonly string[]): string {
  const cells = (mode: ModeEvaluation): string[] =>
    figures.map((figure) => figureCell(mode.figures[figure]!, mode.intervals[figure] ?? [0, 0]));
  return table(
    figures,
    modes.map((mode) => [mode.name, ...cells(mode)]),
  );
}

/** Empty if no mode was measured so. */
function confidenceSection(modes: readonly ModeEvaluation[]): string {
  const shares = modes.flatMap(({ name, confident }) => {
    if (confident === undefined) return [];
    const ofKinds = Object.entries(confident.byKind ?? {}).map(([kind, one]) => [`${name}, ${kind}`, one] as const);
    const all = [[name, confident] as const, ...ofKinds];
    return all.map(([head, { served, unserved }]) => [head, shareCell(served), shareCell(unserved)] as const);
  });
  if (shares.length === 0) return '';
  const calibrations = modes.flatMap(({ name, reliability }) =>
    reliability === undefined ? [] : [calibrationLine(name, reliability)],
  );
  return `<h2>Confident answers</h2>
${table(['served', 'unserved'], shares)}
${calibrations.join('\n')}`;
}

function shareCell({ share, confident, questions, interval }: ConfidentShare): string {
  return questions === 0 ? '<td>none asked</td>' : figureCell(share, interval, `, ${confident} of ${questions}`);
}

function calibrationLine(name: string, { score, useful, error, questions }: Reliability): string {
  const both = `mean score ${fixed(score)}, useful ${fixed(useful)}`;
  return `<p>First hits of ${escapeHtml(name)}: ${both}, calibration error ${fixed(error)} (${questions} questions).</p>`;
}

function comparisonSection(comparison: Comparison): string {
  const { name, baseline, metric, difference, interval, p, won, lost, tied, differences } = comparison;
  const most = extremesOf(comparison, EXTREMES);
  return `<h2>${escapeHtml(name)} against ${escapeHtml(baseline)}</h2>
<p>${escapeHtml(metric)}: ${signed(difference)} (95 % interval ${signed(interval[0])} to ${signed(interval[1])}), p = ${p.toFixed(4)} by a paired
randomisation test; ${won} won, ${lost} lost, ${tied} equal.</p>
${differencePicture(differences.map((one) => one.figure - one.baseline))}
${extremeTable('Won most', most.won, comparison)}
${extremeTable('Lost most', most.lost, comparison)}`;
}

function extremeTable(
  caption: string,
  questions: readonly QuestionDifference[],
  { name, baseline }: Comparison,
): string {
  if (questions.length === 0) return '';
  const rows = questions.map(({ id, text: asked, figure, baseline: other }): [string, ...string[]] => [
    signed(figure - other),
    ...[fixed(figure), fixed(other)].map((value) => `<td>${value}</td>`),
    ...[id, asked].map((value) => `<td class="text">${escapeHtml(value)}</td>`),
  ]);
  return `<h3>${caption}</h3>${table([name, baseline, 'id', 'question'], rows)}`;
}

function fixed(value: number): string {
  return value.toFixed(4);
}

function signed(value: number): string {
  return `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(4)}`;
}

const PALETTE = ['#4477aa', '#ee6677', '#228833', '#ccbb44', '#66ccee', '#aa3377'];

const STYLE = `
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
svg { width: 100%; height: auto; font: 12px system-ui, sans-serif; }
svg text { fill: currentColor; }
.grid { stroke: currentColor; opacity: .25; }
.interval { stroke: currentColor; fill: none; }
.line { fill: none; stroke-width: 2; }
.difference { stroke: #4477aa; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
td.text { text-align: left; overflow-wrap: anywhere; }
small { opacity: .7; white-space: nowrap; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 1rem; padding: 0; }
.legend li::before { content: ''; display: inline-block; width: .8em; height: .8em; margin-right: .4em; }
${PALETTE.map((colour, i) => `.c${i} { fill: ${colour}; } .l${i} { stroke: ${colour}; } .k${i}::before { background: ${colour}; }`).join('\n')}
`;

/** Escapes a text for HTML and SVG, attributes included. */
function escapeHtml(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, ' ')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** One bar: a mean from 0 to 1 and its interval. */
type Bar = ReturnType<typeof barOf>;

const WIDTH = 760;
const LEFT = 130;
const RIGHT = 60;
const PLOT = WIDTH - LEFT - RIGHT;
const BAR = 16;

/**
 * Bars from 0 to 1 with their intervals, in groups.
 *
 * @param groups one for each figure, with a bar for each of `names`, in that order
 */
function barPicture(
  names: readonly string[],
  groups: ReadonlyArray<readonly [figure: string, bars: readonly Bar[]]>,
): string {
  const height = groups.length * (names.length * BAR + 14) + 24;
  const x = (value: number): string => (LEFT + Math.min(1, Math.max(0, value)) * PLOT).toFixed(1);
  const parts = gridLines(x, height);
  let y = 6;
  for (const [figure, bars] of groups) {
    parts.push(text(LEFT - 8, y + (bars.length * BAR) / 2 + 4, figure, 'end'));
    for (const [i, { value, interval }] of bars.entries()) {
      const middle = y + BAR / 2;
      const title = `${names[i]}: ${figure} ${value.toFixed(4)}, ${interval[0].toFixed(4)} to ${interval[1].toFixed(4)}`;
      parts.push(
        `<g><title>${escapeHtml(title)}</title>`,
        `<rect class="c${i % COLOURS}" x="${LEFT}" y="${y + 1}" width="${(Number(x(value)) - LEFT).toFixed(1)}" height="${BAR - 3}"/>`,
        `<path class="interval" d="M${x(interval[0])} ${middle}H${x(interval[1])}M${x(interval[0])} ${middle - 4}v8M${x(interval[1])} ${middle - 4}v8"/>`,
        text(Number(x(Math.max(value, interval[1]))) + 5, middle + 4, value.toFixed(3), 'start'),
        '</g>',
      );
      y += BAR;
    }
    y += 14;
  }
  return svg(height, 'Means with 95 % intervals', parts);
}

/** Curves from 0 to 1 over the depths 1, 2, … on a logarithmic axis. */
function depthPicture(curves: ReadonlyArray<readonly [name: string, values: readonly number[]]>): string {
  const height = 300;
  const bottom = height - 30;
  const depth = Math.max(2, ...curves.map(([, values]) => values.length));
  const x = (k: number): number => LEFT + (Math.log(k) / Math.log(depth)) * PLOT;
  const y = (value: number): number => bottom - value * (bottom - 10);
  const parts: string[] = [];
  for (const value of [0, 0.25, 0.5, 0.75, 1]) {
    parts.push(`<path class="grid" d="M${LEFT} ${y(value).toFixed(1)}H${LEFT + PLOT}"/>`);
    parts.push(text(LEFT - 8, y(value) + 4, String(value), 'end'));
  }
  for (const k of [1, 2, 5, 10, 20, 50, 100].filter((one) => one <= depth)) {
    parts.push(text(x(k), bottom + 18, String(k), 'middle'));
  }
  for (const [i, [name, values]] of curves.entries()) {
    const points = values.map((value, at) => `${x(at + 1).toFixed(1)} ${y(value).toFixed(1)}`);
    parts.push(`<path class="line l${i % COLOURS}" d="M${points.join('L')}"><title>${escapeHtml(name)}</title></path>`);
  }
  return svg(height, 'Recall by depth', parts);
}

/** Differences from -1 to 1, the largest first, a bar for each question. */
function differencePicture(differences: readonly number[]): string {
  const height = 220;
  const zero = height / 2;
  const scale = Math.max(0.05, ...thin(differences).map(Math.abs));
  const y = (value: number): string => (zero - (value / scale) * (zero - 12)).toFixed(1);
  const shown = thin(differences);
  const width = PLOT / Math.max(1, shown.length);
  const bars = shown.map((value, i) => `M${(LEFT + (i + 0.5) * width).toFixed(2)} ${zero}V${y(value)}`);
  const parts = [
    text(LEFT - 8, 16, `+${scale.toFixed(2)}`, 'end'),
    text(LEFT - 8, zero + 4, '0', 'end'),
    text(LEFT - 8, height - 8, `-${scale.toFixed(2)}`, 'end'),
    `<path class="difference" stroke-width="${Math.max(0.5, width * 0.9).toFixed(2)}" d="${bars.join('')}"/>`,
    `<path class="grid" d="M${LEFT} ${zero}H${LEFT + PLOT}"/>`,
  ];
  return svg(height, 'Difference by question', parts);
}

/** Picks evenly spaced values if there are more than fit, with the first and the last. */
function thin(values: readonly number[]): readonly number[] {
  if (values.length <= PLOT * 2) return values;
  return Array.from({ length: PLOT }, (_, i) => values[Math.round((i * (values.length - 1)) / (PLOT - 1))]!);
}

/** Number of colours: the page has styles for the classes `c0` to `c5`, `l0` to `l5` and `k0` to `k5`. */
const COLOURS = 6;

function gridLines(x: (value: number) => string, height: number): string[] {
  return [0, 0.25, 0.5, 0.75, 1].flatMap((value) => [
    `<path class="grid" d="M${x(value)} 0V${height - 20}"/>`,
    text(Number(x(value)), height - 5, String(value), 'middle'),
  ]);
}

function text(x: number, y: number, content: string, anchor: 'start' | 'middle' | 'end'): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${escapeHtml(content)}</text>`;
}

function svg(height: number, label: string, parts: readonly string[]): string {
  return `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escapeHtml(label)}">${parts.join('')}</svg>`;
}
