import { authorKey } from '../author-key.js';
import { MAX_LIMIT, type Skill, type SkillSearch } from '../index.js';
import { repositoryOf } from '../source-of.js';
import { ID_FIELD, isSameOrigin } from './lock-entry.js';
import type { LockEntry } from './lock-file.js';

/**
 * Finds the skills that the entries of a lock file are about. An entry that another installer wrote names a repository
 * only: its owner is then looked for among the authors of the catalogue, once for all entries.
 */
export class LockedSkills {
  readonly #search: SkillSearch;
  readonly #names: ReadonlySet<string>;
  /** Of each author the skills that have a name of the lock file. */
  readonly #byAuthor = new Map<string, readonly Skill[]>();

  /** @param names those of the lock file */
  constructor(search: SkillSearch, names: Iterable<string>) {
    this.#search = search;
    this.#names = new Set(names);
  }

  /** @returns the id; undefined if the catalogue has no such skill */
  find(name: string, entry: LockEntry): string | undefined {
    const id = entry[ID_FIELD];
    if (typeof id === 'string') return this.#search.get(id) === undefined ? undefined : id;
    const author = ownerOf(entry);
    if (author === undefined) return undefined;
    return this.#skillsOf(author).find((skill) => skill.name === name && isSameOrigin(entry, skill))?.id;
  }

  #skillsOf(author: string): readonly Skill[] {
    const key = authorKey(author);
    const skills = this.#byAuthor.get(key) ?? this.#listed(author);
    this.#byAuthor.set(key, skills);
    return skills;
  }

  #listed(author: string): readonly Skill[] {
    const skills: Skill[] = [];
    for (let page = 1; ; page++) {
      const { hits, pagination } = this.#search.list({ author, page, limit: MAX_LIMIT });
      for (const { skill } of hits) if (this.#names.has(skill.name)) skills.push(skill);
      if (page >= pagination.totalPages) return skills;
    }
  }
}

function ownerOf({ source, sourceType }: LockEntry): string | undefined {
  if (typeof source !== 'string') return undefined;
  const path = sourceType === 'github' ? source : new URL(repositoryOf(source)?.cloneUrl ?? 'http://-/').pathname;
  const owner = path.replace(/^\//, '').split('/')[0]!.trim();
  return owner === '' || owner.length > 200 ? undefined : owner;
}
