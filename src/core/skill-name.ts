/** Longest name of a skill by the Agent Skills specification, in characters. */
export const LONGEST_SKILL_NAME = 64;

/** Whether a name is made of lower-case letters, digits and single hyphens, however long it is. */
export function hasSkillNameForm(name: string): boolean {
  return /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name);
}

/** Whether a name keeps the rules of the Agent Skills specification, so that a folder can have it everywhere. */
export function isSkillName(name: string): boolean {
  return name.length <= LONGEST_SKILL_NAME && hasSkillNameForm(name);
}
