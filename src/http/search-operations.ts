import { MAX_PAGE } from '../core/index.js';
import type { DamagedSkill, Pagination, SkillSearch } from '../index.js';
import type { ResolvedKeywordQuery, ResolvedSemanticQuery } from '../query.js';
import { catalogueSearchOf } from '../search/index.js';
import type { Body } from './body.js';
import type { Call } from './call.js';
import { ClientGone } from './error-content.js';
import { publicRecord, publicSkill, type RecordOptions } from './public-record.js';
import { readKeywordQuery, readSemanticQuery } from './read-query.js';

/** What an operation knows about its request. */
export interface OperationContext {
  readonly search: SkillSearch;
  readonly record: RecordOptions;
  /** Whether to make the additions for clients of the public service. */
  readonly compatible: boolean;
  /** JSON text of the object `meta`, with the time until now. */
  readonly meta: () => string;
  /** Seconds that the question may wait for others before it. */
  readonly longestWait: number;
  /** Adds a header that says so if the answer is truncated. */
  readonly noteTruncated: (truncated: true | undefined) => void;
  readonly call: Call;
  /** Logs skills that an answer lacks. */
  readonly logDamaged: (damaged: readonly DamagedSkill[] | undefined) => void;
}

/** A search over HTTP. The question is read first, and answered only if the client's quota allows. */
export interface SearchOperation<Query = unknown> {
  /** Whether a key is needed. An optional key is checked if it is sent, an ignored one is not. */
  readonly key: 'required' | 'optional' | 'ignored';
  /**
   * @param query the query string, without the question mark
   * @throws {SkillSearchError} for a faulty question
   */
  read(query: string, compatible: boolean): Query;
  /** @returns the body of the answer */
  answer(query: Query, context: OperationContext): Body | Promise<Body>;
}

/** `searchSkills` of the specification. */
export const KEYWORD_OPERATION: SearchOperation<ResolvedKeywordQuery> = {
  key: 'optional',
  read: readKeywordQuery,
  answer(query, { search, record, compatible, meta, noteTruncated, logDamaged }) {
    const found = catalogueSearchOf(search).keywordRecords(query);
    noteTruncated(found.truncated);
    logDamaged(found.damaged);
    const items = found.records.map((stored) => publicRecord(stored, record));
    const pagination = JSON.stringify(compatible ? withNeighbours(found.pagination) : found.pagination);
    const after = `],"pagination":${pagination}},"meta":${meta()}}`;
    return { before: '{"success":true,"data":{"skills":[', items, after };
  },
};

/** `aiSearchSkills` of the specification. */
export const SEMANTIC_OPERATION: SearchOperation<ResolvedSemanticQuery> = {
  key: 'required',
  read: readSemanticQuery,
  async answer(query, { search, record, meta, longestWait, noteTruncated, logDamaged, call }) {
    const { signal } = call;
    const { hits, truncated, damaged } = await search.semantic(query, { signal, longestWait }).catch((error) => {
      throw signal?.aborted === true ? new ClientGone() : error;
    });
    noteTruncated(truncated);
    logDamaged(damaged);
    const items = hits.map(({ fileId, filename, score, skill }) => ({
      file_id: fileId,
      filename,
      score,
      skill: publicSkill(skill, record),
    }));
    return `{"success":true,"data":{"data":${JSON.stringify(items)}},"meta":${meta()}}`;
  },
};

/** `hasNext` is false before a page that cannot be requested: there are {@link MAX_PAGE} at most. */
function withNeighbours(pagination: Pagination): Pagination & { hasNext: boolean; hasPrev: boolean } {
  const { page, totalPages } = pagination;
  return { ...pagination, hasNext: page < Math.min(totalPages, MAX_PAGE), hasPrev: page > 1 };
}
