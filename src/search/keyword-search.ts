import {
  allPieces,
  checkInteger,
  checkOptions,
  type DocumentNumber,
  invalidArgument,
  MAX_KEYWORD_QUERY_LENGTH,
  namesOf,
  optionOf,
  readWords,
  stemOf,
  topOf,
} from '../core/index.js';
import {
  type CountedText,
  completeWord,
  FIELD_WEIGHTS,
  type GlossQuestion,
  glossQuestion,
  type KeywordMatches,
  readAsked,
  readQuestion,
  type ScoredDocuments,
  Work,
} from '../keyword/index.js';
import {
  type KeywordQuery,
  type ResolvedKeywordQuery,
  resolveKeywordQuery,
  resolveSemanticQuery,
  type SemanticQuery,
} from '../query.js';
import type {
  DamagedSkill,
  KeywordHit,
  KeywordResult,
  KeywordStep,
  Pagination,
  Suggestion,
  TranslatedWords,
} from '../result.js';
import {
  type CatalogueColumns,
  type CatalogueReader,
  CopiesAmong,
  collapseCopies,
  copyPreference,
} from '../store/index.js';
import { facetPart } from './facets.js';
import { copyIds, damagedPart, readShown, toKeywordHit } from './hits.js';
import { once, oncePer } from './once.js';
import type { OpenState } from './open-state.js';
import { filterMask } from './ranking/filter-mask.js';
import { comparatorOf, partOf } from './ranking/ranks.js';
import type { KeywordRecords, SuggestOptions, WordCandidate } from './skill-search.js';

/**
 * The most text of files that the matched terms of one page of a keyword search are looked for in, in characters, and
 * the snippets. Hits share it equally, so what one of them says does not depend on which others were looked at.
 */
export const EXPLAINED_TEXT: number = 1024 * 1024;

/** Answers a keyword query with hits; see `SkillSearch.keyword`. */
export function searchByKeywords(state: OpenState, query: KeywordQuery): KeywordResult {
  const { reader } = state;
  const resolved = resolveKeywordQuery(query);
  // All of it at once: matching may read a name, and a transaction takes as long as a record.
  return reader.reading(() => {
    const { matches, english, scoreOf, copiesOf, documents, pagination, truncation } = findPage(state, resolved);
    // It is taken from the index at once: a caller may look at a hit, or keep it, long after the search was closed, and
    // must not keep the index in memory.
    const matcher = { step: matches.step, accepts: matches.accepting() };
    const mostText = Math.floor(EXPLAINED_TEXT / documents.length);
    const toHit = (document: DocumentNumber): KeywordHit =>
      toKeywordHit(reader, document, { score: scoreOf(document), copies: copiesOf(document) }, matcher, mostText);
    const damaged: DamagedSkill[] = [];
    const corrected = matches.corrected();
    const translated = matches.step === 'translated' ? translatedWords(english()!, matches) : [];
    return {
      ...stepOf(matches),
      ...truncation,
      hits: readShown(documents, toHit, damaged),
      pagination,
      ...(corrected.length === 0 ? {} : { corrected }),
      ...(translated.length === 0 ? {} : { translated }),
      ...facetPart(reader, () => matches.documents, resolved),
      ...damagedPart(reader, damaged),
    };
  });
}

/** Answers a keyword query with the stored JSON texts of skills; see `SkillSearch.keywordRecords`. */
export function searchRecordsByKeywords(state: OpenState, query: ResolvedKeywordQuery): KeywordRecords {
  const { reader } = state;
  const { matches, documents, pagination, truncation } = findPage(state, query);
  const damaged: DamagedSkill[] = [];
  const records =
    readRecords(reader, documents) ??
    reader.reading(() => readShown(documents, (document) => reader.record(document), damaged));
  return { ...stepOf(matches), ...truncation, records, pagination, ...damagedPart(reader, damaged) };
}

/** The records of a page if all of them are kept in memory: without opening a transaction, which takes as long. */
function readRecords(reader: CatalogueReader, documents: readonly DocumentNumber[]): string[] | undefined {
  const records = documents.map((document) => reader.keptRecord(document));
  return records.every((record) => record !== undefined) ? records : undefined;
}

/** The documents on one page of an answer. */
interface KeywordPage {
  readonly matches: KeywordMatches;
  /** The question in English, if it is in another language. */
  readonly english: () => GlossQuestion | undefined;
  /** Undefined unless the order is by relevance. Valid until the next query. */
  readonly scoreOf: (document: DocumentNumber) => number | undefined;
  /** How many matching documents a document stands for, itself included. */
  readonly copiesOf: (document: DocumentNumber) => number;
  /** In the order of the page. */
  readonly documents: readonly DocumentNumber[];
  readonly pagination: Pagination;
  readonly truncation: { readonly truncated?: true };
}

function findPage({ reader, keywordIndex, how }: OpenState, resolved: ResolvedKeywordQuery): KeywordPage {
  const { page, limit, sortBy } = resolved;
  const { columns } = reader;
  const work = Work.forQuestion(columns.size);
  const question = readAsked(keywordIndex, resolved, how.stopWords, true);
  // What stands in quotation marks is wanted as it stands.
  const isRead = how.gloss && question.phrases.length === 0;
  // Finding out the language takes time, so only when it is asked for.
  const english = once(() => (isRead ? glossQuestion(question.text, question, how.stopWords) : undefined));
  const matches = keywordIndex.match(question, {
    filter: filterMask(columns, resolved),
    scored: sortBy === 'relevance',
    work,
    inEnglish: english,
    corrections: resolved.corrections,
  });

  const copies =
    resolved.copies === 'collapse'
      ? new CopiesAmong(matches.documents, columns.copyGroup, copyPreference(columns))
      : undefined;
  const isShown = (document: DocumentNumber): boolean => copies?.isKept(document) ?? true;
  const total = copies?.total ?? matches.documents.length;
  const [from, to] = [(page - 1) * limit, Math.min(page * limit, total)];
  // A page behind the last one needs no scores.
  const best = from < total ? matches.best?.({ count: to, isShown }) : undefined;
  const scores = best === undefined ? undefined : byDocument(best, columns);
  const order = comparatorOf(sortBy, columns, (document) => scores![document]!);
  const documents =
    sortBy === 'recent'
      ? partOf(matches.documents, isShown, from, to)
      : topOf(best?.documents ?? matches.documents, order, from, Math.max(0, to - from), isShown);
  return {
    matches,
    english,
    scoreOf: (document) => scores?.[document],
    copiesOf: (document) => copies?.countOf(document) ?? 1,
    documents,
    pagination: { page, limit, total, totalPages: Math.ceil(total / limit) },
    truncation: work.truncated ? { truncated: true } : {},
  };
}

function stepOf({ step }: KeywordMatches): { readonly step?: KeywordStep } {
  return step === undefined ? {} : { step };
}

/** What of a question was read as other words: of these only what was looked for. */
function translatedWords({ parts }: GlossQuestion, { words }: KeywordMatches): TranslatedWords[] {
  const terms = new Set(words.flatMap((word) => word.terms));
  const isLookedFor = (text: string): boolean => readWords(text).some(({ term }) => terms.has(term));
  return parts
    .map(({ asked, read }) => ({ asked, read: read.split(' ').filter(isLookedFor).join(' ') }))
    .filter(({ read }) => read !== '');
}

/** For each catalogue an array with room for a score of every document, used again by each query. */
const scoreSpace = oncePer(({ size }: CatalogueColumns) => new Float64Array(size));

/** Scores by document number. Entries of other documents are left over from former queries. */
function byDocument({ documents, scores }: ScoredDocuments, columns: CatalogueColumns): Float64Array {
  const space = scoreSpace(columns);
  for (let i = 0; i < documents.length; i++) space[documents[i]!] = scores[i]!;
  return space;
}

/** See `CatalogueSearch.wordCandidates`. */
export function wordCandidates(
  { reader, keywordIndex, how }: OpenState,
  query: SemanticQuery,
  limit: number,
): readonly WordCandidate[] {
  const resolved = resolveSemanticQuery(query);
  const { columns } = reader;
  const ranked = allPieces(
    keywordIndex.rank(readQuestion(resolved.q, how.stopWords), {
      weights: FIELD_WEIGHTS,
      limit,
      filter: filterMask(columns, resolved),
      work: Work.forQuestion(columns.size),
    }),
  );
  const { documents } = collapseCopies(ranked.documents, columns.copyGroup, copyPreference(columns));
  return Array.from(documents.slice().sort(), (document) => ({
    skill: JSON.parse(reader.record(document)) as WordCandidate['skill'],
    copies: () => copyIds(reader, document, 0, columns.size),
  }));
}

/** The greatest `limit` of suggestions. More are not read while somebody types. */
const MAX_SUGGESTIONS = 20;

const DEFAULT_SUGGESTIONS = 8;

const SUGGEST_OPTIONS = namesOf<SuggestOptions>({ limit: true });

/** How a question may go on; see `SkillSearch.suggest`. */
export function suggestQuestions(
  { keywordIndex, how }: OpenState,
  text: string,
  options: SuggestOptions = {},
): Suggestion[] {
  if (typeof text !== 'string') throw invalidArgument(optionOf('text'), 'a string', text);
  checkOptions(options, SUGGEST_OPTIONS);
  const limit = checkInteger(optionOf('limit'), options.limit, 1, MAX_SUGGESTIONS) ?? DEFAULT_SUGGESTIONS;
  const typed = text.trimStart();
  // No search takes a longer question. UTF-16 units first, so that a text of megabytes costs nothing.
  if (typed.length > 2 * MAX_KEYWORD_QUERY_LENGTH || [...typed].length > MAX_KEYWORD_QUERY_LENGTH) return [];
  const phrases = phrasesOf(keywordIndex.namesBeginning(typed, MAX_NAMES), typed);
  const known = new Set(phrases.map(({ text }) => text.toLowerCase()));
  const words = phrases.length < limit ? completeWord(keywordIndex, typed, how.stopWords) : [];
  const others = words.filter(({ text }) => !known.has(text.toLowerCase()));
  return [...phrases, ...others.map(({ text, count }): Suggestion => ({ text, kind: 'word', count }))].slice(0, limit);
}

/** The most frequent names that begin with a text, of which phrases are made. */
const MAX_NAMES = 512;

/**
 * Names as people say them, and what several of them begin with: two words, or as many as were typed. The most frequent
 * come first. Of the forms of one text there is one.
 */
function phrasesOf(names: readonly CountedText[], typed: string): Suggestion[] {
  const said = spoken(typed).toLowerCase();
  const length = Math.max(2, spoken(`${typed}.`).split(' ').length);
  const found = new Map<string, Suggestion & { readonly names: number }>();
  for (const { text: name, count } of names) {
    const text = spoken(name);
    for (const one of new Set([text, text.split(' ').slice(0, length).join(' ')])) {
      const folded = one.toLowerCase();
      if (folded === said || folded.length < said.length) continue;
      const key = folded.split(' ').map(stemOf).join(' ');
      const known = found.get(key) ?? { text: one, kind: 'phrase', count: 0, names: 0 };
      const kind = one === text ? 'name' : known.kind;
      found.set(key, { ...known, kind, count: known.count + count, names: known.names + 1 });
    }
  }
  return (
    [...found.values()]
      // No phrase ends in a small word.
      .filter(({ text, kind, names }) => kind === 'name' || (names > 1 && /\S{3}$/.test(text)))
      .sort((a, b) => b.count - a.count || a.text.length - b.text.length)
      .map(({ text, kind, count }) => ({ text, kind, count }))
  );
}

/** A name as people say it. */
function spoken(name: string): string {
  return name.replace(/[-_:/\s]+/g, ' ').trim();
}
