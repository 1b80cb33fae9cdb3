import { countCodePoints, hasSkillNameForm, isObject, LONGEST_SKILL_NAME } from '../../core/index.js';
import type { SkillMarkdown } from '../folder/front-matter.js';
import { isBlank, toOneLine } from '../rows/clean-text.js';

/**
 * Longest texts of a skill, in characters, by the Agent Skills specification (https://agentskills.io/specification).
 */
const LONGEST = { name: LONGEST_SKILL_NAME, description: 1024, compatibility: 500 } as const;

/**
 * The rules of the Agent Skills specification that a skill breaks, as sentences for people. An agent may take it all
 * the same.
 *
 * @param folder name of the skill's folder
 */
export function skillFaults({ fields, frontMatter, warnings }: SkillMarkdown, folder: string): string[] {
  if (frontMatter === undefined) return ['no front matter', ...warnings];
  return [
    ...warnings,
    ...nameFaults(fields.get('name'), folder),
    ...textFaults('description', fields.get('description'), true),
    ...textFaults('compatibility', fields.get('compatibility'), false),
    ...metadataFaults(fields.get('metadata')),
  ];
}

function nameFaults(name: unknown, folder: string): string[] {
  const faults = textFaults('name', name, true);
  if (typeof name !== 'string' || isBlank(name)) return faults;
  const shown = JSON.stringify(toOneLine(name, 80));
  if (!hasSkillNameForm(name)) faults.push(`name: ${shown} is not of lower-case letters, digits and single hyphens`);
  if (name !== folder) {
    faults.push(`name: ${shown} is not that of its folder, ${JSON.stringify(toOneLine(folder, 80))}`);
  }
  return faults;
}

function textFaults(field: keyof typeof LONGEST, value: unknown, isRequired: boolean): string[] {
  if (value === undefined) return isRequired ? [`${field}: missing`] : [];
  if (typeof value !== 'string') return [`${field}: not a text`];
  if (isBlank(value)) return [`${field}: blank`];
  const length = countCodePoints(value);
  const longest = LONGEST[field];
  if (length <= longest) return [];
  return [`${field}: ${length.toLocaleString('en')} characters, at most ${longest.toLocaleString('en')}`];
}

function metadataFaults(metadata: unknown): string[] {
  if (metadata === undefined) return [];
  if (isObject(metadata) && Object.values(metadata).every((value) => typeof value === 'string')) return [];
  return ['metadata: not a map of texts'];
}
