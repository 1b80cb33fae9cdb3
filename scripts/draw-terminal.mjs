// Draws docs/pictures/search.svg: a terminal with two searches of the sample catalogue. The text is what the built
// command line prints, with its colours.
//
//     npm run build && node scripts/draw-terminal.mjs
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../dist/cli/run.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const COLUMNS = 100;
const COMMANDS = [
  ['search', 'release', 'notes', '--limit', '2'],
  ['search', '--mode', 'semantic', 'fill in the same web form again and again', '--limit', '2'],
];

/** The day on which the picture is drawn: the age of a skill must not change it. */
const NOW = Date.parse('2026-11-22T00:00:00Z');

const [CHARACTER, LINE, MARGIN, TOP] = [8.4, 20, 20, 44];
const STYLE = `
  .window { fill: #0d1117; stroke: #30363d }
  text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #e6edf3 }
  .bold { font-weight: 600 }
  .dim { fill: #8b949e }
  .match { fill: #d29922 }
  .prompt { fill: #3fb950 }`;

/** Classes by the number of a control sequence; any other number ends a style. */
const STYLES = { 1: 'bold', 2: 'dim', 32: 'prompt', 33: 'match' };

const lines = await record();
writeFileSync(join(root, 'docs/pictures/search.svg'), pictureOf(lines));

/** Runs the commands in a folder of their own; returns what a terminal shows, with its control sequences. */
async function record() {
  const folder = mkdtempSync(join(tmpdir(), 'skill-discovery-picture-'));
  const now = Date.now;
  try {
    process.chdir(folder);
    const sources = ['skills.jsonl', 'languages.jsonl'].map((name) => join(root, 'data/sample', name));
    await runHere(['load', ...sources]);
    Date.now = () => NOW;
    const shown = [];
    for (const words of COMMANDS) {
      const typed = words.map((word) => (word.includes(' ') ? `'${word}'` : word)).join(' ');
      shown.push(
        `\u001b[32m$\u001b[39m npx skill-discovery ${typed}`,
        ...(await runHere(words)).trimEnd().split('\n'),
        '',
      );
    }
    return shown.slice(0, -1);
  } finally {
    Date.now = now;
    process.chdir(root);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runHere(words) {
  let printed = '';
  const terminal = {
    isTTY: true,
    columns: COLUMNS,
    hasColors: () => true,
    write: (text) => {
      printed += text;
      return true;
    },
  };
  const status = await run(words, { out: terminal, error: process.stderr });
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}`);
  return printed;
}

function pictureOf(shown) {
  const [width, height] = [COLUMNS * CHARACTER + 2 * MARGIN, shown.length * LINE + TOP + MARGIN];
  const title = 'A terminal: a keyword search and a semantic search of the sample catalogue';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${round(width)} ${height}" width="${round(width)}" height="${height}" role="img">`,
    `<title>${title}</title>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="window" x=".5" y=".5" width="${round(width - 1)}" height="${height - 1}" rx="8"/>`,
    ...['#ff5f57', '#febc2e', '#28c840'].map(
      (fill, i) => `<circle cx="${MARGIN + 20 * i}" cy="18" r="6" fill="${fill}"/>`,
    ),
    ...shown.flatMap((line, i) => textsOf(line, TOP + i * LINE + 8)),
    '</svg>',
    '',
  ].join('\n');
}

/** One element for each stretch of one style without two blanks in a row. Its width is fixed: fonts differ. */
function textsOf(line, y) {
  const texts = [];
  let [column, style] = [0, ''];
  for (const [, code, plain] of line.matchAll(/\u001b\[(\d+)m|([^\u001b]+)/g)) {
    if (plain === undefined) {
      style = STYLES[code] ?? '';
      continue;
    }
    for (const { 0: text, index } of plain.matchAll(/\S+(?: \S+)*/g)) {
      const x = round(MARGIN + (column + index) * CHARACTER);
      const length = `textLength="${round(text.length * CHARACTER)}" lengthAdjust="spacingAndGlyphs"`;
      const named = style === '' ? '' : ` class="${style}"`;
      texts.push(`<text${named} x="${x}" y="${y}" ${length}>${escapeText(text)}</text>`);
    }
    column += plain.length;
  }
  return texts;
}

function escapeText(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function round(number) {
  return Math.round(number * 10) / 10;
}
