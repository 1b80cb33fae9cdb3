import {
  countCodePoints,
  decodePart,
  invalidArgument,
  MAX_COMPATIBLE_LIMIT,
  MAX_KEYWORD_QUERY_LENGTH,
  MAX_LIMIT,
  MAX_PAGE,
  MAX_SEMANTIC_LIMIT,
  MAX_SEMANTIC_QUERY_LENGTH,
  parameterOf,
  repositoryOf,
  trimWhiteSpace,
} from '../core/index.js';
import {
  type DamagedSkill,
  type KeywordQuery,
  type SemanticQuery,
  SKILL_SCOPES,
  type Skill,
  type SkillSearch,
  SkillSearchError,
} from '../index.js';
import {
  DEFAULT_SEMANTIC_LIMIT,
  type ResolvedKeywordQuery,
  type ResolvedSemanticQuery,
  resolveKeywordQuery,
  resolveSemanticQuery,
} from '../query.js';
import { catalogueSearchOf } from '../search/index.js';
import { type Call, clientTurn } from './call.js';
import { ClientGone } from './errors.js';
import { linkToSkill } from './pages/page.js';
import type { Publisher } from './published/publisher.js';

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
  read: (query, compatible) =>
    readQuery(query, KEYWORD_PARAMETERS, { sortBy: HTTP_SORT_ORDERS[0], copies: 'keep' }, (asked) =>
      resolveWords(asked, compatible),
    ),
  async answer(query, context) {
    const { search, compatible, meta } = context;
    const { records, pagination, truncated, damaged } = catalogueSearchOf(search).keywordRecords(query);
    let body = '{"success":true,"data":{"skills":[';
    for (const [i, stored] of records.entries()) body += (i === 0 ? '' : ',') + publicRecord(stored, context);
    const { page, totalPages } = pagination;
    // `hasNext` is false before a page that cannot be requested: there are `MAX_PAGE` at most.
    const neighbours = { hasNext: page < Math.min(totalPages, MAX_PAGE), hasPrev: page > 1 };
    const pages = JSON.stringify(compatible ? { ...pagination, ...neighbours } : pagination);
    body += `],"pagination":${pages}},"meta":${meta()}}`;
    return { body, truncated, damaged };
  },
};

/** `aiSearchSkills` of the specification; for clients of the public service with pages, of the best skills there are. */
export const SEMANTIC_OPERATION: SearchOperation<ResolvedSemanticQuery & { readonly page: number }> = {
  key: 'required',
  read(query, compatible) {
    const parameters = SEMANTIC_PARAMETERS.filter(({ name }) => compatible || name !== 'page');
    return readQuery(query, parameters, {}, ({ page: asked, ...rest }) => {
      // It checks the page, and all else in the same way.
      const { page } = resolveWords({ ...rest, page: asked }, compatible);
      const limit = Math.min(page * DEFAULT_SEMANTIC_LIMIT, MAX_SEMANTIC_LIMIT);
      return { ...resolveSemanticQuery({ ...rest, limit } as unknown as SemanticQuery), page };
    });
  },
  async answer({ page, ...query }, context) {
    const { search, call, meta, longestWait } = context;
    const { signal } = call;
    const { hits, truncated, worth, damaged } = await search
      .semantic(query, { signal, longestWait, usage: false })
      .catch((error) => {
        throw signal?.aborted === true ? new ClientGone() : error;
      });
    const items = hits.slice((page - 1) * DEFAULT_SEMANTIC_LIMIT).map(({ fileId, filename, score, skill }) => ({
      file_id: fileId,
      filename,
      score,
      skill: publicSkill(skill, context),
    }));
    const body = `{"success":true,"data":{"data":${JSON.stringify(items)}},"meta":${meta()}}`;
    return { body, truncated, worth: page === 1 ? worth : 0, damaged };
  },
};

/** Pages of 50 skills that are searched for those to answer with. Each page is a search. */
const PAGES_OF_FIND = 10;

/** What clients of `GET /api/search` read of a skill. */
interface FoundSkill {
  /** `owner/repository/skillId` for GitHub, else the path of the skill's page here, without the slash before it. */
  readonly id: string;
  /** The name as a part of an address. */
  readonly skillId: string;
  readonly name: string;
  /** Not counted here. Clients sort by it; equal values keep the order by relevance. */
  readonly installs: 0;
  /** What `npx skills add` takes, as it is and with `@name` behind it, as `npx skills find` shows it. */
  readonly source: string;
}

/**
 * The search of `npx skills find` with `SKILLS_API_URL`.
 *
 * @param publisher knows which skills can be installed from this service; undefined if none
 */
export function findOperation(
  publisher: Publisher | undefined,
): SearchOperation<ResolvedKeywordQuery & { readonly owner: string }> {
  return {
    key: 'ignored',
    read: (text) =>
      readQuery(text, FIND_PARAMETERS, { sortBy: 'relevance', asTyped: true }, ({ owner = '', ...asked }) => {
        return { ...resolveWords(asked, true), owner: String(owner).trim().toLowerCase() };
      }),
    async answer({ owner, ...query }, { search, publicUrl, call }) {
      // By id: of one repository the installer adds one skill of a name.
      const found = new Map<string, FoundSkill>();
      const damaged: DamagedSkill[] = [];
      let truncated = false;
      // The search has no filter for owners, and none for what can be added, so this reads pages until it has enough.
      for (let page = 1; page <= PAGES_OF_FIND && found.size < query.limit; page++) {
        // Each page may take its whole bound.
        if (page > 1) await clientTurn(call);
        const answered = catalogueSearchOf(search).keywordRecords({ ...query, page, limit: MAX_LIMIT });
        damaged.push(...(answered.damaged ?? []));
        truncated ||= answered.truncated === true;
        for (const record of answered.records) {
          const skill = JSON.parse(record) as PublicSkill;
          const one = await foundSkill(skill, () => publisher?.addressOf(skill.id, publicUrl));
          if (one === undefined || found.size === query.limit || found.has(one.id)) continue;
          if (['', ownerOf(one.source), skill.author.toLowerCase()].includes(owner)) found.set(one.id, one);
        }
        // Each page asks the whole question again.
        if (page >= answered.pagination.totalPages || truncated) break;
      }
      const body = { query: query.q, searchType: 'fuzzy', skills: [...found.values()], count: found.size };
      return { body: JSON.stringify(body), truncated, damaged };
    },
  };
}

/** No character that means something to a shell. */
export const GITHUB_SOURCE: RegExp = /^\w[\w.-]*\/[\w.-]+$/;
/** Likewise, and what the installer does not take for an address of those two, which it looks for anywhere in it. */
export const CLONE_URL: RegExp = /^https?:\/\/(?:gitlab\.com\/)?(?!.*git(?:hub|lab)\.com\/)[\w.~@+%:/-]+$/;

/** @returns undefined where the installer cannot add it: from its repository, or from here */
async function foundSkill(
  { id, name, codehostUrl }: PublicSkill,
  publishedAt: () => Promise<string | undefined> | undefined,
): Promise<FoundSkill | undefined> {
  const { github = '', cloneUrl = '', ref = '' } = repositoryOf(codehostUrl) ?? {};
  const skill = { skillId: slugOf(name) || id, name, installs: 0 } as const;
  if (GITHUB_SOURCE.test(github)) return { id: `${github}/${skill.skillId}`, ...skill, source: github };
  // With `@name` behind it, the installer knows a clone address by its fragment only, which must not be empty.
  const fragment = encodeURIComponent(ref) || `@${encodeURIComponent(name)}`;
  const source = CLONE_URL.test(cloneUrl) ? `${cloneUrl}#${fragment}` : await publishedAt();
  return source === undefined ? undefined : { id: `skills/${encodeURIComponent(id)}`, ...skill, source };
}

/** The id here of a skill that {@link findOperation} tells of as `owner/repository/skillId`. */
export function idOfFound(search: SkillSearch, github: string, skillId: string): string | undefined {
  const { records } = catalogueSearchOf(search).keywordRecords(resolveWords({ q: skillId, limit: MAX_LIMIT }, false));
  const skills = records.map((record) => JSON.parse(record) as PublicSkill);
  const ofName = skills.filter(({ id, name }) => (slugOf(name) || id) === skillId);
  return ofName.find(({ codehostUrl }) => repositoryOf(codehostUrl)?.github === github)?.id;
}

/** A name as installers write it in addresses: the same, where it keeps the naming rules. */
function slugOf(name: string): string {
  const words = name.toLowerCase().replace(/[\s_-]+/g, '-');
  return words.replace(/[^a-z0-9-]/g, '').replace(/^-+|-+$/g, '');
}

function ownerOf(source: string): string | undefined {
  return /^(?:https?:\/\/[^/]+\/)?([^/]+)/.exec(source)?.[1]?.toLowerCase();
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

/** The values of `sortBy` over HTTP; the first is the default. The library has also `relevance`. */
const HTTP_SORT_ORDERS = ['recent', 'stars'] as const;

/**
 * A parameter of an operation. The tables below are what query strings are read by, and in which order faults are told.
 * `data/openapi.json` describes them.
 */
type QueryParameter = {
  readonly name: string;
} /** Its length is counted in code points, without the white space around it. */ & (
  | { readonly kind: 'question'; readonly longest: number }
  /** Decimal digits. */
  | { readonly kind: 'integer' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  /** `true` or `false` */
  | { readonly kind: 'flag' }
  /** A date or time as ISO 8601 has it, or Unix seconds in at most 11 decimal digits. */
  | { readonly kind: 'time' }
  | { readonly kind: 'text' }
);

const OWN_FILTERS: readonly QueryParameter[] = [
  { name: 'author', kind: 'text' },
  { name: 'license', kind: 'text' },
  { name: 'minStars', kind: 'integer' },
  { name: 'updatedAfter', kind: 'time' },
  { name: 'updatedBefore', kind: 'time' },
  { name: 'agent', kind: 'text' },
  { name: 'scope', kind: 'choice', choices: SKILL_SCOPES },
  { name: 'invocable', kind: 'flag' },
];

/** The parameters of `searchSkills`. The first faulty one in this order is reported. */
const KEYWORD_PARAMETERS: readonly QueryParameter[] = [
  { name: 'q', kind: 'question', longest: MAX_KEYWORD_QUERY_LENGTH },
  { name: 'page', kind: 'integer' },
  { name: 'limit', kind: 'integer' },
  { name: 'sortBy', kind: 'choice', choices: HTTP_SORT_ORDERS },
  { name: 'category', kind: 'text' },
  { name: 'occupation', kind: 'text' },
  ...OWN_FILTERS,
];

/** The parameters of `aiSearchSkills`. Likewise. */
const SEMANTIC_PARAMETERS: readonly QueryParameter[] = [
  { name: 'q', kind: 'question', longest: MAX_SEMANTIC_QUERY_LENGTH },
  // For clients of the public service only.
  { name: 'page', kind: 'integer' },
  ...OWN_FILTERS,
];

/** The parameters of `findSkills`. Likewise. */
const FIND_PARAMETERS: readonly QueryParameter[] = [
  ...KEYWORD_PARAMETERS.filter(({ name }) => name === 'q' || name === 'limit'),
  { name: 'owner', kind: 'text' },
];

/** A query whose values may be of any type. The library checks every one. */
type Asked = Record<string, unknown>;

/**
 * @param compatible whether `limit` may be up to {@link MAX_COMPATIBLE_LIMIT}; a larger one becomes that
 * @throws {SkillSearchError} `MISSING_QUERY`, `INVALID_QUERY`, `INVALID_PARAMETER`
 */
function resolveWords(asked: Asked, compatible: boolean): ResolvedKeywordQuery {
  if (!compatible) return resolveKeywordQuery(asked as unknown as KeywordQuery);
  const isNumber = /^\d+$/.test(String(asked['limit']));
  const limit = isNumber ? Math.min(Number(asked['limit']), MAX_COMPATIBLE_LIMIT) : asked['limit'];
  return resolveKeywordQuery({ ...asked, limit } as unknown as KeywordQuery, MAX_COMPATIBLE_LIMIT);
}

/**
 * @param query the query string, without the question mark
 * @param asked what is asked unless a parameter says otherwise
 */
function readQuery<Resolved>(
  query: string,
  parameters: readonly QueryParameter[],
  asked: Asked,
  resolve: (asked: Asked) => Resolved,
): Resolved {
  const values = readParameters(query, parameters);
  for (const parameter of parameters) {
    const { name } = parameter;
    const value = values[name];
    if (value === undefined) continue;
    const fault = faultOf(parameter, value);
    if (fault !== undefined) {
      // Report a fault of the parameters before this one first.
      if (name !== 'q') resolve(asked);
      throw fault;
    }
    asked[name] = meaningOf(parameter, value as string);
  }
  return resolve(asked);
}

/**
 * What a parameter is written as becomes what the library takes. A text that means nothing stays, and is a fault there.
 */
function meaningOf(parameter: QueryParameter, text: string): string | number | boolean {
  // Up to 11 decimal digits as a number. Any other text stays as it is: a date, a time, or a fault.
  if (parameter.kind === 'time') return /^\d{1,11}$/.test(text) ? Number(text) : text;
  if (parameter.kind === 'flag') return text === 'true' || (text === 'false' ? false : text);
  if (parameter.kind !== 'integer') return text;
  // So many decimal digits, leading zeros aside, are an exact number. Any other text stays as it is.
  return /^0*\d{1,15}$/.test(text) ? Number(text) : text;
}

/** The library reads a part of a longer question, which the specification has refused, and has more choices. */
function faultOf(parameter: QueryParameter, value: Value): SkillSearchError | undefined {
  if (value instanceof SkillSearchError) return value;
  if (parameter.kind === 'choice' && !parameter.choices.includes(value)) {
    return invalidArgument(parameterOf(parameter.name), `one of ${parameter.choices.join(', ')}`, value);
  }
  const length = parameter.kind === 'question' ? countCodePoints(trimWhiteSpace(value)) : 0;
  if (parameter.kind !== 'question' || length <= parameter.longest) return undefined;
  const message = `q must have at most ${parameter.longest} characters, got ${length}`;
  return new SkillSearchError('INVALID_QUERY', message, { parameter: 'q' });
}

/** The value of a parameter, or what is wrong with it. */
type Value = string | SkillSearchError;

/**
 * The known parameters of a query string, decoded. Unlike `URLSearchParams` it guesses nothing: a value that is not
 * percent-encoded UTF-8 is an error, and so is a parameter that occurs twice. Unknown parameters are ignored.
 */
function readParameters(query: string, known: readonly QueryParameter[]): Readonly<Record<string, Value>> {
  const values: Record<string, Value> = {};
  for (const part of query.split('&')) {
    const at = part.indexOf('=');
    const written = at === -1 ? part : part.slice(0, at);
    // Cheap for unknown names: a query may have thousands.
    if (written.length > LONGEST_NAME) continue;
    const decoded = decode(written);
    const name = known.find((one) => one.name === decoded)?.name;
    if (name === undefined) continue;
    values[name] =
      name in values
        ? new SkillSearchError('INVALID_PARAMETER', `${name} must be given once`, { parameter: name })
        : checked(name, decode(at === -1 ? '' : part.slice(at + 1)));
  }
  return values;
}

/** The longest known name, `updatedBefore`, with each character percent-encoded. */
const LONGEST_NAME = 39;

/** Undefined for a text that is not percent-encoded UTF-8. */
function decode(text: string): string | undefined {
  const spaced = text.replaceAll('+', ' ');
  if (!spaced.includes('%')) return spaced;
  // The most frequent fault, a `%` without two digits, is found without the cost of an exception.
  if (/%(?![0-9a-f]{2})/i.test(spaced)) return undefined;
  return decodePart(spaced);
}

function checked(parameter: string, value: string | undefined): Value {
  const fault = value === undefined ? 'be percent-encoded UTF-8' : 'not hold the character NUL';
  if (value?.includes('\0') === false) return value;
  const code = parameter === 'q' ? 'INVALID_QUERY' : 'INVALID_PARAMETER';
  return new SkillSearchError(code, `${parameter} must ${fault}`, { parameter });
}
