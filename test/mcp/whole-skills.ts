import { createHash } from 'node:crypto';
import { openSkillSearch, type SkillSearch } from '../../src/index.js';
import type { ContentFile } from '../../src/mcp/skills/contents.js';

/** A file of a test's skill: a text, or bytes. */
export type WholeFile = string | Uint8Array;

export interface WholeSkill {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** Files beside SKILL.md; with `SKILL.md` that one instead of the usual. */
  readonly files?: Readonly<Record<string, WholeFile>>;
  /** False: the files are excerpts. */
  readonly complete?: boolean;
  readonly [field: string]: unknown;
}

export function skillMd(name: string, description: string, body: string = `# ${name}\n`): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}`;
}

/** The row of a skill whose files are all there as they are. */
export function wholeRow({ files = {}, complete = true, ...skill }: WholeSkill): Record<string, unknown> {
  const { name, description = `does ${name} things` } = skill;
  const all: Record<string, WholeFile> = { 'SKILL.md': skillMd(name, description), ...files };
  return {
    ...skill,
    description,
    files: Object.entries(all).map(([filename, file]) => rowFile(filename, file, complete)),
  };
}

function rowFile(filename: string, file: WholeFile, complete: boolean): Record<string, unknown> {
  const bytes = Buffer.from(file as string);
  const given = typeof file === 'string' ? { text: file } : { base64: bytes.toString('base64') };
  return { filename, ...given, ...(complete ? { complete, sha256: sha256(bytes) } : {}) };
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A search in memory over whole skills. */
export async function openWholeSkills(skills: readonly WholeSkill[]): Promise<SkillSearch> {
  const search = await openSkillSearch({ skills: skills.map(wholeRow) });
  return 'contents' in search ? search : standIn(search, skills);
}

function standIn(search: SkillSearch, skills: readonly WholeSkill[]): SkillSearch {
  const found = (id: string) => skills.find((skill) => skill.id === id);
  const bytesOf = (skill: WholeSkill): [string, Buffer][] =>
    (wholeRow(skill)['files'] as { filename: string; text?: string; base64?: string }[]).map((file) => [
      file.filename,
      file.text === undefined ? Buffer.from(file.base64!, 'base64') : Buffer.from(file.text),
    ]);
  return Object.assign(search, {
    contents: (id: string) => {
      const skill = found(id);
      if (skill === undefined) return undefined;
      const { complete = true } = skill;
      const files: ContentFile[] = bytesOf(skill).map(([path, bytes]) => ({
        ...{ path, size: bytes.length, sha256: sha256(bytes), executable: false, complete },
        mediaType: path.endsWith('.md') ? 'text/markdown' : 'application/octet-stream',
      }));
      return { complete, files: files.sort((a, b) => (a.path < b.path ? -1 : 1)) };
    },
    read: (id: string, path: string) => {
      const skill = found(id);
      return skill && bytesOf(skill).find(([name]) => name === path)?.[1];
    },
    completeIds: ({ after = '', limit }: { after?: string; limit: number }) => {
      const ids = skills.filter(({ complete = true, id }) => complete && id > after).map(({ id }) => id);
      return ids.sort().slice(0, limit);
    },
  });
}
