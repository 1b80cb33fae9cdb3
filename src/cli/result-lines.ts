import type {
  CorrectedWord,
  KeywordHit,
  KeywordResult,
  ListResult,
  MatchedTerms,
  Pagination,
  SemanticHit,
  SemanticResult,
  Snippet,
} from '../index.js';
import { ageOf } from './age.js';
import { counted } from './counted.js';
import { facetLines } from './facet-lines.js';
import { grouped } from './grouped.js';
import { scoreReason } from './score-reason.js';
import type { Styles } from './styles.js';
import { blankUnsafe, oneLine } from './terminal-text.js';
import { fitColumns, joinParts, pad, type Range, wrapRanges } from './text-columns.js';
import { widthOf } from './text-width.js';

const MAX_AUTHOR = 24;
const MAX_NAME = 48;

/** What to say when a later step than the first answered. */
const STEP_NOTES = {
  'all-words': undefined,
  'file-text': 'no skill has all words outside its files; these have them there',
  prefix: 'no skill has all words; in these the last one begins a longer word',
  typo: 'no skill has all words; these have words of similar spelling',
  'some-words': 'no skill has all words; these have some of them',
} as const;

/** What to say where a question was too costly to finish. */
const TRUNCATED_NOTE = 'the question was too costly to finish: there may be more, and a better order';

/** What is shown of a hit of either kind of search, or of a skill of a list. */
type Hit = Pick<KeywordHit, 'skill' | 'copies' | 'snippet'> | SemanticHit;

/** A text that may break between words, or parts that stay whole, each with its separator. */
type Reason = string | readonly string[];

/**
 * A page of hits as text: for each a line with name, author, stars and age in columns, then the matching text.
 */
export function keywordLines(result: KeywordResult, columns: number, styles: Styles, explain: boolean): string[] {
  const { hits, pagination, step, truncated, corrected = [] } = result;
  const cut = truncated === true ? [styles.dim(`(${TRUNCATED_NOTE})`)] : [];
  if (hits.length === 0) {
    return [...cut, emptyPage(pagination)];
  }
  const note = step === undefined ? undefined : STEP_NOTES[step];
  return [
    ...cut,
    ...(note === undefined ? [] : [styles.dim(`(${note})`)]),
    ...corrected.map((word) => styles.dim(`(${correctionOf(word)})`)),
    ...(cut.length === 0 && note === undefined ? [] : ['']),
    ...hitLines(hits, columns, styles, (hit) => (explain ? keywordReasons(hit, step) : [])),
    styles.dim(pageNote(result)),
    ...facetLines(result.facets, styles),
  ];
}

/** A page of a list as text: as {@link keywordLines}, with the description in place of the matching text. */
export function listLines(result: ListResult, columns: number, styles: Styles): string[] {
  const { hits, pagination, facets } = result;
  if (hits.length === 0) return [emptyPage(pagination)];
  const described = hits.map(({ skill, copies }): Hit => {
    return { skill, copies, snippet: { field: 'description', text: skill.description, highlights: [] } };
  });
  return [
    ...hitLines(described, columns, styles, () => []),
    styles.dim(pageNote(result)),
    ...facetLines(facets, styles),
  ];
}

/** What is said of a word that was read as others: `read "kuberntes" as "kubernetes"`. */
function correctionOf({ asked, read }: CorrectedWord): string {
  return `read ${quoted(asked)} as ${read.map(quoted).join(' or ')}`;
}

function quoted(word: string): string {
  return `"${oneLine(word)}"`;
}

/** The hits of a semantic search as text, each with its score. */
export function semanticLines(result: SemanticResult, columns: number, styles: Styles): string[] {
  const { hits, ranking, confident, truncated } = result;
  const cut = truncated === true ? [styles.dim(`(${TRUNCATED_NOTE})`)] : [];
  if (hits.length === 0) return [...cut, NO_MATCH];
  return [
    ...cut,
    ...(confident ? [] : [styles.dim('(no skill seems to fit; these come closest)')]),
    ...(cut.length === 0 && confident ? [] : ['']),
    ...hitLines(hits, columns, styles, semanticReasons),
    styles.dim(`the best ${hits.length === 1 ? 'one' : hits.length}, by ${BY_RANKING[ranking]}`),
  ];
}

const BY_RANKING = { hybrid: 'meaning and words', vector: 'meaning', words: 'words' } as const;

const NO_MATCH = 'No skill matches.';

function hitLines<H extends Hit>(
  hits: readonly H[],
  columns: number,
  styles: Styles,
  reasonsOf: (hit: H) => Reason[],
): string[] {
  const names = hits.map(({ skill }) => fitColumns(oneLine(skill.name), MAX_NAME));
  const authors = hits.map(({ skill }) => fitColumns(oneLine(skill.author), MAX_AUTHOR));
  const stars = hits.map(({ skill }) => `★ ${grouped(skill.stars)}`);
  const [nameWidth, authorWidth, starWidth] = [widest(names), widest(authors), widest(stars)];
  return hits.flatMap((hit, i) => {
    const name = styles.bold(pad(names[i]!, nameWidth));
    const score = 'fileId' in hit ? `${hit.score.toFixed(3)}  ` : '';
    const copies = hit.copies > 1 ? `  ${hit.copies} copies` : '';
    const facts = `${pad(authors[i]!, authorWidth)}  ${pad(stars[i]!, starWidth)}  ${ageOf(hit.skill.updatedAt)}${copies}`;
    return [
      `${score}${name}  ${facts}`,
      ...snippetLines(hit.snippet, columns - 2, styles).map((line) => `  ${line}`),
      `  ${styles.dim(fitColumns(oneLine(hit.skill.id), columns - 2))}`,
      // Whole, so that it can be copied.
      ...(hit.skill.localPath === undefined ? [] : [`  ${styles.dim(oneLine(hit.skill.localPath))}`]),
      ...reasonsOf(hit)
        .flatMap((reason) => wrapped(reason, columns - 2))
        .map((line) => `  ${line}`),
      '',
    ];
  });
}

function wrapped(reason: Reason, columns: number): string[] {
  const lines = typeof reason === 'string' ? [reason] : joinParts(reason, columns);
  return lines.flatMap((line) => wrapRanges(line, columns).map(([start, end]) => line.slice(start, end).trimEnd()));
}

function widest(texts: readonly string[]): number {
  return Math.max(...texts.map(widthOf));
}

function emptyPage({ page, total, totalPages }: Pagination): string {
  return total === 0 ? NO_MATCH : `There is no page ${page}: ${total} skills are on ${totalPages} pages.`;
}

function pageNote({
  hits,
  pagination,
  truncated,
}: Pick<KeywordResult, 'pagination' | 'truncated'> & { readonly hits: readonly unknown[] }): string {
  const { page, limit, total, totalPages } = pagination;
  const least = truncated === true ? 'at least ' : '';
  const skills = `${least}${counted(total, 'skill')}`;
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

/** A range of a text, with the marked parts emphasised. */
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

function keywordReasons({ matches, score }: KeywordHit, step: KeywordResult['step']): string[] {
  const parts = score === undefined ? [] : [`score ${score.toFixed(4)}`];
  return [[`step ${step}`, ...parts, ...matchNotes(matches)].join('; ')];
}

function semanticReasons(hit: SemanticHit): Reason[] {
  const { matches, filename, explain } = hit;
  if (explain === undefined) return [];
  const { features = [], bm25, copies } = explain;
  const counted = features.filter(({ weight, value }) => weight * value !== 0);
  const numbers = counted.map(
    ({ feature, value, weight, share }) =>
      `${feature} ${value.toFixed(3)} x ${weight.toFixed(2)} (${Math.round(100 * share)} %)`,
  );
  const byField = Object.entries(bm25 ?? {}).filter(([, part]) => part > 0);
  const bm25Parts = byField.map(([field, part]) => `${field} ${part.toFixed(2)}`);
  return [
    scoreReason(hit, explain),
    ...(numbers.length === 0 ? [] : [[...separated(numbers, '; '), `file ${oneLine(filename)}`]]),
    ...(bm25Parts.length === 0 ? [] : [['bm25: ', ...separated(bm25Parts, '')]]),
    ...matchNotes(matches),
    ...(copies.length > 1 ? [`copies: ${copies.map(oneLine).join(' ')}`] : []),
  ];
}

function separated(parts: readonly string[], end: string): string[] {
  return parts.map((part, i) => part + (i < parts.length - 1 ? ', ' : end));
}

function matchNotes(matches: MatchedTerms): string[] {
  return Object.entries(matches).map(([field, terms]) => `${field}: ${terms.map(oneLine).join(' ')}`);
}
