import type { SkillInstallation } from '../../skill.js';

/**
 * The installations in the properties of a skill, with their paths; empty if there are none. Properties that have none
 * are not parsed: front matter may have many kilobytes.
 *
 * @param properties JSON of a skill's properties, as `toColumns` writes it
 */
export function storedInstallations(properties: string): readonly SkillInstallation[] {
  if (!properties.includes('"installations":[')) return [];
  // Its metadata may have a list of this name, too.
  const { installations } = JSON.parse(properties) as { readonly installations?: readonly SkillInstallation[] };
  return Array.isArray(installations) ? installations : [];
}

/** An installation as everybody may see it. */
export function withoutPath({ agent, scope, plugin }: SkillInstallation): SkillInstallation {
  return { agent, scope, ...(plugin !== undefined && { plugin }) };
}
