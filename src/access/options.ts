import { checkNames, type Names, namesOf, SkillSearchError } from '../core/index.js';

/** How many requests a client may make. Each limit is an integer from 0; 0 means no limit. */
export interface Quota {
  /** Answered searches from midnight to midnight, UTC. */
  readonly daily: number;
  /** Requests, answered or not, within 60 seconds of the first. */
  readonly perMinute: number;
}

/** For requests without an API key, by address. */
export const DEFAULT_ANONYMOUS_QUOTA: Quota = { daily: 50, perMinute: 10 };
/** For each API key without limits of its own. */
export const DEFAULT_KEY_QUOTA: Quota = { daily: 500, perMinute: 30 };

/** Means "no limit" where a number is needed, as in response headers: the largest signed 32-bit integer. */
export const UNLIMITED = 2_147_483_647;

/** Options of `openAccess`. */
export interface AccessOptions {
  /** Path of the file of keys and counters, created if it does not exist; `:memory:` keeps them until `close`. */
  readonly state: string;
  /** Quota of requests without a key, by address. @default { daily: 50, perMinute: 10 } */
  readonly anonymous?: Partial<Quota> | undefined;
  /** Quota of keys without limits of their own. @default { daily: 500, perMinute: 30 } */
  readonly key?: Partial<Quota> | undefined;
  /** The clock: milliseconds since 1970. @default Date.now */
  readonly now?: (() => number) | undefined;
}

export const ACCESS_OPTIONS: Names = namesOf<AccessOptions>({ state: true, anonymous: true, key: true, now: true });

/** Quotas with their defaults filled in. */
export interface Quotas {
  readonly anonymous: Quota;
  readonly key: Quota;
}

/** @throws {SkillSearchError} `INVALID_OPTION` */
export function resolveQuotas({ anonymous, key }: Pick<AccessOptions, 'anonymous' | 'key'>): Quotas {
  return {
    anonymous: resolveQuota('anonymous', anonymous, DEFAULT_ANONYMOUS_QUOTA),
    key: resolveQuota('key', key, DEFAULT_KEY_QUOTA),
  };
}

const QUOTA = namesOf<Quota>({ daily: true, perMinute: true });

/**
 * A quota with its defaults filled in.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`
 */
function resolveQuota(option: string, quota: Partial<Quota> | undefined, defaults: Quota): Quota {
  if (quota === undefined) return defaults;
  checkNames(quota, QUOTA, { name: option, code: 'INVALID_OPTION' });
  const daily = checkCount(`${option}.daily`, quota.daily) ?? defaults.daily;
  const perMinute = checkCount(`${option}.perMinute`, quota.perMinute) ?? defaults.perMinute;
  return { daily, perMinute };
}

/**
 * @returns the number as given
 * @throws {SkillSearchError} `INVALID_OPTION` unless it is an integer from 0 to {@link UNLIMITED}
 */
export function checkCount(option: string, value: number | undefined): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value >= 0 && value <= UNLIMITED)) return value;
  throw new SkillSearchError(
    'INVALID_OPTION',
    `${option} must be an integer from 0 (no limit) to ${UNLIMITED}, got ${String(value)}`,
  );
}
