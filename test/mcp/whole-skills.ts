import { createHash } from 'node:crypto';
import { openSkillSearch, type SkillSearch } from '../../src/index.js';

/** A file of a test's skill: a text, or bytes. */
type WholeFile = string | Uint8Array;

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
  return openSkillSearch({ skills: skills.map(wholeRow) });
}
