import type { KeywordHit, KeywordResult, Snippet } from '../index.js';
import { ageOf } from './age.js';
import type { Styles } from './styles.js';
import { blankUnsafe, fitColumns, oneLine, pad, type Range, widthOf, wrapRanges } from './terminal-text.js';

const MAX_AUTHOR = 24;
const MAX_NAME = 48;

/** What the steps after the first are called when one of them answered. */
const STEP_NOTES = {
  'all-words': undefined,
  'file-text': 'no skill has all words in name or description; these have them with the text of their files',
  prefix: 'no skill has all words; in these the last one begins a word',
  typo: 'no skill has all words; these have similar ones',
  'some-words': 'no skill has all words; these have some of them',
} as const;

/**
 * The hits of a page as text: a line with name, author, stars and age in columns, and below it the line that matches.
 */
export function resultLines(result: KeywordResult, columns: number, styles: Styles, explain: boolean): string[] {
  const { hits, pagination, step } = result;
  if (hits.length === 0) {
    return [
      pagination.total === 0
        ? 'No skill matches.'
        : `There is no page ${pagination.page}: ${pagination.total} skills are on ${pagination.totalPages} pages.`,
    ];
  }
  const names = hits.map(({ skill }) => fitColumns(oneLine(skill.name), MAX_NAME));
  const authors = hits.map(({ skill }) => fitColumns(oneLine(skill.author), MAX_AUTHOR));
  const stars = hits.map(({ skill }) => `★ ${skill.stars.toLocaleString('en')}`);
  const [nameWidth, authorWidth, starWidth] = [widest(names), widest(authors), widest(stars)];
  const lines: string[] = [];
  const note = step === undefined ? undefined : STEP_NOTES[step];
  if (note !== undefined) lines.push(styles.dim(`(${note})`), '');
  hits.forEach((hit, i) => {
    const name = styles.bold(pad(names[i] as string, nameWidth));
    const copies = hit.copies > 1 ? `  ${hit.copies} copies` : '';
    const facts = `${pad(authors[i] as string, authorWidth)}  ${pad(stars[i] as string, starWidth)}  ${ageOf(hit.skill.updatedAt)}${copies}`;
    lines.push(`${name}  ${facts}`);
    lines.push(...snippetLines(hit.snippet, columns - 2, styles).map((line) => `  ${line}`));
    lines.push(`  ${styles.dim(fitColumns(oneLine(hit.skill.id), columns - 2))}`);
    if (explain) lines.push(...explainLines(hit, result).map((line) => `  ${fitColumns(line, columns - 2)}`));
    lines.push('');
  });
  lines.push(styles.dim(pageNote(result)));
  return lines;
}

function widest(texts: readonly string[]): number {
  return Math.max(...texts.map(widthOf));
}

function pageNote({ hits, pagination }: KeywordResult): string {
  const { page, limit, total, totalPages } = pagination;
  const skills = `${total.toLocaleString('en')} ${total === 1 ? 'skill' : 'skills'}`;
  if (totalPages <= 1) return skills;
  const first = (page - 1) * limit + 1;
  const shown = hits.length === 0 ? '' : `${first} to ${first + hits.length - 1} of `;
  return `${shown}${skills}, page ${page} of ${totalPages}`;
}

const MAX_SNIPPET_LINES = 2;

function snippetLines(snippet: Snippet, columns: number, styles: Styles): string[] {
  const where = snippet.filename === undefined ? '' : `${oneLine(snippet.filename)}: `;
  const text = where + blankUnsafe(snippet.text);
  const marks = snippet.highlights.map(([start, end]): Range => [start + where.length, end + where.length]);
  const ranges = wrapRanges(text, columns - 1);
  const lines = ranges.slice(0, MAX_SNIPPET_LINES).map((range) => markedLine(text, range, marks, styles).trimEnd());
  if (ranges.length > MAX_SNIPPET_LINES && lines.at(-1)?.endsWith('…') === false) lines.push(`${lines.pop()}…`);
  return lines;
}

/** A stretch of a text in which what is marked is emphasised. */
function markedLine(text: string, [from, to]: Range, marks: readonly Range[], styles: Styles): string {
  let line = '';
  let done = from;
  for (const [start, end] of marks) {
    const [first, last] = [Math.max(start, done), Math.min(end, to)];
    if (first >= last) continue;
    line += text.slice(done, first) + styles.match(text.slice(first, last));
    done = last;
  }
  return line + text.slice(done, to);
}

function explainLines({ matches, score }: KeywordHit, { step }: KeywordResult): string[] {
  const fields = Object.entries(matches).map(([field, terms]) => `${field}: ${terms.map(oneLine).join(' ')}`);
  const parts = score === undefined ? [] : [`score ${score.toFixed(4)}`];
  return [[`step ${step}`, ...parts, ...fields].join('; ')];
}
