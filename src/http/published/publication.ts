import { createHash } from 'node:crypto';
import { faultOfPaths } from '../../agents/index.js';
import { isDamage, sourceOf } from '../../core/index.js';
import type { ContentFile, Skill, SkillSearch } from '../../index.js';
import type { UnpublishedListener } from '../../mcp/index.js';
import { PublishedSkills } from '../../mcp/index.js';
import { chosenIds, type PublishRule } from './publish-rule.js';
import { storedGzip } from './stored-gzip.js';
import { type ArchivedFile, fitsTar, tarOf } from './tar.js';

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
  found.sort((a, b) => byPreference(a.skill, b.skill));
  const byName = new Map<string, PublishedEntry>();
  const byDownload = new Map<string, PublishedEntry>();
  for (const { entry, skill } of found) {
    const other = byName.get(entry.name);
    if (other === undefined) byName.set(entry.name, entry);
    else told(entry.id, `the index has ${other.id}, which has the same name`, 'in-index');
    const source = sourceOf(skill.codehostUrl);
    const key = `${source}/${entry.name}`.toLowerCase();
    if (/^[^/:]+\/[^/]+$/.test(source) && !byDownload.has(key)) byDownload.set(key, entry);
  }
  return { byId: new Map(found.map(({ entry }) => [entry.id, entry])), byName: inOrder(byName), byDownload };
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
  const published = new PublishedSkills(told);
  const found: FoundEntry[] = [];
  for (const id of await chosenIds(search, rules, turn)) {
    await turn();
    try {
      const one = await published.get(search, id);
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
export async function filesOf(search: SkillSearch, { id, files }: Files, turn: Turn): Promise<ArchivedFile[]> {
  const read: ArchivedFile[] = [];
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
  const long = files.find(({ path }) => !fitsTar(path));
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

/** The preference among copies, too. Total, because no two skills have one id. */
function byPreference(a: Skill, b: Skill): number {
  return b.stars - a.stars || a.updatedAt - b.updatedAt || (a.id < b.id ? -1 : 1);
}

function inOrder(entries: ReadonlyMap<string, PublishedEntry>): ReadonlyMap<string, PublishedEntry> {
  return new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}
