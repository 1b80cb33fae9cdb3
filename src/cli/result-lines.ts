import type {
  CorrectedWord,
  FacetCounts,
  KeywordHit,
  KeywordResult,
  ListResult,
  MatchedTerms,
  Pagination,
  RankingFeature,
  ScoreParts,
  SemanticHit,
  SemanticResult,
  Snippet,
} from '../index.js';
import { blankUnsafe, oneLine } from './output.js';
import {
  ageOf,
  counted,
  fitColumns,
  grouped,
  pad,
  type Range,
  type Styles,
  widthOf,
  wrapLines,
  wrapRanges,
} from './text-columns.js';

const MAX_AUTHOR = 24;
const MAX_NAME = 48;

/** What to say when a later step than the first answered. */
const STEP_NOTES = {
  'all-words': undefined,
  'file-text': 'no skill has all words outside its files; these have them there',
  prefix: 'here the last word also begins longer ones',
  typo: 'no skill has all words; these have words of similar spelling',
  translated: 'no skill has all words; these have English ones for them',
  'some-words': 'no skill has all words; these have some of them',
} as const;

/** What to say where a question was too costly to finish. */
const TRUNCATED_NOTE = '(the question was too costly to finish: there may be more, and a better order)';

/** What is shown of a hit of either kind of search, or of a skill of a list. */
type Hit = Pick<KeywordHit, 'skill' | 'copies' | 'snippet'> | SemanticHit;

/**
 * A page of hits as text: for each a line with name, author, stars and age in columns, then the matching text.
 */
export function keywordLines(result: KeywordResult, columns: number, styles: Styles, explain: boolean): string[] {
  const { hits, pagination, step, truncated, corrected = [], translated = [] } = result;
  const cut = truncated === true ? [TRUNCATED_NOTE] : [];
  if (hits.length === 0) return [...cut.map(styles.dim), emptyPage(pagination)];
  const note = step === undefined ? undefined : STEP_NOTES[step];
  const readings = [...corrected, ...translated.map(({ asked, read }) => ({ asked, read: [read] }))].map(readingNote);
  const notes = [...cut, ...(note === undefined ? [] : [`(${note})`]), ...readings];
  return [
    ...notes.map(styles.dim),
    ...(notes.length === 0 ? [] : ['']),
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
function readingNote({ asked, read }: CorrectedWord): string {
  return `(read ${quoted(asked)} as ${read.map(quoted).join(' or ')})`;
}

function quoted(word: string): string {
  return `"${oneLine(word)}"`;
}

/** The hits of a semantic search as text, each with its score. */
export function semanticLines(result: SemanticResult, columns: number, styles: Styles): string[] {
  const { hits, ranking, worth, truncated, corrected = [], translated } = result;
  const notes = [...(truncated === true ? [TRUNCATED_NOTE] : []), ...corrected.map(readingNote)];
  if (hits.length === 0) return [...notes.map(styles.dim), NO_MATCH];
  if (translated !== undefined) notes.push(`(also looked for ${quoted(translated.map(({ read }) => read).join(' '))})`);
  if (worth === 0) notes.push('(no skill seems to fit; these come closest)');
  else if (worth < hits.length) notes.push(`(the first ${worth === 1 ? 'one fits' : `${worth} fit`} best)`);
  return [
    ...notes.map(styles.dim),
    ...(notes.length === 0 ? [] : ['']),
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
  reasonsOf: (hit: H) => string[],
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
        .flatMap((reason) => wrapLines(reason, columns - 2))
        .map((line) => `  ${line}`),
      '',
    ];
  });
}

function widest(texts: readonly string[]): number {
  return Math.max(...texts.map(widthOf));
}

function emptyPage({ page, total, totalPages }: Pagination): string {
  return total === 0 ? NO_MATCH : `There is no page ${page}: ${total} skills are on ${totalPages} pages.`;
}

function pageNote({ hits, pagination, truncated }: KeywordResult | (ListResult & { truncated?: never })): string {
  const { page, limit, total, totalPages } = pagination;
  const skills = `${truncated === true ? 'at least ' : ''}${counted(total, 'skill')}`;
  if (totalPages <= 1) return skills;
  const first = (page - 1) * limit + 1;
  return `${first} to ${first + hits.length - 1} of ${skills}, page ${page} of ${totalPages}`;
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

function semanticReasons(hit: SemanticHit): string[] {
  const { matches, filename, explain } = hit;
  if (explain === undefined) return [];
  const { features = [], evidence = 0, bm25, copies } = explain;
  const numbers = features
    .filter(({ weight, value }) => weight * value !== 0)
    .map(({ feature, value, weight, share }) => {
      return `${feature} ${value.toFixed(3)} x ${weight.toFixed(2)} (${Math.round(100 * share)} %)`;
    });
  if (evidence !== 0) numbers.push(`evidence ${evidence.toFixed(2)}`);
  const byField = Object.entries(bm25 ?? {}).flatMap(([field, part]) =>
    part > 0 ? [`${field} ${part.toFixed(2)}`] : [],
  );
  return [
    scoreReason(hit, explain),
    ...(numbers.length === 0 ? [] : [`${numbers.join(', ')}; file ${oneLine(filename)}`]),
    ...(byField.length === 0 ? [] : [`bm25: ${byField.join(', ')}`]),
    ...matchNotes(matches),
    ...(copies.length > 1 ? [`copies: ${copies.map(oneLine).join(' ')}`] : []),
  ];
}

function matchNotes(matches: MatchedTerms): string[] {
  return Object.entries(matches).map(([field, terms]) => `${field}: ${terms.map(oneLine).join(' ')}`);
}

/** Values that are shown of a facet. `--json` has all. */
const VALUES_SHOWN = 10;

const MAX_VALUE = 48;

/** The counts of an answer as text: for each facet its name, and a line for each value. None without counts. */
function facetLines(facets: FacetCounts | undefined, styles: Styles): string[] {
  return Object.entries(facets ?? {}).flatMap(([facet, counts]) => {
    const shown = counts.slice(0, VALUES_SHOWN);
    const values = shown.map(({ value }) => fitColumns(oneLine(value), MAX_VALUE));
    const numbers = shown.map(({ count }) => grouped(count));
    const [valueWidth, numberWidth] = [Math.max(0, ...values.map(widthOf)), Math.max(0, ...numbers.map(widthOf))];
    const left = counts.length - shown.length;
    return [
      '',
      styles.bold(facet),
      ...values.map((value, i) => `  ${pad(value, valueWidth)}  ${numbers[i]!.padStart(numberWidth)}`),
      ...(counts.length === 0 ? [`  ${styles.dim('none')}`] : []),
      ...(left === 0 ? [] : [`  ${styles.dim(`and ${left} more`)}`]),
    ];
  });
}

/** Words named in the sentence. The lines below it list all. */
const MAX_WORDS = 4;

/** Features of neither meaning nor words. */
const OF_THE_SKILL: ReadonlySet<RankingFeature> = new Set(['fileText', 'stars']);

/** Features of meaning. All others but {@link OF_THE_SKILL} are features of words. */
const OF_MEANING: ReadonlySet<RankingFeature> = new Set(['cosine', 'sentence', 'feedback']);

/** `a, b and c` */
function listed(parts: readonly string[]): string {
  return new Intl.ListFormat('en-GB').format(parts);
}

/** Why a skill is shown, in plain sentences. Percentages are parts of all that adds to the score. */
export function scoreReason(
  { matches, copies }: Pick<SemanticHit, 'matches' | 'copies'>,
  { name, cosine, coverage, bm25, features, usage }: ScoreParts,
): string {
  const reasons = [
    {
      what: 'its meaning',
      share: shareOf(features, OF_MEANING),
      facts: cosine === undefined ? undefined : [`cosine ${cosine.toFixed(2)}`],
    },
    { what: 'its words', share: shareOf(features), facts: (coverage ?? 0) > 0 ? wordFacts(matches, bm25) : undefined },
  ];
  const told = reasons
    .filter(({ share, facts }) => facts !== undefined && share !== 0)
    .sort((a, b) => (b.share ?? 0) - (a.share ?? 0))
    .map(({ what, share, facts = [] }, i) => {
      const percent = share === undefined ? [] : [`${Math.round(100 * share)} %${i === 0 ? ' of the score' : ''}`];
      const notes = [...percent, ...facts];
      return notes.length === 0 ? `for ${what}` : `for ${what} (${notes.join(': ')})`;
    });
  if (name !== 'other') told.unshift(`because its name ${name === 'exact' ? 'is' : 'begins with'} the question`);
  const noVector = features !== undefined && cosine === undefined;
  return [
    told.length === 0 ? 'Neither its meaning nor its words add to the score.' : `Shown ${listed(told)}.`,
    ...(noVector ? ['It has no vector, so a usual value stands for its meaning.'] : []),
    ...(coverage === 0 ? ["It has none of the question's words."] : []),
    ...(usage === undefined
      ? []
      : [`It was used for such questions, and so is ${counted(usage.places, 'place')} higher.`]),
    ...(copies > 1 ? [`It stands for ${grouped(copies)} copies.`] : []),
  ].join(' ');
}

/**
 * The share of some features in everything that adds to a score: of those of words, if none are named. Undefined where
 * hits are ranked by one thing alone. Features that lower a score do not count.
 */
function shareOf(features: ScoreParts['features'], of?: ReadonlySet<RankingFeature>): number | undefined {
  if (features === undefined) return undefined;
  const isMeant = (feature: RankingFeature): boolean =>
    of === undefined ? !OF_MEANING.has(feature) && !OF_THE_SKILL.has(feature) : of.has(feature);
  const adding = features.filter(({ share }) => share > 0);
  const sum = (parts: typeof adding): number => parts.reduce((all, { share }) => all + share, 0);
  return adding.length === 0 ? 0 : sum(adding.filter(({ feature }) => isMeant(feature))) / sum(adding);
}

/** `"react" and "testing" in name and description`. Files without a score only repeat the description. */
function wordFacts(matches: MatchedTerms, bm25: ScoreParts['bm25']): string[] {
  const counting = Object.entries(matches).filter(([field]) => field !== 'files' || bm25?.files !== 0);
  if (counting.length === 0) return [];
  const words = [...new Set(counting.flatMap(([, terms]) => terms))].map(quoted);
  const shown = words.length > MAX_WORDS ? [...words.slice(0, MAX_WORDS), `${words.length - MAX_WORDS} more`] : words;
  const fields = counting.map(([field]) => (field === 'files' ? 'file text' : field));
  return [`${listed(shown)} in ${listed(fields)}`];
}
