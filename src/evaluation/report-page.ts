import { type Comparison, extremesOf, type QuestionDifference } from './compare.js';
import type { ConfidentShare, Reliability } from './confidence.js';
import type { Evaluation } from './evaluate.js';
import type { ModeEvaluation } from './measure-run.js';
import { type Bar, barPicture, COLOURS, depthPicture, differencePicture, escapeHtml } from './pictures.js';

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

function barOf({ figures, intervals }: ModeEvaluation, figure: string): Bar {
  return { value: figures[figure]!, interval: intervals[figure] ?? [0, 0] };
}

function legend(names: readonly string[]): string {
  const items = names.map((name, i) => `<li class="k${i % COLOURS}">${escapeHtml(name)}</li>`);
  return `<ul class="legend">${items.join('')}</ul>`;
}

function meansTable(modes: readonly ModeEvaluation[], figures: readonly string[]): string {
  const rows = modes.map(({ name, figures: means, intervals }) => {
    const cells = figures.map((figure) => {
      const [low, high] = intervals[figure] ?? [0, 0];
      return `<td>${fixed(means[figure]!)}<small> ${fixed(low)} to ${fixed(high)}</small></td>`;
    });
    return `<tr><th>${escapeHtml(name)}</th>${cells.join('')}</tr>`;
  });
  const head = figures.map((figure) => `<th>${escapeHtml(figure)}</th>`).join('');
  return `<div class="wide"><table><tr><th></th>${head}</tr>${rows.join('')}</table></div>`;
}

/** Empty if no mode was measured so. */
function confidenceSection(modes: readonly ModeEvaluation[]): string {
  const shares = modes.flatMap(({ name, confident }) =>
    confident === undefined
      ? []
      : [`<tr><th>${escapeHtml(name)}</th>${shareCell(confident.served)}${shareCell(confident.unserved)}</tr>`],
  );
  if (shares.length === 0) return '';
  const calibrations = modes.flatMap(({ name, reliability }) =>
    reliability === undefined ? [] : [calibrationLine(name, reliability)],
  );
  return `<h2>Confident answers</h2>
<div class="wide"><table><tr><th></th><th>served</th><th>unserved</th></tr>${shares.join('')}</table></div>
${calibrations.join('\n')}`;
}

function shareCell({ share, confident, questions, interval: [low, high] }: ConfidentShare): string {
  if (questions === 0) return '<td>none asked</td>';
  return `<td>${fixed(share)}<small> ${fixed(low)} to ${fixed(high)}, ${confident} of ${questions}</small></td>`;
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
  const rows = questions.map(
    (one) =>
      `<tr><td>${signed(one.figure - one.baseline)}</td><td>${fixed(one.figure)}</td><td>${fixed(one.baseline)}</td>` +
      `<td class="text">${escapeHtml(one.id)}</td><td class="text">${escapeHtml(one.text)}</td></tr>`,
  );
  const head = `<tr><th>difference</th><th>${escapeHtml(name)}</th><th>${escapeHtml(baseline)}</th><th>id</th><th>question</th></tr>`;
  return `<h3>${caption}</h3><div class="wide"><table>${head}${rows.join('')}</table></div>`;
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
