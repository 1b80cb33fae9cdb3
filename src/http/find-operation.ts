import {
  type KeywordQuery,
  MAX_LIMIT,
  type ResolvedKeywordQuery,
  resolveKeywordQuery,
  SkillSearchError,
} from '../index.js';
import { readParameters } from './parameters.js';
import type { PublicSkill } from './public-record.js';
import { cutToLimit } from './read-query.js';
import type { SearchOperation } from './search-operations.js';

const PARAMETERS = ['q', 'limit', 'owner'] as const;

/** Pages of 50 in which the skills of an owner are looked for: each is a search of its own. */
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
  /** Nobody counts them here. Clients sort by it: where all are the same, the order stays that of relevance. */
  readonly installs: 0;
  /** What `npx skills add` takes; empty where the skill's repository is not known. */
  readonly source: string;
}

/** The search that `npx skills find` does at the server that `SKILLS_API_URL` names. */
export const FIND_OPERATION: SearchOperation<FindQuery> = {
  key: 'ignored',
  read(text) {
    const values = readParameters(text, PARAMETERS);
    const [q, limit, owner] = PARAMETERS.map((name) => values.get(name));
    if (q instanceof SkillSearchError) throw q;
    const query = resolveKeywordQuery({
      q,
      limit: typeof limit === 'string' ? cutToLimit(limit) : undefined,
      sortBy: 'relevance',
    } as KeywordQuery);
    for (const value of [limit, owner]) if (value instanceof SkillSearchError) throw value;
    const ownerName = (owner as string | undefined)?.trim().toLowerCase();
    return { query, limit: query.limit, owner: ownerName === '' ? undefined : ownerName };
  },
  answer({ query, limit, owner }, { search }) {
    const skills: FoundSkill[] = [];
    // Whose a skill is is no filter of the search: its pages are gone through until enough are found.
    for (let page = 1; page <= PAGES_OF_OWNER && skills.length < limit; page++) {
      const { records, pagination } = search.keywordRecords(
        owner === undefined ? query : { ...query, page, limit: MAX_LIMIT },
      );
      for (const record of records) {
        const skill = JSON.parse(record) as PublicSkill;
        const source = sourceOf(skill.codehostUrl);
        if (owner !== undefined && ownerOf(source) !== owner && skill.author.toLowerCase() !== owner) continue;
        if (skills.length < limit) skills.push({ id: skill.id, name: skill.name, installs: 0, source });
      }
      if (owner === undefined || page >= pagination.totalPages) break;
    }
    return JSON.stringify({ skills });
  },
};

/**
 * `owner/repository` of GitHub, which `npx skills add` takes for GitHub's; the address of the repository elsewhere, so
 * that nothing is fetched from a namesake.
 */
function sourceOf(codehostUrl: string): string {
  const url = URL.canParse(codehostUrl) ? new URL(codehostUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return '';
  const [repository = ''] = url.pathname.split(/\/(?:-\/)?(?:tree|blob)\//);
  const path = repository.replace(/^\/+|\/+$|\.git\/*$/g, '');
  return /^(?:www\.)?github\.com$/.test(url.hostname) ? path.split('/').slice(0, 2).join('/') : `${url.origin}/${path}`;
}

function ownerOf(source: string): string | undefined {
  const path = URL.canParse(source) ? new URL(source).pathname.slice(1) : source;
  return path.split('/')[0]?.toLowerCase();
}
