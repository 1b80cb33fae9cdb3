import { createHash, randomBytes } from 'node:crypto';
import { checkOptions, namesOf, SkillSearchError } from '../core/index.js';
import { checkCount } from './options.js';

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

/** The longest name of an API key, in characters. It is shown in a line of a table. */
const MAX_KEY_NAME = 100;

/** How keys begin: `plain` by default; `skillsmp` as clients of the public service with the same interface expect. */
export const KEY_PREFIXES = { plain: 'sk_live_', skillsmp: 'sk_live_skillsmp_' } as const;
/** A name of {@link KEY_PREFIXES}. */
export type KeyForm = keyof typeof KEY_PREFIXES;

/** Characters of a key after its prefix: 43 letters and digits have 256.03 random bits. */
const SECRET_LENGTH = 43;

/** Keys of earlier versions may also have `_` and `-` after the prefix. */
const KEY = /^sk_live_(?:skillsmp_)?[A-Za-z0-9_-]{43}$/;

/** Options of `createKey`. */
export interface NewKeyOptions {
  /** What the key is for, at most 100 characters. @default '' */
  readonly name?: string | undefined;
  /** Requests a day, an integer from 0; 0 for no limit. @default the server's limit for keys */
  readonly daily?: number | undefined;
  /** Requests a minute, an integer from 0; 0 for no limit. @default the server's limit for keys */
  readonly perMinute?: number | undefined;
  /** How the key begins. @default 'plain' */
  readonly form?: KeyForm | undefined;
}

const NEW_KEY_OPTIONS = namesOf<NewKeyOptions>({ name: true, daily: true, perMinute: true, form: true });

/** A key that is not stored yet. */
interface MadeKey {
  readonly key: string;
  readonly hash: Buffer;
  readonly name: string;
  /** Null for what the server says. */
  readonly daily: number | null;
  readonly perMinute: number | null;
}

/** @throws {SkillSearchError} `INVALID_OPTION` */
export function makeKey(options: NewKeyOptions = {}): MadeKey {
  checkOptions(options, NEW_KEY_OPTIONS);
  const { name = '', daily, perMinute, form = 'plain' } = options;
  if (typeof name !== 'string' || [...name].length > MAX_KEY_NAME) {
    throw new SkillSearchError('INVALID_OPTION', `name must be a string of at most ${MAX_KEY_NAME} characters`);
  }
  if (!Object.hasOwn(KEY_PREFIXES, form)) {
    const forms = Object.keys(KEY_PREFIXES).join(', ');
    throw new SkillSearchError('INVALID_OPTION', `form must be one of ${forms}, got ${String(form)}`);
  }
  const limits = { daily: checkCount('daily', daily) ?? null, perMinute: checkCount('perMinute', perMinute) ?? null };
  const key = KEY_PREFIXES[form] + randomLetters(SECRET_LENGTH);
  return { key, hash: hashOf(key), name, ...limits };
}

/** Whether a text has the form of a key. */
export function isKey(text: string): boolean {
  return KEY.test(text);
}

/** A key has 256 random bits: guessing it is hopeless, so the hash needs neither salt nor a slow function. */
export function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Bytes from here on are dropped. Their remainder would make some letters more likely than others. */
const FIRST_DROPPED = 256 - (256 % LETTERS.length);

/**
 * Letters A to Z, a to z and digits, each as likely as any other and chosen by the system's source of random bytes:
 * 5.954 bits a character.
 */
function randomLetters(length: number): string {
  let letters = '';
  while (letters.length < length) {
    for (const byte of randomBytes(length - letters.length)) {
      if (byte < FIRST_DROPPED) letters += LETTERS[byte % LETTERS.length]!;
    }
  }
  return letters;
}

/** The key of a header `Authorization`; undefined if it is no `Bearer` with one word behind it. */
export function sentKey(authorization: string): string | undefined {
  return /^bearer +([^\s]+)$/i.exec(authorization.trim())?.[1];
}

/** The error for every key that is not accepted. It does not repeat the key. */
export function keyNotAccepted(): SkillSearchError {
  return new SkillSearchError('INVALID_API_KEY', 'the API key is not accepted: expected `Authorization: Bearer <key>`');
}
