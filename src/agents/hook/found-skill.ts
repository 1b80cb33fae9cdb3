import { isObject } from '../../core/index.js';

/** A skill as the host is told of it. */
export interface FoundSkill {
  readonly name: string;
  readonly description: string;
  /** Path of its SKILL.md on this machine, else its address, else its id. */
  readonly location: string;
}

/** @returns undefined if a value from another process is no list of skills */
export function foundIn(value: unknown): readonly FoundSkill[] | undefined {
  return Array.isArray(value) && value.every(isFound) ? value : undefined;
}

function isFound(value: unknown): value is FoundSkill {
  if (!isObject(value)) return false;
  const { name, description, location } = value;
  return typeof name === 'string' && typeof description === 'string' && typeof location === 'string';
}
