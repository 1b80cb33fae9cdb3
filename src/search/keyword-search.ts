import { bestScored, topOf } from '../arrays/top.js';
import { collapseCopies } from '../copies/collapse-copies.js';
import { copyPreference } from '../copies/copy-preference.js';
import type { KeywordMatches } from '../keyword/keyword-index.js';
import { readQuestion } from '../keyword/question.js';
import { Work } from '../keyword/work.js';
import { EXPLAINED_TEXT } from '../limits.js';
import type { DocumentNumber } from '../numbers.js';
import { type KeywordQuery, type ResolvedKeywordQuery, resolveKeywordQuery } from '../query.js';
import { filterMask } from '../ranking/filter-mask.js';
import { comparatorOf } from '../ranking/ranks.js';
import type { DamagedSkill, KeywordHit, KeywordRecords, KeywordResult, KeywordStep, Pagination } from '../result.js';
import type { CatalogueReader } from '../store/read/catalogue-reader.js';
import type { CatalogueColumns } from '../store/read/columns.js';
import { facetPart } from './count-facets.js';
import { damagedPart, readShown } from './damaged-skills.js';
import { termMatcherOf, toKeywordHit } from './hits.js';
import type { OpenState } from './open-state.js';

/** Answers a keyword query with hits; see `SkillSearch.keyword`. */
export function searchByKeywords(state: OpenState, query: KeywordQuery): KeywordResult {
  const { reader } = state;
  const resolved = resolveKeywordQuery(query);
  const { matches, scoreOf, copiesOf, documents, pagination, truncation } = findPage(state, resolved);
  const matcher = termMatcherOf(matches);
  const mostText = Math.floor(EXPLAINED_TEXT / documents.length);
  const toHit = (document: DocumentNumber): KeywordHit =>
    toKeywordHit(reader, { document, score: scoreOf(document), copies: copiesOf(document) }, matcher, mostText);
  const damaged: DamagedSkill[] = [];
  const corrected = matches.corrected();
  return reader.reading(() => ({
    ...stepOf(matches),
    ...truncation,
    hits: readShown(documents, toHit, damaged),
    pagination,
    ...(corrected.length === 0 ? {} : { corrected }),
    ...facetPart(reader, () => matches.documents, resolved),
    ...damagedPart(reader, damaged),
  }));
}

/** Answers a keyword query with the stored JSON texts of skills; see `SkillSearch.keywordRecords`. */
export function searchRecordsByKeywords(state: OpenState, query: KeywordQuery): KeywordRecords {
  const { reader } = state;
  const { matches, documents, pagination, truncation } = findPage(state, resolveKeywordQuery(query));
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
  /** Undefined unless the order is by relevance. Valid until the next query. */
  readonly scoreOf: (document: DocumentNumber) => number | undefined;
  /** How many matching documents a document stands for, itself included. */
  readonly copiesOf: (document: DocumentNumber) => number;
  /** In the order of the page. */
  readonly documents: readonly DocumentNumber[];
  readonly pagination: Pagination;
  readonly truncation: { readonly truncated?: true };
}

function findPage({ reader, keywordIndex, stopWords }: OpenState, resolved: ResolvedKeywordQuery): KeywordPage {
  const { page, limit, sortBy } = resolved;
  const { columns } = reader;
  const question = readQuestion(resolved.q, stopWords);
  const work = Work.forQuestion(columns.size);
  const matches = keywordIndex.match(question, {
    filter: filterMask(columns, resolved),
    scored: sortBy === 'relevance',
    work,
  });

  const scores = matches.scores === undefined ? undefined : byDocument(matches.documents, matches.scores, columns);
  const { documents, counts } =
    resolved.copies === 'collapse'
      ? collapseCopies(matches.documents, columns.copyGroup, copyPreference(columns))
      : { documents: matches.documents, counts: NO_COPIES };
  const total = documents.length;
  const offset = (page - 1) * limit;
  // Documents are numbered by date, so matches come in that order already. Collapsing copies changes it.
  const shown =
    sortBy === 'recent' && documents === matches.documents
      ? [...documents.subarray(offset, offset + limit)]
      : topOf(
          scores === undefined ? documents : bestScored(documents, scores, offset + limit),
          comparatorOf(sortBy, columns, (document) => scores![document]!),
          offset,
          limit,
        );
  return {
    matches,
    scoreOf: (document) => scores?.[document],
    copiesOf: (document) => counts.get(document) ?? 1,
    documents: shown,
    pagination: { page, limit, total, totalPages: Math.ceil(total / limit) },
    truncation: work.truncated ? { truncated: true } : {},
  };
}

function stepOf({ step }: KeywordMatches): { readonly step?: KeywordStep } {
  return step === undefined ? {} : { step };
}

const NO_COPIES: ReadonlyMap<DocumentNumber, number> = new Map();

/** For each catalogue an array with room for a score of every document, used again by each query. */
const scoreSpaces = new WeakMap<CatalogueColumns, Float64Array>();

/** Scores by document number. Entries of documents that did not match are left over from former queries. */
function byDocument(documents: Uint32Array, scores: Float64Array, columns: CatalogueColumns): Float64Array {
  let space = scoreSpaces.get(columns);
  if (space === undefined) {
    space = new Float64Array(columns.size);
    scoreSpaces.set(columns, space);
  }
  for (let i = 0; i < documents.length; i++) space[documents[i]!] = scores[i]!;
  return space;
}
