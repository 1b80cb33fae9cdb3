import { SkillSearchError } from '../core/index.js';

/** What is known of a key. The key itself is not stored. */
export interface ApiKey {
  /** From 1; never reused. */
  readonly id: number;
  /** What the key is for; may be empty, and need not be unique. */
  readonly name: string;
  /** Requests a day, 0 for no limit; undefined where the server's limit counts. */
  readonly daily: number | undefined;
  /** Requests a minute, 0 for no limit; undefined where the server's limit counts. */
  readonly perMinute: number | undefined;
  /** When the key was made, in Unix seconds. */
  readonly createdAt: number;
  /** When the key was revoked, in Unix seconds; undefined for a key that is accepted. */
  readonly revokedAt: number | undefined;
}

/** A new key. Only its hash is stored, so it cannot be shown again. */
export interface NewApiKey extends ApiKey {
  /** What clients send: `Authorization: Bearer <key>`. */
  readonly key: string;
}

/** A key as it is stored. Times are in Unix seconds. */
export interface KeyRow {
  readonly number: number;
  readonly name: string;
  readonly daily: number | null;
  readonly per_minute: number | null;
  readonly created_at: number;
  readonly revoked_at: number | null;
}

export function toApiKey({ number, name, daily, per_minute, created_at, revoked_at }: KeyRow): ApiKey {
  return {
    id: number,
    name,
    daily: daily ?? undefined,
    perMinute: per_minute ?? undefined,
    createdAt: created_at,
    revokedAt: revoked_at ?? undefined,
  };
}

/** The text may be a real key with a typing error, so the message does not repeat it. */
export function keyNotFound(idOrKey: number | string): SkillSearchError {
  const what = typeof idOrKey === 'number' ? `the id ${idOrKey}` : 'this text';
  return new SkillSearchError('KEY_NOT_FOUND', `no key has ${what}`);
}
