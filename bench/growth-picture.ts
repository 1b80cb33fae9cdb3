/** A line of a panel: a figure above 0 for each size. */
interface Line {
  readonly name: string;
  readonly points: readonly (readonly [size: number, figure: number])[];
}

export interface Panel {
  readonly title: string;
  readonly lines: readonly Line[];
}

const [WIDTH, HEIGHT] = [420, 280];
const [LEFT, RIGHT, TOP, BOTTOM] = [56, 36, 40, 48];
const COLUMNS = 2;

/** Colours that stand out on white and on black, and can be told apart without red and green. */
const STYLE = `
  .back { fill: #ffffff }
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600; font-size: 14px }
  .grid { stroke: #d0d7de; stroke-width: 1 }
  .line { fill: none; stroke-width: 2 }
  .c0 { stroke: #0969da } .c1 { stroke: #bc4c00 } .c2 { stroke: #8250df }
  .d0 { fill: #0969da } .d1 { fill: #bc4c00 } .d2 { fill: #8250df }
  @media (prefers-color-scheme: dark) {
    .back { fill: #0d1117 }
    text { fill: #e6edf3 }
    .grid { stroke: #30363d }
    .c0 { stroke: #58a6ff } .c1 { stroke: #f0883e } .c2 { stroke: #bc8cff }
    .d0 { fill: #58a6ff } .d1 { fill: #f0883e } .d2 { fill: #bc8cff }
  }`;

/** Panels of lines over the number of skills, both axes logarithmic, as an SVG document. */
export function growthPicture(panels: readonly Panel[]): string {
  const rows = Math.ceil(panels.length / COLUMNS);
  const [width, height] = [WIDTH * Math.min(COLUMNS, panels.length), HEIGHT * rows];
  const drawn = panels.map((panel, i) => {
    const place = `translate(${(i % COLUMNS) * WIDTH} ${Math.floor(i / COLUMNS) * HEIGHT})`;
    return `<g transform="${place}">${drawPanel(panel)}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escapeText(panels.map(({ title }) => title).join('; '))}</title>`,
    `<style>${STYLE}\n</style>`,
    // Of its own: whoever shows the picture may be dark where the viewer's system is light.
    `<rect class="back" width="${width}" height="${height}"/>`,
    ...drawn,
    '</svg>',
    '',
  ].join('\n');
}

function drawPanel({ title, lines }: Panel): string {
  const points = lines.flatMap((line) => line.points);
  const x = axis(
    points.map(([size]) => size),
    LEFT,
    WIDTH - RIGHT,
  );
  const y = axis(
    points.map(([, figure]) => figure),
    HEIGHT - BOTTOM,
    TOP,
  );
  const parts = [`<text class="title" x="${LEFT}" y="18">${escapeText(title)}</text>`];
  const middle = (LEFT + WIDTH - RIGHT) / 2;
  parts.push(`<text x="${middle}" y="${HEIGHT - BOTTOM + 34}" text-anchor="middle">skills</text>`);
  for (const tick of x.ticks) {
    const at = x.place(tick);
    parts.push(`<line class="grid" x1="${at}" y1="${TOP}" x2="${at}" y2="${HEIGHT - BOTTOM}"/>`);
    parts.push(`<text x="${at}" y="${HEIGHT - BOTTOM + 16}" text-anchor="middle">${label(tick)}</text>`);
  }
  for (const tick of y.ticks) {
    const at = y.place(tick);
    parts.push(`<line class="grid" x1="${LEFT}" y1="${at}" x2="${WIDTH - RIGHT}" y2="${at}"/>`);
    parts.push(`<text x="${LEFT - 6}" y="${at + 4}" text-anchor="end">${label(tick)}</text>`);
  }
  for (const [i, line] of lines.entries()) {
    const path = line.points.map(([size, figure]) => `${x.place(size)},${y.place(figure)}`);
    parts.push(`<polyline class="line c${i}" points="${path.join(' ')}"/>`);
    for (const place of path) {
      const [cx, cy] = place.split(',');
      parts.push(`<circle class="d${i}" cx="${cx}" cy="${cy}" r="3"/>`);
    }
    if (lines.length > 1) {
      const at = LEFT + i * 120;
      parts.push(`<circle class="d${i}" cx="${at + 4}" cy="30" r="4"/>`);
      parts.push(`<text x="${at + 12}" y="34">${escapeText(line.name)}</text>`);
    }
  }
  return parts.join('');
}

interface Axis {
  /** Powers of ten. */
  readonly ticks: readonly number[];
  readonly place: (figure: number) => number;
}

/** From the power of ten below the least figure to the one above the largest. */
function axis(figures: readonly number[], from: number, to: number): Axis {
  const logs = figures.filter((figure) => figure > 0).map((figure) => Math.log10(figure));
  const first = logs.length === 0 ? 0 : Math.floor(Math.min(...logs) + 1e-9);
  const last = logs.length === 0 ? first + 1 : Math.max(first + 1, Math.ceil(Math.max(...logs) - 1e-9));
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
  const place = (figure: number): number => {
    const share = (Math.log10(Math.max(figure, 10 ** first)) - first) / (last - first);
    return Math.round((from + share * (to - from)) * 10) / 10;
  };
  return { ticks, place };
}

function label(figure: number): string {
  return figure >= 1 ? figure.toLocaleString('en') : String(Number(figure.toPrecision(1)));
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
