import { MAX_LIMIT, sourceOf } from '../core/index.js';
import { type KeywordQuery, SkillSearchError } from '../index.js';
import { type ResolvedKeywordQuery, resolveKeywordQuery } from '../query.js';
import { catalogueSearchOf } from '../search/index.js';
import { clientTurn } from './client-turn.js';
import type { PublicSkill } from './public-record.js';
import type { Publisher } from './published/publisher.js';
import { cutToLimit, FIND_PARAMETERS, questionFault, readParameters } from './read-query.js';
import type { OperationContext, SearchOperation } from './search-operations.js';

const NAMES = FIND_PARAMETERS.map(({ name }) => name);

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
  const values = readParameters(text, NAMES);
  const [q, limit, owner] = NAMES.map((name) => values.get(name));
  const fault = q instanceof SkillSearchError ? q : questionFault(FIND_PARAMETERS[0]!, q);
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
  { search, record: { publicUrl }, noteTruncated, logDamaged, call }: OperationContext,
  publisher: Publisher | undefined,
): Promise<string> {
  const skills: FoundSkill[] = [];
  // The search has no filter for owners, so this reads pages until it has enough skills.
  for (let page = 1; page <= PAGES_OF_OWNER && skills.length < limit; page++) {
    // Each page may take its whole bound.
    if (page > 1) await clientTurn(call);
    const { records, pagination, truncated, damaged } = catalogueSearchOf(search).keywordRecords(
      owner === undefined ? query : { ...query, page, limit: MAX_LIMIT },
    );
    noteTruncated(truncated);
    logDamaged(damaged);
    for (const record of records) {
      const skill = JSON.parse(record) as PublicSkill;
      const source = sourceOf(skill.codehostUrl) || (await publisher?.addressOf(skill.id, publicUrl)) || '';
      if (owner !== undefined && ownerOf(source) !== owner && skill.author.toLowerCase() !== owner) continue;
      if (skills.length < limit) skills.push({ id: skill.id, name: skill.name, installs: 0, source });
    }
    // Each page asks the whole question again.
    if (owner === undefined || page >= pagination.totalPages || truncated === true) break;
  }
  return JSON.stringify({ skills });
}

function ownerOf(source: string): string | undefined {
  const path = URL.canParse(source) ? new URL(source).pathname.slice(1) : source;
  return path.split('/')[0]?.toLowerCase();
}
