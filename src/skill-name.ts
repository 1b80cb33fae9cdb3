/** Longest name of a skill by the Agent Skills specification, in characters. */
const LONGEST_NAME = 64;

/** Lower-case letters, digits and single hyphens. */
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Whether a name keeps the rules of the Agent Skills specification, so that a folder can have it everywhere. */
export function isSkillName(name: string): boolean {
  return name.length <= LONGEST_NAME && NAME.test(name);
}
