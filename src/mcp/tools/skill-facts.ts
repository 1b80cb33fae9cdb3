import { cleanLine } from '../../core/index.js';
import type { Skill, SkillInstallation, SkillProperties } from '../../index.js';

/** What is told of a skill, each text in one clean line; fields of the tools' output schemas. */
export interface SkillFacts {
  readonly name: string;
  readonly author: string;
  readonly description: string;
  readonly stars: number;
  readonly updatedAt: number;
  readonly categories: readonly string[];
  readonly occupations: readonly string[];
  /** Absent if there are none. */
  readonly derivedCategories?: readonly string[];
  /** Where it is published; absent unless that is an address of the web, so that no local path is told. */
  readonly url?: string;
  /** Without the paths; absent if there are none. */
  readonly installations?: readonly Omit<SkillInstallation, 'path'>[];
  /** Absent unless only a user may call it. */
  readonly invocable?: false;
}

export function factsOf(skill: Skill & Pick<SkillProperties, 'invocable'>): SkillFacts {
  const { name, author, description, stars, updatedAt, categories, derivedCategories, occupations } = skill;
  const { codehostUrl, skillUrl, installations, invocable } = skill;
  const url = [codehostUrl, skillUrl].find((one) => /^https?:\/\/\S+$/u.test(one) && cleanLine(one) === one);
  return {
    name: cleanLine(name),
    author: cleanLine(author),
    description: cleanLine(description),
    stars,
    updatedAt,
    categories: categories.map(cleanLine),
    ...(derivedCategories === undefined ? {} : { derivedCategories: derivedCategories.map(cleanLine) }),
    occupations: occupations.map(cleanLine),
    ...(url === undefined ? {} : { url }),
    ...(installations === undefined ? {} : { installations: installations.map(withoutPath) }),
    ...(invocable === undefined ? {} : { invocable }),
  };
}

function withoutPath({ agent, scope, plugin }: SkillInstallation): Omit<SkillInstallation, 'path'> {
  return { agent, scope, ...(plugin === undefined ? {} : { plugin: cleanLine(plugin) }) };
}
