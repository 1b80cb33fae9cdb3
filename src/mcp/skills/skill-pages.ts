import type { ReadResourceResult, Resource } from '@modelcontextprotocol/server';
import type { Skill } from '@modelcontextprotocol/server/ext/skills';
import { MAX_RESOURCE_BYTES } from '../../core/index.js';
import type { SkillSearch } from '../../index.js';
import { cursorAfter, readCursor } from './cursor.js';
import { childrenOf } from './directory.js';
import { partOf } from './file-part.js';
import { INVALID_PARAMS, ProtocolFault } from './protocol-fault.js';
import { entryOfSkill, type PublishedSkill, type PublishedSkills } from './published-skills.js';
import { parseSkillUri, skillUri } from './skill-uri.js';

/** Skills of a page. */
const PAGE = 100;
/** Ids that are looked at for a page. Where hardly any skill is published, a page may be short, or empty. */
const LOOKED_AT = 1000;
/** Files of all skills of a page. An entry is never split, so the last skill of a page may go beyond. */
const PAGE_FILES = 1000;

/** One page of published skills. */
interface Page {
  readonly skills: readonly PublishedSkill[];
  readonly nextCursor?: string;
}

/** Lists, gets and reads the published skills of a catalogue, as the Skills extension asks. */
export class SkillPages {
  readonly #search: () => Promise<SkillSearch>;
  readonly #published: PublishedSkills;

  constructor(search: () => Promise<SkillSearch>, published: PublishedSkills) {
    this.#search = search;
    this.#published = published;
  }

  async listSkills(cursor: string | undefined): Promise<{ skills: Skill[]; nextCursor?: string }> {
    const { skills, ...next } = await this.#page('skills/list', cursor);
    return { skills: skills.map(entryOfSkill), ...next };
  }

  /** What `resources/list` gives: the SKILL.md of each published skill. */
  async listResources(cursor: string | undefined): Promise<{ resources: Resource[]; nextCursor?: string }> {
    const { skills, ...next } = await this.#page('resources/list', cursor);
    const resources = skills.map(({ id, frontMatter: { name, description }, files }) => {
      const size = files.find(({ path }) => path === 'SKILL.md')?.size;
      return {
        uri: skillUri(id, name),
        name,
        description,
        mimeType: 'text/markdown',
        ...(size === undefined ? {} : { size }),
      };
    });
    return { resources, ...next };
  }

  async get(uri: string): Promise<Skill | undefined> {
    const found = await this.#find(uri);
    if (found === undefined) return undefined;
    const { search, skill, path } = found;
    if (path === 'SKILL.md') return entryOfSkill(skill);
    if (!path.endsWith('/SKILL.md')) return undefined;
    return this.#published.getNested(search, skill, path.slice(0, -'/SKILL.md'.length));
  }

  /**
   * Reads a file, or with `?offset=BYTES` behind its URI a part of it.
   *
   * @returns undefined if there is no such file
   */
  async read(uri: string): Promise<ReadResourceResult | undefined> {
    const [, address, digits] = /^([^?]*)(?:\?offset=(\d{1,15}))?$/.exec(uri) ?? [];
    const found = address === undefined ? undefined : await this.#find(address);
    if (found === undefined) return undefined;
    const { search, skill, path } = found;
    const file = skill.files.find((one) => one.path === path);
    if (file === undefined) {
      if (childrenOf(skill, path) === undefined) return undefined;
      throw new ProtocolFault(INVALID_PARAMS, `${uri} is a directory: read it with resources/directory/read`);
    }
    const offset = Number(digits ?? 0);
    if (digits === undefined && file.size > MAX_RESOURCE_BYTES) throw tooLarge(uri, file.size);
    if (offset > 0 && offset >= file.size)
      throw new ProtocolFault(INVALID_PARAMS, `the offset is behind the end: the file has ${file.size} bytes`);
    const whole = search.read(skill.id, path);
    if (whole === undefined) return undefined;
    const { bytes, isText } = partOf(whole, offset, MAX_RESOURCE_BYTES);
    const content = isText ? { text: bytes.toString() } : { blob: bytes.toString('base64') };
    const mimeType = path.endsWith('SKILL.md') ? 'text/markdown' : file.mediaType;
    return { contents: [{ uri, mimeType, ...content }] };
  }

  async readDirectory(uri: string, cursor: string | undefined): Promise<{ resources: Resource[] } | undefined> {
    // A folder is one page: a published skill has at most 512 files.
    if (cursor !== undefined) throw unknownCursor();
    const found = await this.#find(uri);
    const resources = found === undefined ? undefined : childrenOf(found.skill, found.path);
    return resources === undefined ? undefined : { resources };
  }

  async #page(list: string, cursor: string | undefined): Promise<Page> {
    let after = cursor === undefined ? undefined : readCursor(list, cursor);
    if (cursor !== undefined && after === undefined) throw unknownCursor();
    const search = await this.#search();
    const skills: PublishedSkill[] = [];
    let files = 0;
    for (let looked = 0; looked < LOOKED_AT; ) {
      const ids = search.completeIds({ after, limit: PAGE });
      for (const id of ids) {
        const skill = await this.#published.get(search, id);
        after = id;
        looked += 1;
        if (skill === undefined) continue;
        skills.push(skill);
        files += skill.files.length;
        if (skills.length === PAGE || files >= PAGE_FILES) return this.#pageUpTo(search, list, skills, id);
      }
      if (ids.length < PAGE) return { skills };
    }
    return this.#pageUpTo(search, list, skills, after!);
  }

  #pageUpTo(search: SkillSearch, list: string, skills: readonly PublishedSkill[], id: string): Page {
    const isLast = search.completeIds({ after: id, limit: 1 }).length === 0;
    return isLast ? { skills } : { skills, nextCursor: cursorAfter(list, id) };
  }

  /** The published skill that a URI belongs to. */
  async #find(uri: string): Promise<{ search: SkillSearch; skill: PublishedSkill; path: string } | undefined> {
    const parsed = parseSkillUri(uri);
    if (parsed === undefined) return undefined;
    const search = await this.#search();
    const skill = await this.#published.get(search, parsed.id);
    if (skill === undefined || skill.frontMatter.name !== parsed.name) return undefined;
    return { search, skill, path: parsed.path };
  }
}

function tooLarge(uri: string, size: number): ProtocolFault {
  const parts = `${uri}?offset=0, then ?offset=${MAX_RESOURCE_BYTES} and so on in steps of ${MAX_RESOURCE_BYTES}`;
  const message = `the file has ${size} bytes, more than one answer gives: read it in parts at ${parts}, and join them`;
  return new ProtocolFault(INVALID_PARAMS, message);
}

function unknownCursor(): ProtocolFault {
  return new ProtocolFault(INVALID_PARAMS, 'the cursor is not one of this list: begin again without a cursor');
}
