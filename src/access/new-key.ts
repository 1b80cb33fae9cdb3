import { createHash } from 'node:crypto';
import { checkOptions, namesOf, SkillSearchError } from '../core/index.js';
import { checkCount } from './options.js';
import { randomLetters } from './random-letters.js';

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
