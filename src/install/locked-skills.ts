import { authorKey } from '../author-key.js';
import { MAX_LIMIT, type Skill, type SkillSearch } from '../index.js';
import { repositoryOf } from '../source-of.js';
import { hashOfFiles } from './folder-hash.js';
import { installableFiles } from './installable-skill.js';
import { ID_FIELD, isSameOrigin, notedHash } from './lock-entry.js';
import type { LockEntry } from './lock-file.js';
import { type WellKnownEntry, wellKnownEntry } from './well-known-entry.js';

/** Hosts whose servers run on this machine. */
const OF_THIS_MACHINE: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Ids that are read at a time. */
const PAGE = 500;

/**
 * Finds the skills that the entries of a lock file are about. An entry that another installer wrote names a repository
 * or a server only: the skills that may be meant are then listed once for all entries.
 */
export class LockedSkills {
  readonly #search: SkillSearch;
  readonly #names: ReadonlySet<string>;
  readonly #servers: ReadonlySet<string>;
  /** Of each author the skills that have a name of the lock file. */
  readonly #byAuthor = new Map<string, readonly Skill[]>();
  /** The skills with those names that a server can publish. */
  #publishable: readonly Skill[] | undefined;

  /**
   * @param names those of the lock file
   * @param servers hosts that publish the catalogue, beside those of this machine
   */
  constructor(search: SkillSearch, names: Iterable<string>, servers: readonly string[]) {
    this.#search = search;
    this.#names = new Set(names);
    this.#servers = new Set([...OF_THIS_MACHINE, ...servers.map((host) => host.toLowerCase())]);
  }

  /**
   * @param installed hashes of the folders that the skill lies in
   * @returns the id; undefined if the catalogue has no such skill
   */
  find(name: string, entry: LockEntry, installed: readonly string[]): string | undefined {
    const id = entry[ID_FIELD];
    if (typeof id === 'string') return this.#search.get(id) === undefined ? undefined : id;
    const wellKnown = wellKnownEntry(entry);
    if (wellKnown !== undefined) return this.#publishedAs(name, wellKnown, [notedHash(entry), ...installed]);
    const author = ownerOf(entry);
    if (author === undefined) return undefined;
    return this.#skillsOf(author).find((skill) => skill.name === name && isSameOrigin(entry, skill))?.id;
  }

  /**
   * The skill that a server handed on: that of the address, else one with the same files. One that has changed since
   * is told by its name, if that names one skill only, and the server is one that publishes this catalogue: elsewhere
   * skills of the same name have nothing to do with each other.
   *
   * @param hashes of the files that were handed on, as far as they are known
   */
  #publishedAs(name: string, { host, id }: WellKnownEntry, hashes: readonly unknown[]): string | undefined {
    if (id !== undefined && this.#search.get(id)?.name === name) return id;
    const named = this.#skillsNamed(name);
    const same = named.find((skill) => hashes.includes(this.#hashOf(skill.id)));
    if (same !== undefined) return same.id;
    return named.length === 1 && this.#servers.has(host) ? named[0]!.id : undefined;
  }

  #hashOf(id: string): string | undefined {
    const { files } = installableFiles(this.#search, id);
    return files && hashOfFiles(files);
  }

  #skillsNamed(name: string): readonly Skill[] {
    this.#publishable ??= [...this.#listPublishable()];
    return this.#publishable.filter((skill) => skill.name === name);
  }

  *#listPublishable(): Generator<Skill> {
    for (let after: string | undefined; ; ) {
      const ids = this.#search.completeIds({ after, limit: PAGE });
      for (const id of ids) {
        const skill = this.#search.get(id);
        if (skill !== undefined && this.#names.has(skill.name)) yield skill;
      }
      if (ids.length < PAGE) return;
      after = ids.at(-1);
    }
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
