import type { Skill } from '@modelcontextprotocol/server/ext/skills';
import { MAX_RESOURCE_BYTES, nextTurn } from '../../core/index.js';
import type { ContentFile, SkillSearch } from '../../index.js';
import { type FrontMatter, type FrontMatterOrFault, readFrontMatter } from './front-matter.js';
import { skillUri } from './skill-uri.js';
import type { UnpublishedListener } from './unpublished-listener.js';

/** A skill that may be handed on: all of its bytes are stored, and its front matter keeps the rules. */
export interface PublishedSkill {
  readonly id: string;
  readonly frontMatter: FrontMatter;
  readonly files: readonly ContentFile[];
}

/** Says which skills of a catalogue are published. */
export class PublishedSkills {
  readonly #onUnpublished: UnpublishedListener;

  constructor(onUnpublished: UnpublishedListener) {
    this.#onUnpublished = onUnpublished;
  }

  /** @returns undefined if there is no such skill, or it is not published */
  async get(search: SkillSearch, id: string): Promise<PublishedSkill | undefined> {
    // A complete skill has at most 512 files and 16 MiB, which is what the extension lets hosts expect.
    const contents = search.isComplete(id) ? search.contents(id) : undefined;
    if (contents === undefined) {
      if (search.get(id) === undefined) return undefined;
      return this.#refuse(id, 'not all of its files are stored as they were');
    }
    const read = await frontMatterOf(search, id, contents.files, 'SKILL.md');
    if ('fault' in read) return this.#refuse(id, read.fault);
    // A hit tells the address before anybody reads the SKILL.md.
    if (read.frontMatter.name !== search.get(id)?.name) return this.#refuse(id, 'its SKILL.md has another name');
    return { id, frontMatter: read.frontMatter, files: contents.files };
  }

  /**
   * A skill that lies in the folder of a published one, as a skill of its own.
   *
   * @param folder path inside the outer skill
   */
  async getNested(search: SkillSearch, outer: PublishedSkill, folder: string): Promise<Skill | undefined> {
    const read = await frontMatterOf(search, outer.id, outer.files, `${folder}/SKILL.md`);
    if ('fault' in read) return undefined;
    // The last part of a skill's path has to be its name.
    if (folder.slice(folder.lastIndexOf('/') + 1) !== read.frontMatter.name) return undefined;
    const files = outer.files.filter(({ path }) => path.startsWith(`${folder}/`));
    return entryOf(outer, `${folder}/SKILL.md`, read.frontMatter, files);
  }

  #refuse(id: string, reason: string): undefined {
    this.#onUnpublished(id, reason, 'everywhere');
    return undefined;
  }
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

/** The entry of a skill as `skills/list` and `skills/get` give it. */
export function entryOfSkill(skill: PublishedSkill): Skill {
  return entryOf(skill, 'SKILL.md', skill.frontMatter, skill.files);
}

function entryOf(
  { id, frontMatter: { name } }: PublishedSkill,
  path: string,
  frontMatter: FrontMatter,
  files: readonly ContentFile[],
): Skill {
  return {
    uri: skillUri(id, name, path),
    frontmatter: frontMatter as Skill['frontmatter'],
    resources: files.map(({ path: file, sha256, size }) => ({
      uri: skillUri(id, name, file),
      digest: `sha256:${sha256}`,
      size,
    })),
  };
}
