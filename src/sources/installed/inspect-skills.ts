import { basename } from 'node:path';
import { readSkillMarkdown } from '../folder/front-matter.js';
import { reasonOf } from '../folder/list-folder.js';
import { readAhead } from '../folder/read-ahead.js';
import { SKILLS_AHEAD } from '../folder/read-skill.js';
import { readTextFile } from '../folder/text-file.js';
import { isBlank } from '../rows/clean-text.js';
import { calledAs } from './called-as.js';
import { skillFaults } from './skill-faults.js';
import type { Installation, InstalledSkill } from './walk-installed.js';

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
export async function inspectSkills(found: readonly InstalledSkill[]): Promise<ReportedSkill[]> {
  const skills: ReportedSkill[] = [];
  for await (const skill of readAhead(found, SKILLS_AHEAD, inspect)) skills.push(skill);
  return skills;
}

async function inspect({ found, installations }: InstalledSkill): Promise<ReportedSkill> {
  const folder = basename(found.realPath);
  const { name, faults } = await look(found.realSkillFile, folder);
  return {
    name,
    path: found.realPath,
    installations: installations.map((one) => ({
      ...one,
      calledAs: calledAs(one.agent, one.plugin, name),
    })),
    faults:
      found.skillFile === 'SKILL.md' ? faults : [...faults, `its file is called ${found.skillFile}, not SKILL.md`],
  };
}

async function look(skillFile: string, folder: string): Promise<{ readonly name: string; readonly faults: string[] }> {
  try {
    const file = await readTextFile(skillFile, { force: true });
    if (file.kind !== 'text') return { name: folder, faults: ['its SKILL.md is not a regular file'] };
    if (isBlank(file.text)) return { name: folder, faults: ['its SKILL.md is empty'] };
    const markdown = readSkillMarkdown(file.text);
    const given = markdown.fields.get('name');
    const faults = skillFaults(markdown, folder);
    if (file.repaired) faults.push('its SKILL.md is not UTF-8');
    return { name: typeof given === 'string' && !isBlank(given) ? given : folder, faults };
  } catch (error) {
    return { name: folder, faults: [`its SKILL.md cannot be read: ${reasonOf(error)}`] };
  }
}
