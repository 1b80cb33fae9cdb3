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
  topOf,
} from '../core/index.js';
import {
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
import { copyIds, damagedPart, readShown, termMatcherOf, toKeywordHit } from './hits.js';
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
    const matcher = termMatcherOf(matches);
    const mostText = Math.floor(EXPLAINED_TEXT / documents.length);
    const toHit = (document: DocumentNumber): KeywordHit =>
      toKeywordHit(reader, { document, score: scoreOf(document), copies: copiesOf(document) }, matcher, mostText);
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
  const records: string[] = [];
  for (const document of documents) {
    const record = reader.keptRecord(document);
    if (record === undefined) return undefined;
    records.push(record);
  }
  return records;
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
  const words = completeWord(keywordIndex, typed, how.stopWords);
  const names = keywordIndex.namesBeginning(typed, limit + 1).filter((name) => name.text !== typed.trimEnd());
  return mixed(words, names, limit);
}

interface Completion {
  readonly text: string;
  readonly count: number;
}

/** Words first, and no more than half of the whole as long as there are names; each text once. */
function mixed(words: readonly Completion[], names: readonly Completion[], limit: number): Suggestion[] {
  const taken = new Set(words.map(({ text }) => text.toLowerCase()));
  const others = names.filter(({ text }) => !taken.has(text.toLowerCase()));
  const shown = words.slice(0, Math.max(Math.ceil(limit / 2), limit - others.length));
  return [
    ...shown.map(({ text, count }): Suggestion => ({ text, kind: 'word', count })),
    ...others.slice(0, limit - shown.length).map(({ text, count }): Suggestion => ({ text, kind: 'name', count })),
  ];
}
