import { isUtf8 } from 'node:buffer';
import type { ReadResourceResult, Resource } from '@modelcontextprotocol/server';
import type { Skill } from '@modelcontextprotocol/server/ext/skills';
import { countCodePoints, isObject, isSkillName, nextTurn, orUndefined, splitFrontMatter } from '../core/index.js';
import { catalogueSearchOf, type SkillSearch } from '../search/index.js';
import type { ContentFile } from '../skill.js';
import { INVALID_PARAMS, ProtocolFault } from './sdk.js';
import type { UnpublishedListener } from './unpublished.js';

/**
 * Largest file that `resources/read` gives at once, in bytes, and largest part of a larger one: encoding it keeps others
 * waiting for some milliseconds. Hosts read a SKILL.md at once, so a larger one is not published.
 */
const MAX_RESOURCE_BYTES: number = 1024 * 1024;

/** Skills of a page. */
const PAGE = 100;
/** Ids that are looked at for a page. Where hardly any skill is published, a page may be short, or empty. */
const LOOKED_AT = 1000;
/** Files of all skills of a page. An entry is never split, so the last skill of a page may go beyond. */
const PAGE_FILES = 1000;

/** Where the Skills extension looks, and who is told of skills that are found but not published. */
export interface PublishingSearch {
  readonly search: SkillSearch;
  readonly onUnpublished: UnpublishedListener;
}

/** What `skills/list` gives. */
export async function listSkills(
  publishing: PublishingSearch,
  cursor?: string,
): Promise<{ skills: Skill[]; nextCursor?: string }> {
  const { skills, ...next } = await pageOf(publishing, 'skills/list', cursor);
  return { skills: skills.map((skill) => entryOf(skill)), ...next };
}

/** What `resources/list` gives: the SKILL.md of each published skill. */
export async function listResources(
  publishing: PublishingSearch,
  cursor?: string,
): Promise<{ resources: Resource[]; nextCursor?: string }> {
  const { skills, ...next } = await pageOf(publishing, 'resources/list', cursor);
  const resources = skills.map(({ id, frontMatter: { name, description }, files }) => {
    const { size } = files.find(({ path }) => path === 'SKILL.md')!;
    return { uri: skillUri(id, name), name, description, mimeType: 'text/markdown', size };
  });
  return { resources, ...next };
}

/** What `skills/get` gives: a published skill, or one that lies in the folder of one, as a skill of its own. */
export async function getSkill(publishing: PublishingSearch, uri: string): Promise<Skill | undefined> {
  const found = await findPublished(publishing, uri);
  if (found === undefined) return undefined;
  const { skill, path } = found;
  if (path === 'SKILL.md') return entryOf(skill);
  const folder = /^(?:.*\/)?([^/]+)\/SKILL\.md$/.exec(path);
  if (folder === null) return undefined;
  const read = await frontMatterOf(publishing.search, skill.id, skill.files, path);
  // The last part of a skill's path has to be its name.
  return 'fault' in read || read.frontMatter.name !== folder[1] ? undefined : entryOf(skill, path, read.frontMatter);
}

/**
 * What `resources/read` gives: a file, or with `?offset=BYTES` behind its URI a part of it.
 *
 * @returns undefined if there is no such file
 */
export async function readFile(publishing: PublishingSearch, uri: string): Promise<ReadResourceResult | undefined> {
  const [, address = '', digits] = /^([^?]*)(?:\?offset=(\d{1,15}))?$/.exec(uri) ?? [];
  const found = await findPublished(publishing, address);
  if (found === undefined) return undefined;
  const { skill, path } = found;
  const file = skill.files.find((one) => one.path === path);
  if (file === undefined) {
    if (childrenOf(skill, path) === undefined) return undefined;
    throw new ProtocolFault(INVALID_PARAMS, `${uri} is a directory: read it with resources/directory/read`);
  }
  const offset = Number(digits ?? 0);
  if (digits === undefined && file.size > MAX_RESOURCE_BYTES) throw tooLarge(uri, file.size);
  if (offset > 0 && offset >= file.size)
    throw new ProtocolFault(INVALID_PARAMS, `the offset is behind the end: the file has ${file.size} bytes`);
  const whole = publishing.search.read(skill.id, path);
  if (whole === undefined) return undefined;
  const { bytes, isText } = partOf(whole, offset, MAX_RESOURCE_BYTES);
  const content = isText ? { text: bytes.toString() } : { blob: bytes.toString('base64') };
  const mimeType = path.endsWith('SKILL.md') ? 'text/markdown' : file.mediaType;
  return { contents: [{ uri, mimeType, ...content }] };
}

/** What `resources/directory/read` gives. A folder is one page: a published skill has at most 512 files. */
export async function readDirectory(
  publishing: PublishingSearch,
  uri: string,
  cursor?: string,
): Promise<{ resources: Resource[] } | undefined> {
  if (cursor !== undefined) throw unknownCursor();
  const found = await findPublished(publishing, uri);
  const resources = found === undefined ? undefined : childrenOf(found.skill, found.path);
  return resources === undefined ? undefined : { resources };
}

async function pageOf(
  { search, onUnpublished }: PublishingSearch,
  list: string,
  cursor: string | undefined,
): Promise<{ readonly skills: readonly PublishedSkill[]; readonly nextCursor?: string }> {
  let after = cursor === undefined ? undefined : readCursor(list, cursor);
  if (cursor !== undefined && after === undefined) throw unknownCursor();
  // One more tells whether there is a next page.
  const ids = catalogueSearchOf(search).completeIds({ after, limit: LOOKED_AT + 1 });
  const skills: PublishedSkill[] = [];
  let files = 0;
  for (const id of ids.slice(0, LOOKED_AT)) {
    after = id;
    const skill = await publishedSkill(search, id, onUnpublished);
    if (skill === undefined) continue;
    skills.push(skill);
    files += skill.files.length;
    if (skills.length === PAGE || files >= PAGE_FILES) break;
  }
  return after === undefined || ids.length === 0 || after === ids.at(-1)
    ? { skills }
    : { skills, nextCursor: cursorAfter(list, after) };
}

/** The published skill that a URI belongs to. */
async function findPublished(
  { search, onUnpublished }: PublishingSearch,
  uri: string,
): Promise<{ readonly skill: PublishedSkill; readonly path: string } | undefined> {
  const parsed = parseSkillUri(uri);
  const skill = parsed && (await publishedSkill(search, parsed.id, onUnpublished));
  return skill?.frontMatter.name === parsed?.name ? skill && { skill, path: parsed!.path } : undefined;
}

function tooLarge(uri: string, size: number): ProtocolFault {
  const parts = `${uri}?offset=0, then ?offset=${MAX_RESOURCE_BYTES} and so on in steps of ${MAX_RESOURCE_BYTES}`;
  const message = `the file has ${size} bytes, more than one answer gives: read it in parts at ${parts}, and join them`;
  return new ProtocolFault(INVALID_PARAMS, message);
}

function unknownCursor(): ProtocolFault {
  return new ProtocolFault(INVALID_PARAMS, 'the cursor is not one of this list: begin again without a cursor');
}

/**
 * The cursor of the next page of a list: what the present page ends with. It needs nothing that the server remembers,
 * so it outlives a reload and a restart, and any server of the same catalogue takes it. One of another list, or that is
 * none, is noticed.
 *
 * @param list the method that the cursor belongs to
 */
function cursorAfter(list: string, id: string): string {
  return Buffer.from(`${list} ${id}`).toString('base64url');
}

/** @returns what the page before ended with; undefined if this server did not make the cursor for this list */
function readCursor(list: string, cursor: string): string | undefined {
  const text = Buffer.from(cursor, 'base64url').toString();
  const id = text.slice(list.length + 1);
  return cursorAfter(list, id) === cursor ? id : undefined;
}

/** A skill that may be handed on: all of its bytes are stored, and its front matter keeps the rules. */
export interface PublishedSkill {
  readonly id: string;
  readonly frontMatter: FrontMatter;
  readonly files: readonly ContentFile[];
}

/**
 * A skill of a catalogue if it is published.
 *
 * @param told why it is found but not published
 * @returns undefined if there is no such skill, or it is not published
 */
export async function publishedSkill(
  search: SkillSearch,
  id: string,
  told: UnpublishedListener,
): Promise<PublishedSkill | undefined> {
  const skill = search.get(id);
  if (skill === undefined) return undefined;
  const refused = (reason: string): undefined => void told(id, reason, 'everywhere');
  // A complete skill has at most 512 files and 16 MiB, which is what the extension lets hosts expect.
  const contents = search.isComplete(id) ? search.contents(id) : undefined;
  if (contents === undefined) return refused('not all of its files are stored as they were');
  const read = await frontMatterOf(search, id, contents.files, 'SKILL.md');
  if ('fault' in read) return refused(read.fault);
  // A hit tells the address before anybody reads the SKILL.md.
  if (read.frontMatter.name !== skill.name) return refused('its SKILL.md has another name');
  return { id, frontMatter: read.frontMatter, files: contents.files };
}

async function frontMatterOf(
  search: SkillSearch,
  id: string,
  files: readonly ContentFile[],
  path: string,
): Promise<FrontMatterOrFault> {
  // A list reads many, and each may take some milliseconds.
  await nextTurn();
  const file = files.find((one) => one.path === path);
  if (file !== undefined && file.size > MAX_RESOURCE_BYTES)
    return { fault: `its SKILL.md has more than ${MAX_RESOURCE_BYTES} bytes` };
  const bytes = search.read(id, path);
  return bytes === undefined ? { fault: 'its SKILL.md is not stored as it was' } : readFrontMatter(bytes);
}

/**
 * The entry of a skill as `skills/list` and `skills/get` give it, or of one in its folder.
 *
 * @param path of its SKILL.md
 */
function entryOf(skill: PublishedSkill, path: string = 'SKILL.md', own: FrontMatter = skill.frontMatter): Skill {
  const [id, name] = [skill.id, skill.frontMatter.name];
  const files = skill.files.filter((file) => file.path.startsWith(path.slice(0, -'SKILL.md'.length)));
  return {
    uri: skillUri(id, name, path),
    frontmatter: own as Skill['frontmatter'],
    resources: files.map(({ path: file, sha256, size }) => {
      return { uri: skillUri(id, name, file), digest: `sha256:${sha256}`, size };
    }),
  };
}

/** The front matter of a SKILL.md that may be published. */
interface FrontMatter {
  readonly name: string;
  readonly description: string;
  readonly [field: string]: unknown;
}

/** Front matter, or why the skill may not be published. */
type FrontMatterOrFault = { readonly frontMatter: FrontMatter } | { readonly fault: string };

/** Longest `description` and `compatibility`, in characters. The Agent Skills specification says so. */
const LONGEST = { description: 1024, compatibility: 500 } as const;

/**
 * Reads the front matter of a SKILL.md as hosts do, and holds it against the rules of the Agent Skills specification.
 *
 * @param bytes the file as it is
 */
async function readFrontMatter(bytes: Uint8Array): Promise<FrontMatterOrFault> {
  if (!isUtf8(bytes)) return { fault: 'its SKILL.md is not UTF-8' };
  const { frontMatter: block } = splitFrontMatter(Buffer.from(bytes).toString());
  if (block === undefined) return { fault: 'its SKILL.md does not begin with front matter' };
  // The YAML package has some seventy files, and a search needs none of them.
  const { readTypedFrontMatter } = await import('../sources/folder/front-matter.js');
  const fields = readTypedFrontMatter(block.replaceAll('\r\n', '\n'));
  if (fields === undefined) return { fault: 'its front matter is not YAML' };
  const fault = faultOf(fields);
  return fault === undefined ? { frontMatter: fields as FrontMatter } : { fault };
}

/** The rule that the front matter breaks. */
function faultOf(fields: Readonly<Record<string, unknown>>): string | undefined {
  const { name, description, compatibility, metadata } = fields;
  if (typeof name !== 'string') return 'its SKILL.md has no name';
  if (!isSkillName(name)) {
    return `the name ${JSON.stringify(name.slice(0, 100))} must have 1 to 64 lower-case letters, digits and single hyphens`;
  }
  if (typeof description !== 'string') return 'its SKILL.md has no description';
  if (description.trim() === '' || countCodePoints(description) > LONGEST.description) {
    return `its description must have 1 to ${LONGEST.description} characters, not only blanks`;
  }
  const isText = typeof compatibility === 'string' && compatibility !== '';
  if (compatibility !== undefined && !(isText && countCodePoints(compatibility) <= LONGEST.compatibility)) {
    return `its compatibility must be a text of 1 to ${LONGEST.compatibility} characters`;
  }
  // The specification says so. The SDK refuses a whole page of a list with an entry that has a number here, say.
  const isTextMap = isObject(metadata) && Object.values(metadata).every((one) => typeof one === 'string');
  if (metadata !== undefined && !isTextMap) return 'its metadata must map names to texts';
  if (hasRounded(fields)) return 'its front matter has an integer beyond 2^53, which JSON does not keep as it is';
  return undefined;
}

/** Whether a number is not the one that was written: readers of JSON and YAML round it. */
function hasRounded(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasRounded);
}

const FOLDER = 'inode/directory';

/**
 * What lies directly in a folder of a skill: files and folders, in code-unit order of their names.
 *
 * @param path inside the skill; empty for the skill's folder
 * @returns undefined if the skill has no such folder
 */
function childrenOf(skill: PublishedSkill, path: string): Resource[] | undefined {
  const { id, frontMatter, files } = skill;
  const prefix = path === '' ? '' : `${path}/`;
  const children = new Map<string, Resource>();
  for (const file of files) {
    if (!file.path.startsWith(prefix)) continue;
    const [name = '', ...rest] = file.path.slice(prefix.length).split('/');
    const uri = skillUri(id, frontMatter.name, `${prefix}${name}`);
    const mimeType = name === 'SKILL.md' ? 'text/markdown' : file.mediaType;
    children.set(name, { uri, name, ...(rest.length > 0 ? { mimeType: FOLDER } : { mimeType, size: file.size }) });
  }
  if (children.size === 0) return undefined;
  return [...children.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What a segment of a path may have as it is. Everything else is escaped, as the URL standard would write it back. */
const ESCAPED = /[^\w!$&'()*+,.:;=@~-]/gu;

/** A skill URI in its parts. */
export interface SkillUri {
  readonly id: string;
  /** The skill's name. */
  readonly name: string;
  /** Path inside the skill; empty for its folder. */
  readonly path: string;
}

/**
 * The URI of a file of a skill, or of the skill's folder: `skill://<id>/<name>/<path>`.
 *
 * The prefix is the skill's id, because an id is unique in a catalogue, stays while the skill stays where it is, and is
 * never a local path. The skill's name has to be the last segment before the path.
 *
 * @param path inside the skill, with `/`; the skill's folder if it is empty
 * @throws {URIError} if a part has a lone surrogate
 */
export function skillUri(id: string, name: string, path: string = 'SKILL.md'): string {
  const segments = path === '' ? [name] : [name, ...path.split('/')];
  const escaped = segments.map((segment) => segment.replace(ESCAPED, (character) => encodeURIComponent(character)));
  return `skill://${encodeURIComponent(id)}/${escaped.join('/')}`;
}

/**
 * Takes a skill URI apart.
 *
 * @returns undefined if it is none, or is not spelt as {@link skillUri} spells it: a skill has one URI
 */
export function parseSkillUri(uri: string): SkillUri | undefined {
  const match = /^skill:\/\/([^/?#]+)\/([^?#]+)$/.exec(uri);
  if (match === null) return undefined;
  return orUndefined(() => {
    const id = decodeURIComponent(match[1]!);
    const [name = '', ...segments] = match[2]!.split('/').map(decodeURIComponent);
    const path = segments.join('/');
    return skillUri(id, name, path) === uri ? { id, name, path } : undefined;
  });
}

/** A part of a file. */
export interface FilePart {
  readonly bytes: Buffer;
  /** Whether the whole file is UTF-8, so that each part is a text: none ends within a character. */
  readonly isText: boolean;
  /** Bytes of the whole file. */
  readonly size: number;
  /** Where the next part begins, in bytes; undefined if this is the last one. */
  readonly next: number | undefined;
}

/**
 * A part of a file, without a copy. Of a part only as much is decoded and encoded as it has: a file of 16 MiB in one
 * piece would keep all others waiting.
 *
 * @param offset in bytes. One within a character of a text stands for the beginning of that character
 * @param most bytes of the part; at least those of one character
 */
export function partOf(file: Uint8Array, offset: number, most: number): FilePart {
  const { buffer, byteOffset, length: size } = file;
  const whole = Buffer.from(buffer, byteOffset, size);
  const isText = isUtf8(whole);
  const [start, end] = [offset, offset + most].map((at) => (isText ? beginOfCharacter(whole, at) : at));
  return { bytes: whole.subarray(start, end), isText, size, next: end! < size ? end : undefined };
}

function beginOfCharacter(text: Buffer, offset: number): number {
  let at = offset;
  // Bytes that continue a character are 10xxxxxx.
  while ((text[at]! & 0xc0) === 0x80) at -= 1;
  return at;
}
