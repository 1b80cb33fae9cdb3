import { MAX_LIMIT, MAX_PAGE, sourceOf } from '../core/index.js';
import {
  type DamagedSkill,
  type KeywordQuery,
  type Pagination,
  type Skill,
  type SkillSearch,
  SkillSearchError,
} from '../index.js';
import { type ResolvedKeywordQuery, type ResolvedSemanticQuery, resolveKeywordQuery } from '../query.js';
import { catalogueSearchOf } from '../search/index.js';
import { type Call, clientTurn } from './call.js';
import { ClientGone } from './errors.js';
import { linkToSkill } from './pages/page.js';
import type { Publisher } from './published/publisher.js';
import {
  cutToLimit,
  FIND_QUESTION,
  questionFault,
  readKeywordQuery,
  readParameters,
  readSemanticQuery,
} from './read-query.js';

/** What an operation knows about its request. */
interface OperationContext {
  readonly search: SkillSearch;
  readonly call: Call;
  /** Origin and path before `/skills/<id>`. */
  readonly publicUrl: string;
  /** Whether to make the additions for clients of the public service. */
  readonly compatible: boolean;
  /** JSON text of the object `meta`, with the time until now. */
  readonly meta: () => string;
  /** Seconds that the question may wait for others before it. */
  readonly longestWait: number;
}

interface SearchAnswer {
  readonly body: string;
  readonly truncated?: boolean | undefined;
  /** How many of the first hits are worth showing; undefined where that is not decided. */
  readonly worth?: number;
  /** Skills that the answer lacks. */
  readonly damaged?: readonly DamagedSkill[] | undefined;
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
  answer(query: Query, context: OperationContext): Promise<SearchAnswer>;
}

/** `searchSkills` of the specification. */
export const KEYWORD_OPERATION: SearchOperation<ResolvedKeywordQuery> = {
  key: 'optional',
  read: readKeywordQuery,
  async answer(query, context) {
    const { search, compatible, meta } = context;
    const { records, pagination, truncated, damaged } = catalogueSearchOf(search).keywordRecords(query);
    let body = '{"success":true,"data":{"skills":[';
    for (const [i, stored] of records.entries()) body += (i === 0 ? '' : ',') + publicRecord(stored, context);
    const pages = JSON.stringify(compatible ? withNeighbours(pagination) : pagination);
    body += `],"pagination":${pages}},"meta":${meta()}}`;
    return { body, truncated, damaged };
  },
};

/** `aiSearchSkills` of the specification. */
export const SEMANTIC_OPERATION: SearchOperation<ResolvedSemanticQuery> = {
  key: 'required',
  read: readSemanticQuery,
  async answer(query, context) {
    const { search, call, meta, longestWait } = context;
    const { signal } = call;
    const { hits, truncated, worth, damaged } = await search
      .semantic(query, { signal, longestWait, usage: false })
      .catch((error) => {
        throw signal?.aborted === true ? new ClientGone() : error;
      });
    const items = hits.map(({ fileId, filename, score, skill }) => ({
      file_id: fileId,
      filename,
      score,
      skill: publicSkill(skill, context),
    }));
    const body = `{"success":true,"data":{"data":${JSON.stringify(items)}},"meta":${meta()}}`;
    return { body, truncated, worth, damaged };
  },
};

/** `hasNext` is false before a page that cannot be requested: there are {@link MAX_PAGE} at most. */
function withNeighbours(pagination: Pagination): Pagination & { hasNext: boolean; hasPrev: boolean } {
  const { page, totalPages } = pagination;
  return { ...pagination, hasNext: page < Math.min(totalPages, MAX_PAGE), hasPrev: page > 1 };
}

/** Pages of 50 skills that are searched for those of an owner. Each page is a search. */
const PAGES_OF_OWNER = 10;

interface FindQuery {
  readonly query: ResolvedKeywordQuery;
  readonly limit: number;
  /** In lower case. */
  readonly owner: string | undefined;
}

/** What `npx skills find` reads of a skill. */
interface FoundSkill {
  readonly id: string;
  readonly name: string;
  /** Not counted here. Clients sort by it; equal values keep the order by relevance. */
  readonly installs: 0;
  /** What `npx skills add` accepts; empty if the skill's repository is unknown, and it is not published here. */
  readonly source: string;
}

/**
 * The search of `npx skills find` with `SKILLS_API_URL`.
 *
 * @param publisher knows which skills can be installed from this service; undefined if none
 */
export function findOperation(publisher: Publisher | undefined): SearchOperation<FindQuery> {
  return { key: 'ignored', read, answer: (query, context) => answer(query, context, publisher) };
}

function read(text: string): FindQuery {
  const { q, limit, owner } = readParameters(text, ['q', 'limit', 'owner']);
  const fault = q instanceof SkillSearchError ? q : questionFault(FIND_QUESTION, q);
  if (fault !== undefined) throw fault;
  const query = resolveKeywordQuery({
    q,
    limit: typeof limit === 'string' ? cutToLimit(limit) : undefined,
    sortBy: 'relevance',
  } as KeywordQuery);
  for (const value of [limit, owner]) if (value instanceof SkillSearchError) throw value;
  const ownerName = (owner as string | undefined)?.trim().toLowerCase();
  return { query, limit: query.limit, owner: ownerName === '' ? undefined : ownerName };
}

async function answer(
  { query, limit, owner }: FindQuery,
  { search, publicUrl, call }: OperationContext,
  publisher: Publisher | undefined,
): Promise<SearchAnswer> {
  const skills: FoundSkill[] = [];
  const damaged: DamagedSkill[] = [];
  let isTruncated = false;
  // The search has no filter for owners, so this reads pages until it has enough skills.
  for (let page = 1; page <= PAGES_OF_OWNER && skills.length < limit; page++) {
    // Each page may take its whole bound.
    if (page > 1) await clientTurn(call);
    const asked = owner === undefined ? query : { ...query, page, limit: MAX_LIMIT };
    const found = catalogueSearchOf(search).keywordRecords(asked);
    damaged.push(...(found.damaged ?? []));
    isTruncated ||= found.truncated === true;
    for (const record of found.records) {
      const skill = JSON.parse(record) as PublicSkill;
      const source = sourceOf(skill.codehostUrl) || (await publisher?.addressOf(skill.id, publicUrl)) || '';
      if (owner !== undefined && ownerOf(source) !== owner && skill.author.toLowerCase() !== owner) continue;
      if (skills.length < limit) skills.push({ id: skill.id, name: skill.name, installs: 0, source });
    }
    // Each page asks the whole question again.
    if (owner === undefined || page >= found.pagination.totalPages || isTruncated) break;
  }
  return { body: JSON.stringify({ skills }), truncated: isTruncated, damaged };
}

function ownerOf(source: string): string | undefined {
  const path = URL.canParse(source) ? new URL(source).pathname.slice(1) : source;
  return path.split('/')[0]?.toLowerCase();
}

/** A skill as the API returns it: the eight fields of the specification. */
type PublicSkill = Pick<
  Skill,
  'id' | 'name' | 'author' | 'description' | 'codehostUrl' | 'skillUrl' | 'stars' | 'updatedAt'
>;

/** The end of `"codehostUrl":"unknown"`. Quotes inside a text are escaped in JSON, so only a field can contain this. */
const WITHOUT_URL = 'Url":"unknown"';

type RecordOptions = Pick<OperationContext, 'publicUrl' | 'compatible'>;

/** A stored record as it is sent. Most are sent without being parsed. */
function publicRecord(record: string, options: RecordOptions): string {
  if (!options.compatible && !record.includes(WITHOUT_URL)) return record;
  return JSON.stringify(publicSkill(JSON.parse(record) as PublicSkill, options));
}

/**
 * A skill as it is sent: the eight fields. An unknown URL becomes that of the skill's page on this service. Clients of
 * the public service read `githubUrl`.
 */
function publicSkill(skill: PublicSkill, { publicUrl, compatible }: RecordOptions): PublicSkill {
  const { id, name, author, description, stars, updatedAt } = skill;
  const page = linkToSkill(publicUrl, id);
  const codehostUrl = skill.codehostUrl === 'unknown' ? page : skill.codehostUrl;
  const skillUrl = skill.skillUrl === 'unknown' ? page : skill.skillUrl;
  const more = compatible ? { githubUrl: codehostUrl } : {};
  return { id, name, author, description, codehostUrl, skillUrl, stars, updatedAt, ...more };
}
