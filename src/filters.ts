import {
  checkAtLeast,
  checkChoice,
  countCodePoints,
  invalidArgument,
  MAX_FILTER_TIME,
  MAX_NAME,
  parameterOf,
  readTime,
  trimWhiteSpace,
} from './core/index.js';
import { SKILL_SCOPES, type SkillScope } from './skill.js';

/** A time: Unix seconds, or a date or time as ISO 8601 has it (`2026-01-31`, `2026-01-31T12:00:00Z`). */
export type Time = number | string;

/**
 * What a skill must be to be found. A slug, an author, a license or an agent that no skill has is not an error: it
 * finds nothing.
 */
export interface SkillFilters {
  /** A category slug, `[a-z0-9-]+`. */
  readonly category?: string | undefined;
  /**
   * An occupation slug with its SOC code (`software-developers-151252`) or without (`software-developers`), or a SOC
   * major group (`15-0000`).
   */
  readonly occupation?: string | undefined;
  /** The whole user name of an author, in upper or lower case: 1 to 200 characters. */
  readonly author?: string | undefined;
  /** The license as the skill states it (`MIT`, `Apache-2.0`), in upper or lower case: 1 to 200 characters. */
  readonly license?: string | undefined;
  /** Fewest stars: an integer of at least 0. */
  readonly minStars?: number | undefined;
  /** Only skills that were updated at this time or later. Skills of unknown time are not found. */
  readonly updatedAfter?: Time | undefined;
  /** Only skills that were updated before this time. Skills of unknown time are not found. */
  readonly updatedBefore?: Time | undefined;
  /**
   * Only skills that were read from a folder of this agent: a slug, `[a-z0-9-]+`. With `scope`, one and the same
   * installation must fit both. Skills of other sources have no installation, and are not found.
   */
  readonly agent?: string | undefined;
  /** Only skills that were read from a folder of this scope: `project`, `user`, `plugin` or `system`. */
  readonly scope?: SkillScope | undefined;
  /** True: only skills that a model may call. False: only the others; see `SkillProperties.invocable`. */
  readonly invocable?: boolean | undefined;
}

/** The names of {@link SkillFilters}, for `namesOf`. */
export const FILTER_NAMES: Readonly<Record<keyof SkillFilters, true>> = {
  category: true,
  occupation: true,
  author: true,
  license: true,
  minStars: true,
  updatedAfter: true,
  updatedBefore: true,
  agent: true,
  scope: true,
  invocable: true,
};

/** Filters that were checked. Times are Unix seconds. */
export type ResolvedFilters = {
  readonly [Name in keyof SkillFilters]-?: Name extends 'updatedAfter' | 'updatedBefore'
    ? number | undefined
    : SkillFilters[Name];
};

/**
 * Checks the filters of a query. Reports the first fault in the order category, occupation, author, license, minStars,
 * updatedAfter, updatedBefore, agent, scope, invocable.
 *
 * @throws {SkillSearchError} `INVALID_PARAMETER`; its `parameter` names the fault
 */
export function resolveFilters(filters: SkillFilters): ResolvedFilters {
  return {
    category: resolveSlug('category', filters.category),
    occupation: resolveSlug('occupation', filters.occupation),
    author: resolveName('author', 'a user name', filters.author),
    license: resolveName('license', 'the name of a license', filters.license),
    minStars: checkAtLeast(parameterOf('minStars'), filters.minStars, 0),
    updatedAfter: resolveTime('updatedAfter', filters.updatedAfter),
    updatedBefore: resolveTime('updatedBefore', filters.updatedBefore),
    agent: resolveSlug('agent', filters.agent),
    scope: checkChoice(parameterOf('scope'), filters.scope, SKILL_SCOPES),
    invocable: checkChoice(parameterOf('invocable'), filters.invocable, [true, false]),
  };
}

function resolveSlug(name: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && /^[a-z0-9-]+$/.test(value)) return value;
  throw invalidArgument(parameterOf(name), 'a slug of the characters a-z, 0-9 and -', value);
}

function resolveName(name: string, what: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  // A code point has at most two units. Texts of megabytes are not counted.
  const isShort = typeof value === 'string' && value.length <= 2 * MAX_NAME && countCodePoints(value) <= MAX_NAME;
  if (isShort && trimWhiteSpace(value) !== '') return value;
  throw invalidArgument(parameterOf(name), `${what} of 1 to ${MAX_NAME} characters`, value);
}

function resolveTime(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  // Resolved filters may be resolved again, and a date before 1970 is a negative number then.
  const seconds = typeof value === 'string' ? readTime(value) : value;
  if (typeof seconds === 'number' && Math.abs(seconds) <= MAX_FILTER_TIME) return seconds;
  throw invalidArgument(parameterOf(name), 'Unix seconds, a date (2026-01-31) or a time (2026-01-31T12:00:00Z)', value);
}
