import { checkNames, invalidArgument, MAX_LIMIT, optionOf } from '../../core/index.js';
import { FILTER_NAMES, resolveFilters, type SkillFilters } from '../../filters.js';
import { type SkillSearch, SkillSearchError } from '../../index.js';
import { catalogueSearchOf } from '../../search/index.js';
import { UNKNOWN } from '../../skill.js';

/**
 * Skills that a server publishes. `npx skills add` fetches every one of an index before it asks which are wanted, so an
 * index of a whole catalogue would be of no use.
 */
const MAX_PUBLISHED_SKILLS = 1000;

/**
 * Which skills are published: `all`; `folders` for those that lie in a folder without a repository, which nobody can
 * get elsewhere; or those that pass filters, such as `{ category: 'testing' }`.
 */
export type PublishRule = 'all' | 'folders' | SkillFilters;

/** Ids that are read at once. */
const PAGE = 1000;

/** @throws {SkillSearchError} `INVALID_OPTION` */
export function checkPublishRules(rules: unknown): readonly PublishRule[] {
  if (rules === undefined) return [];
  if (!Array.isArray(rules)) throw invalidArgument(optionOf('publish'), 'an array of all, folders and filters', rules);
  for (const rule of rules as readonly unknown[]) {
    if (rule === 'all' || rule === 'folders') continue;
    if (typeof rule === 'string')
      throw invalidArgument(optionOf('publish'), 'all, folders or an object of filters', rule);
    checkNames(rule, new Set(Object.keys(FILTER_NAMES)), optionOf('publish'));
    try {
      resolveFilters(rule as SkillFilters);
    } catch (error) {
      throw new SkillSearchError('INVALID_OPTION', `publish: ${(error as Error).message}`, { parameter: 'publish' });
    }
  }
  return rules as readonly PublishRule[];
}

/**
 * The ids of the skills that any of the rules chooses and whose files are complete.
 *
 * @param turn waits if others have waited long enough
 * @throws {SkillSearchError} `INVALID_OPTION` if there are too many
 */
export async function chosenIds(
  search: SkillSearch,
  rules: readonly PublishRule[],
  turn: () => Promise<void>,
): Promise<ReadonlySet<string>> {
  const chosen = new Set<string>();
  for (const rule of rules) {
    const ids = typeof rule === 'string' ? completeIds(search, rule) : filteredIds(search, rule);
    for (const id of ids) {
      await turn();
      if (id !== undefined) chosen.add(id);
      if (chosen.size > MAX_PUBLISHED_SKILLS) throw tooMany();
    }
  }
  return chosen;
}

/** Undefined stands for a skill that was looked at and is not chosen. */
function* completeIds(search: SkillSearch, rule: 'all' | 'folders'): Generator<string | undefined> {
  let after: string | undefined;
  for (let ids: readonly string[] = []; ; after = ids.at(-1)) {
    ids = catalogueSearchOf(search).completeIds({ after, limit: PAGE });
    for (const id of ids) yield rule === 'all' || search.get(id)?.codehostUrl === UNKNOWN ? id : undefined;
    if (ids.length < PAGE) return;
  }
}

function* filteredIds(search: SkillSearch, filters: SkillFilters): Generator<string | undefined> {
  for (let page = 1; ; page++) {
    const { hits, pagination } = search.list({ ...filters, page, limit: MAX_LIMIT });
    for (const { skill } of hits) yield search.contents(skill.id)?.complete === true ? skill.id : undefined;
    if (page >= pagination.totalPages) return;
  }
}

function tooMany(): SkillSearchError {
  const message = `publish chooses more than ${MAX_PUBLISHED_SKILLS.toLocaleString('en')} skills, and installers fetch every one of an index: choose by category, author or another filter`;
  return new SkillSearchError('INVALID_OPTION', message, { parameter: 'publish' });
}
