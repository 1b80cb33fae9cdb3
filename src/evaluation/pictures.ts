import type { Interval } from './bootstrap.js';

/** Escapes a text for HTML and SVG, attributes included. */
export function escapeHtml(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, ' ')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** One bar: a mean from 0 to 1 and its interval. */
export interface Bar {
  readonly value: number;
  readonly interval: Interval;
}

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
export function barPicture(
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
export function depthPicture(curves: ReadonlyArray<readonly [name: string, values: readonly number[]]>): string {
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
export function differencePicture(differences: readonly number[]): string {
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
export const COLOURS = 6;

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
