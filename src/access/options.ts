import { SkillSearchError } from '../errors.js';

/** How many requests a client may make. 0 means no limit. */
export interface Quota {
  /** Requests answered with skills from midnight to midnight, UTC. */
  readonly daily: number;
  /** Requests within 60 seconds of the first. */
  readonly perMinute: number;
}

/** Without a key: for each address. */
export const DEFAULT_ANONYMOUS_QUOTA: Quota = { daily: 50, perMinute: 10 };
/** For each key that was made without limits of its own. */
export const DEFAULT_KEY_QUOTA: Quota = { daily: 500, perMinute: 30 };

/** Stands for "no limit" where a number must be told: the largest that fits 32 bits with a sign. */
export const UNLIMITED = 2_147_483_647;

export interface AccessOptions {
  /** The file of keys and counters, made if it does not exist; `:memory:` forgets all when closed. */
  readonly state: string;
  /** @default { daily: 50, perMinute: 10 } */
  readonly anonymous?: Partial<Quota> | undefined;
  /** @default { daily: 500, perMinute: 30 } */
  readonly key?: Partial<Quota> | undefined;
  /** What time it is, in milliseconds since 1970. @default Date.now */
  readonly now?: (() => number) | undefined;
}

/**
 * Fills in what a quota leaves out.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`
 */
export function resolveQuota(option: string, quota: Partial<Quota> | undefined, defaults: Quota): Quota {
  const daily = checkCount(`${option}.daily`, quota?.daily) ?? defaults.daily;
  const perMinute = checkCount(`${option}.perMinute`, quota?.perMinute) ?? defaults.perMinute;
  return { daily, perMinute };
}

/**
 * @returns the number as given
 * @throws {SkillSearchError} `INVALID_OPTION` where it is no integer from 0 to {@link UNLIMITED}
 */
export function checkCount(option: string, value: number | undefined): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value >= 0 && value <= UNLIMITED)) return value;
  throw new SkillSearchError(
    'INVALID_OPTION',
    `${option} must be an integer from 0 (no limit) to ${UNLIMITED}, got ${String(value)}`,
  );
}
