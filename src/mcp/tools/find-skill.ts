import { cleanLine } from '../../core/index.js';
import type { ContentFile, Skill, SkillDetails } from '../../index.js';
import { parseSkillUri, skillUri } from '../skills/skill-uri.js';
import { type ToolContext, ToolFault } from './tool.js';

/** Said of every skill in an answer. */
export interface SkillAddress {
  readonly id: string;
  readonly uri: string;
  /** Whether every file is stored as it was. Otherwise excerpts are. */
  readonly complete: boolean;
}

export function addressOf({ search }: ToolContext, { id, name }: Skill): SkillAddress {
  return { id, uri: skillUri(id, name), complete: search.isComplete(id) };
}

/** Whether `skills/get` and `resources/read` serve a skill: its bytes are all here, and it keeps the rules. */
export async function isPublished({ search, published }: ToolContext, { id }: Skill): Promise<boolean> {
  return (await published.get(search, id)) !== undefined;
}

/**
 * The skill that a caller means.
 *
 * @param wish the URI of a skill or of one of its files, or its id
 * @throws {ToolFault} if there is none, or the URI is that of a nested skill: another one must not be taken for it
 */
export function findSkill({ search }: ToolContext, wish: string): SkillDetails {
  const uri = parseSkillUri(wish);
  const skill = search.get(uri?.id ?? wish);
  if (skill === undefined || (uri !== undefined && uri.name !== skill.name)) {
    throw new ToolFault(
      `There is no skill ${JSON.stringify(wish.slice(0, 300))} in this catalogue. Find one with search_skills, and pass the uri or id of a hit as it is.`,
    );
  }
  if (uri?.path.endsWith('/SKILL.md') !== true) return skill;
  throw new ToolFault(
    `${JSON.stringify(wish.slice(0, 300))} is a skill nested in another one, whose files belong to the outer one. Call read_skill_file with skill ${skillUri(skill.id, skill.name)} and path ${JSON.stringify(cleanLine(uri.path).slice(0, 300))}.`,
  );
}

/** The files of a skill: those that are kept as they are, and those of which only text was kept. */
export function filesOf(
  { search }: ToolContext,
  id: string,
): readonly Pick<ContentFile, 'path' | 'size' | 'mediaType' | 'complete'>[] {
  const files = search.contents(id)?.files ?? [];
  const known = new Set(files.map(({ path }) => path));
  const texts = search.filenames(id).filter((path) => !known.has(path));
  if (texts.length === 0) return files;
  const excerpts = texts.map((path) => {
    const size = Buffer.byteLength(search.file(id, path)?.text ?? '', 'utf8');
    return { path, size, mediaType: path.endsWith('.md') ? 'text/markdown' : 'text/plain', complete: false };
  });
  return [...files, ...excerpts].sort((a, b) => (a.path < b.path ? -1 : 1));
}
