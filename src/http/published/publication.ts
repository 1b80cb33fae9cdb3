import { createHash } from 'node:crypto';
import { faultOfPaths, type HashedFile } from '../../agents/index.js';
import {
  checkNames,
  decodePart,
  invalidArgument,
  isDamage,
  MAX_LIMIT,
  optionOf,
  repositoryOf,
} from '../../core/index.js';
import { FILTER_NAMES, resolveFilters, type SkillFilters } from '../../filters.js';
import { type ContentFile, type Skill, type SkillSearch, SkillSearchError } from '../../index.js';
import { publishedSkill, type UnpublishedListener } from '../../mcp/index.js';
import { catalogueSearchOf } from '../../search/index.js';
import { UNKNOWN } from '../../skill.js';
import { splitPath, storedGzip, tarOf } from './archive.js';

/** A skill that is published. */
export interface PublishedEntry {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly files: readonly ContentFile[];
  /** Whether it is a SKILL.md alone, which needs no archive. */
  readonly isSingle: boolean;
  /** Of the archive, or of the SKILL.md: `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  /** Whether clients of version 0.1.0 can ask for each of its files. */
  readonly hasPlainPaths: boolean;
}

/** What is published of one state of a catalogue. */
export interface Publication {
  readonly byId: ReadonlyMap<string, PublishedEntry>;
  /** Of several skills of one name the one with the most stars, then the oldest, then the first by id. */
  readonly byName: ReadonlyMap<string, PublishedEntry>;
  /** By `owner/repository/name` on GitHub, in lower case. */
  readonly byDownload: ReadonlyMap<string, PublishedEntry>;
}

/** Paths that a client of version 0.1.0 may put behind an address as they are, and takes. */
const PLAIN_PATH = /^(?!.*\.\.)[\x20-\x7e]+$/;
const NOT_IN_ADDRESSES = /[\\?#[\]%]/;

/** How `npx skills` counts the description: one that is longer it leaves out. */
const LONGEST_DESCRIPTION = 1024;

/**
 * Looks which of the chosen skills can be published, and makes the archive of each once, for its digest.
 *
 * @param told why a chosen skill is not published, or not under its name
 * @param turn waits if others have waited long enough
 * @throws {SkillSearchError} `INVALID_OPTION` if there are too many; what the search throws
 */
export async function publicationOf(
  search: SkillSearch,
  rules: readonly PublishRule[],
  told: UnpublishedListener,
  turn: Turn,
): Promise<Publication> {
  const found = await publishable(search, rules, told, turn);
  // The preference among copies, too. Total, because no two skills have one id.
  found.sort(({ skill: a }, { skill: b }) => b.stars - a.stars || a.updatedAt - b.updatedAt || (a.id < b.id ? -1 : 1));
  const byName = new Map<string, PublishedEntry>();
  const byDownload = new Map<string, PublishedEntry>();
  for (const { entry, skill } of found) {
    const other = byName.get(entry.name);
    if (other === undefined) byName.set(entry.name, entry);
    else told(entry.id, `the index has ${other.id}, which has the same name`, 'in-index');
    const key = `${repositoryOf(skill.codehostUrl)?.github}/${entry.name}`.toLowerCase();
    if (!byDownload.has(key)) byDownload.set(key, entry);
  }
  const inOrder = new Map([...byName].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { byId: new Map(found.map(({ entry }) => [entry.id, entry])), byName: inOrder, byDownload };
}

interface FoundEntry {
  readonly entry: PublishedEntry;
  readonly skill: Skill;
}

/** The chosen skills that can be published. */
async function publishable(
  search: SkillSearch,
  rules: readonly PublishRule[],
  told: UnpublishedListener,
  turn: Turn,
): Promise<FoundEntry[]> {
  const found: FoundEntry[] = [];
  for (const id of await chosenIds(search, rules, turn)) {
    await turn();
    try {
      const one = await publishedSkill(search, id, told);
      const skill = search.get(id);
      if (one === undefined || skill === undefined) continue;
      const { name, description } = one.frontMatter;
      const fault = faultOf(one.files, description);
      if (fault === undefined)
        found.push({ entry: await entryOf(search, { id, name, description, files: one.files }, turn), skill });
      else told(id, fault, 'for-installers');
    } catch (error) {
      if (!isDamage(error)) throw error;
      told(id, 'it is damaged', 'everywhere');
    }
  }
  return found;
}

/** Waits if others have waited long enough. */
export type Turn = () => Promise<void>;

type Files = Pick<PublishedEntry, 'id' | 'files'>;

/** The archive of a skill, the same bytes each time. */
export async function archiveOf(search: SkillSearch, entry: Files, turn: Turn): Promise<Uint8Array<ArrayBuffer>> {
  const tar = tarOf(await filesOf(search, entry, turn));
  await turn();
  return storedGzip(tar);
}

/** The files of a skill with their bytes. */
export async function filesOf(search: SkillSearch, { id, files }: Files, turn: Turn): Promise<HashedFile[]> {
  const read: HashedFile[] = [];
  for (const { path, executable } of files) {
    read.push({ path, executable, bytes: bytesOf(search, id, path) });
    await turn();
  }
  return read;
}

/** @throws {SkillSearchError} `DATABASE_DAMAGED` */
export function bytesOf(search: SkillSearch, id: string, path: string): Uint8Array {
  const bytes = search.read(id, path);
  if (bytes === undefined) throw new Error(`${path} of the complete skill ${id} is not stored`);
  return bytes;
}

function faultOf(files: readonly ContentFile[], description: string): string | undefined {
  const long = files.find(({ path }) => splitPath(path) === undefined);
  if (long !== undefined) return `the path ${JSON.stringify(long.path.slice(0, 100))}… is too long for an archive`;
  if (description.length > LONGEST_DESCRIPTION) return `its description is longer than ${LONGEST_DESCRIPTION}`;
  return faultOfPaths(files.map(({ path }) => path));
}

async function entryOf(
  search: SkillSearch,
  entry: Pick<PublishedEntry, 'id' | 'name' | 'description' | 'files'>,
  turn: Turn,
): Promise<PublishedEntry> {
  const { files } = entry;
  const isSingle = files.length === 1 && files[0]!.path === 'SKILL.md';
  const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
  const sha256 = isSingle ? files[0]!.sha256 : hash(await archiveOf(search, entry, turn));
  const hasPlainPaths = files.every(({ path }) => PLAIN_PATH.test(path) && !NOT_IN_ADDRESSES.test(path));
  return { ...entry, isSingle, digest: `sha256:${sha256}`, hasPlainPaths };
}

/** What a path below `/.well-known/` asks for. */
export type PublishedPath = {
  /** Of the skill whose page is at the beginning of the path; undefined for all that are published. */
  readonly id: string | undefined;
} & (
  | { readonly kind: 'index' }
  | { readonly kind: 'legacy-index' }
  | { readonly kind: 'archive'; readonly name: string }
  | { readonly kind: 'skill-md'; readonly name: string }
  | { readonly kind: 'file'; readonly name: string; readonly path: string }
);

/**
 * Below the address of the service, or of the page of a skill; behind that `@` and a name, because people give what
 * `npx skills find` shows, `<address>@<name>`, to `npx skills add`.
 */
const WELL_KNOWN =
  /^(?:\/skills\/(?<segment>[^/]+)(?:\/@[^/]*)?)?\/\.well-known\/(?:(?<current>agent-skills)|skills)\/(?<rest>.+)$/;

/** @returns undefined if nothing can be published at this path */
export function readPublishedPath(path: string): PublishedPath | undefined {
  const { segment, current, rest = '' } = WELL_KNOWN.exec(path)?.groups ?? {};
  if (rest === '') return undefined;
  const id = segment === undefined ? undefined : decodePart(segment);
  if (segment !== undefined && id === undefined) return undefined;
  if (rest === 'index.json') return { id, kind: current === undefined ? 'legacy-index' : 'index' };
  if (current !== undefined) {
    const [, name = '', what] = /^([a-z0-9-]+)(\.tar\.gz|\/SKILL\.md)$/.exec(rest) ?? [];
    return name === '' ? undefined : { id, kind: what === '.tar.gz' ? 'archive' : 'skill-md', name };
  }
  const slash = rest.indexOf('/');
  const file = slash === -1 ? undefined : decodePart(rest.slice(slash + 1));
  return file === undefined ? undefined : { id, kind: 'file', name: rest.slice(0, slash), path: file };
}

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
async function chosenIds(search: SkillSearch, rules: readonly PublishRule[], turn: Turn): Promise<Set<string>> {
  const chosen = new Set<string>();
  for (const rule of rules) {
    const ids = typeof rule === 'string' ? completeIds(search, rule) : filteredIds(search, rule);
    for (const id of ids) {
      await turn();
      if (id !== undefined) chosen.add(id);
      if (chosen.size <= MAX_PUBLISHED_SKILLS) continue;
      const message = `publish chooses more than ${MAX_PUBLISHED_SKILLS.toLocaleString('en')} skills, and installers fetch every one of an index: choose by category, author or another filter`;
      throw new SkillSearchError('INVALID_OPTION', message, { parameter: 'publish' });
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
