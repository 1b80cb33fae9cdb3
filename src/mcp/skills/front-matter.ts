import { isUtf8 } from 'node:buffer';
import { countCodePoints, isObject, isSkillName } from '../../core/index.js';

/** The front matter of a SKILL.md that may be published. */
export interface FrontMatter {
  readonly name: string;
  readonly description: string;
  readonly [field: string]: unknown;
}

/** Front matter, or why the skill may not be published. */
export type FrontMatterOrFault = { readonly frontMatter: FrontMatter } | { readonly fault: string };

/** Longest `description` and `compatibility`, in characters. The Agent Skills specification says so. */
const LONGEST = { description: 1024, compatibility: 500 } as const;

/** A block between rules at the very beginning. Whoever reads a published skill looks for nothing else. */
const BLOCK = /^\ufeff?---[\t ]*\r?\n(?:([\s\S]*?)\r?\n)?---[\t ]*(?:\r?\n|$)/;

/**
 * Reads the front matter of a SKILL.md as hosts do, and holds it against the rules of the Agent Skills specification.
 *
 * @param bytes the file as it is
 */
export async function readFrontMatter(bytes: Uint8Array): Promise<FrontMatterOrFault> {
  if (!isUtf8(bytes)) return { fault: 'its SKILL.md is not UTF-8' };
  const block = BLOCK.exec(Buffer.from(bytes).toString());
  if (block === null) return { fault: 'its SKILL.md does not begin with front matter' };
  const fields = await readAsYaml(block[1] ?? '');
  if (fields === undefined) return { fault: 'its front matter is not YAML' };
  const fault = faultOf(fields);
  return fault === undefined ? { frontMatter: fields as FrontMatter } : { fault };
}

async function readAsYaml(block: string): Promise<Record<string, unknown> | undefined> {
  // The YAML package has some seventy files, and a search needs none of them.
  const { readTypedFrontMatter } = await import('../../sources/folder/front-matter.js');
  return readTypedFrontMatter(block.replaceAll('\r\n', '\n'));
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
  if (compatibility !== undefined && !isText(compatibility, LONGEST.compatibility)) {
    return `its compatibility must be a text of 1 to ${LONGEST.compatibility} characters`;
  }
  if (metadata !== undefined && !isTextMap(metadata)) return 'its metadata must map names to texts';
  if (hasRounded(fields)) return 'its front matter has an integer beyond 2^53, which JSON does not keep as it is';
  return undefined;
}

function isText(value: unknown, longest: number): boolean {
  return typeof value === 'string' && value !== '' && countCodePoints(value) <= longest;
}

/** The specification says so. The SDK refuses a whole page of a list with an entry that has a number here, say. */
function isTextMap(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((one) => typeof one === 'string');
}

/** Whether a number is not the one that was written: readers of JSON and YAML round it. */
function hasRounded(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasRounded);
}
