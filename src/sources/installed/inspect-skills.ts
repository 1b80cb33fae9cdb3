import { basename } from 'node:path';
import {
  compareCodePoints,
  countCodePoints,
  hasSkillNameForm,
  isObject,
  LONGEST_SKILL_NAME,
  madeOnce,
  readAhead,
} from '../../core/index.js';
import { readSkillMarkdown, type SkillMarkdown } from '../folder/front-matter.js';
import { readTextFile } from '../folder/read-file.js';
import { SKILLS_AHEAD } from '../folder/read-skill.js';
import { isBlank, systemReason, toOneLine } from '../rows/texts.js';
import { AGENTS, calledAs } from './agents.js';
import type { Installation, SkillOfAgents } from './read-installed.js';

/** A skill of an agent, and what the agent calls it: `plugin:skill` if it belongs to a plugin. */
export interface ReportedInstallation extends Installation {
  readonly calledAs: string;
}

/** A skill, and what is wrong with it. */
export interface ReportedSkill {
  /** As its SKILL.md says, else that of its folder. */
  readonly name: string;
  /** Absolute path of its folder, without symbolic links. */
  readonly path: string;
  readonly installations: readonly ReportedInstallation[];
  /** What is broken, and why. Empty if nothing is. */
  readonly faults: readonly string[];
}

/** Reads the SKILL.md of each skill, and says what it is called and what is wrong with it. In the same order. */
export async function inspectSkills(found: readonly SkillOfAgents[]): Promise<ReportedSkill[]> {
  const skills: ReportedSkill[] = [];
  for await (const skill of readAhead(found, SKILLS_AHEAD, inspect)) skills.push(skill);
  return skills;
}

async function inspect({ found, installations }: SkillOfAgents): Promise<ReportedSkill> {
  const { name, faults } = await look(found.realSkillFile, basename(found.realPath));
  const ofFile = found.skillFile === 'SKILL.md' ? [] : [`its file is called ${found.skillFile}, not SKILL.md`];
  return {
    name,
    path: found.realPath,
    installations: installations.map((one) => ({ ...one, calledAs: calledAs(one.agent, one.plugin, name) })),
    faults: [...faults, ...ofFile],
  };
}

/** What a SKILL.md calls the skill, else the name of its folder, and what is wrong with it. */
async function look(skillFile: string, folder: string): Promise<{ readonly name: string; readonly faults: string[] }> {
  const broken = (fault: string): { name: string; faults: string[] } => ({
    name: folder,
    faults: [`its SKILL.md ${fault}`],
  });
  try {
    const file = await readTextFile(skillFile, { force: true });
    if (typeof file === 'string') return broken('is not a regular file');
    if (isBlank(file.text)) return broken('is empty');
    const markdown = readSkillMarkdown(file.text);
    const given = markdown.fields.get('name');
    const faults = skillFaults(markdown, folder);
    if (file.repaired) faults.push('its SKILL.md is not UTF-8');
    return { name: typeof given === 'string' && !isBlank(given) ? given : folder, faults };
  } catch (error) {
    return broken(`cannot be read: ${systemReason(error)}`);
  }
}

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
function skillFaults({ fields, frontMatter, warnings }: SkillMarkdown, folder: string): string[] {
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

/** Several skills of one agent that are called the same. */
export interface NameCollision {
  /** Name of the agent. */
  readonly agent: string;
  /** What the agent calls each of them. */
  readonly name: string;
  /** Absolute paths of those that it takes: the first that it finds, or all. */
  readonly taken: readonly string[];
  /** Absolute paths of the others. */
  readonly left: readonly string[];
}

/** A skill as an agent has it. */
export interface CalledSkill {
  readonly agent: string;
  /** What the agent calls it. */
  readonly calledAs: string;
  /** Absolute path of its folder, as the agent reaches it. */
  readonly path: string;
  /** What makes it the same skill as another. */
  readonly skill: string;
}

/**
 * The names that several skills of one agent share, and which of these the agent takes.
 *
 * @param skills those of an agent in the order in which it takes them
 * @returns by agent in the order of `AGENTS`, then by name
 */
export function findCollisions(skills: readonly CalledSkill[]): NameCollision[] {
  const byName = new Map<string, CalledSkill[]>();
  for (const skill of skills) {
    const key = `${skill.agent}\0${skill.calledAs}`;
    const same = madeOnce(byName, key, () => []);
    if (!same.some((other) => other.skill === skill.skill)) same.push(skill);
  }
  const order = new Map(AGENTS.map((agent, at) => [agent.name, { agent, at }]));
  return [...byName.values()]
    .filter((same) => same.length > 1)
    .map((same) => {
      const { agent, calledAs: name } = same[0]!;
      const paths = same.map(({ path }) => path);
      const taken = order.get(agent)?.agent.sameName === 'all' ? paths.length : 1;
      return { agent, name, taken: paths.slice(0, taken), left: paths.slice(taken) };
    })
    .sort((a, b) => order.get(a.agent)!.at - order.get(b.agent)!.at || compareCodePoints(a.name, b.name));
}
