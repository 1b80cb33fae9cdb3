import { compareCodePoints } from '../../core/index.js';
import { AGENTS } from './agents.js';

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
    const same = byName.get(key) ?? [];
    if (!same.some((other) => other.skill === skill.skill)) same.push(skill);
    byName.set(key, same);
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
