import { MAX_LIMIT, type SkillSearch } from '../index.js';
import { repositoryOf } from '../source-of.js';
import { ID_FIELD, isSameOrigin } from './lock-entry.js';
import type { LockEntry } from './lock-file.js';

/**
 * The id of the skill that an entry of a lock file is about. An entry that another installer wrote names a repository
 * only: its owner is then looked for among the authors of the catalogue.
 *
 * @returns undefined if the catalogue has no such skill
 */
export function findLocked(search: SkillSearch, name: string, entry: LockEntry): string | undefined {
  const id = entry[ID_FIELD];
  if (typeof id === 'string') return search.get(id) === undefined ? undefined : id;
  const author = ownerOf(entry);
  if (author === undefined) return undefined;
  for (let page = 1; ; page++) {
    const { hits, pagination } = search.list({ author, page, limit: MAX_LIMIT });
    const found = hits.find(({ skill }) => skill.name === name && isSameOrigin(entry, skill));
    if (found !== undefined || page >= pagination.totalPages) return found?.skill.id;
  }
}

function ownerOf({ source, sourceType }: LockEntry): string | undefined {
  if (typeof source !== 'string') return undefined;
  const path = sourceType === 'github' ? source : new URL(repositoryOf(source)?.cloneUrl ?? 'http://-/').pathname;
  const owner = path.replace(/^\//, '').split('/')[0]!.trim();
  return owner === '' || owner.length > 200 ? undefined : owner;
}
