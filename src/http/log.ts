import { inspect } from 'node:util';
import { isDamage, isKnownOutage, madeOnce } from '../core/index.js';
import { type DamagedSkill, type SkillSearch, SkillSearchError } from '../index.js';

/**
 * An event for the operator's log. It never contains a question or a full client address, and what looks like an API key
 * is `sk_live_***`, also where a client puts it into a path.
 */
export type LogEvent = RequestEvent | FailureEvent;

/** A request and its answer. */
export interface RequestEvent {
  readonly kind: 'request';
  /** The `X-Request-Id` of the answer. */
  readonly requestId: string;
  /** The request method, such as `GET`; empty if the request could not be read. */
  readonly method: string;
  /** Path without query: printable ASCII, at most 200 characters. Other characters are `?`. */
  readonly path: string;
  /** The HTTP status; 499 if the client closed the connection before the answer. */
  readonly status: number;
  /** Of a request for MCP: its method, and the tool that it calls. Absent where it has none that looks like a name. */
  readonly operation?: string;
  /** The error's code, such as `INVALID_QUERY`; absent for a success. */
  readonly code?: string;
  /** From the arrival of the request until the answer is ready to send. */
  readonly milliseconds: number;
  /** `key:<id>`, or the client's address without its last part; see `shortenAddress`. */
  readonly client: string;
}

/**
 * An error that the client sees only as `INTERNAL_ERROR` or `SERVICE_UNAVAILABLE`. While a database of keys and quotas
 * does not answer, only the first request that fails by it has one, and none where `connectAccess` has an `onChange`,
 * which is told.
 */
export interface FailureEvent {
  readonly kind: 'failure';
  /** The `X-Request-Id` of the answer. */
  readonly requestId: string;
  /** What was thrown. */
  readonly error: unknown;
}

type Log = (event: LogEvent) => void;

/** What was logged of each search, so that a damaged skill is logged once and not with every answer. */
const logged = new WeakMap<SkillSearch, Set<string>>();

/** Most damaged skills that are logged, so that a file full of damage does not fill the log. */
const MOST_LOGGED = 1000;

/** Logs the skills that an answer lacks. The client sees a shorter page. */
export function logDamaged(damaged: readonly DamagedSkill[], search: SkillSearch, requestId: string, log: Log): void {
  const known = madeOnce(logged, search, () => new Set<string>());
  for (const { id = 'of which the id cannot be read', reason } of damaged) {
    const line = `the skill ${id}: ${reason}; load its source again`;
    if (known.has(line) || known.size >= MOST_LOGGED) continue;
    known.add(line);
    const error = new SkillSearchError('DATABASE_DAMAGED', line, { skill: id });
    log({ kind: 'failure', requestId, error });
  }
}

/**
 * Logs an error whose details its client does not see. A damaged skill is logged once, however often it is asked for,
 * and so is a database that does not answer, however many requests fail meanwhile.
 */
export function logFailure(error: unknown, search: SkillSearch, requestId: string, log: Log): void {
  if (isDamage(error) && error.skill !== undefined) {
    const reason = 'what is stored of it is damaged, so it is not shown';
    logDamaged([{ id: error.skill, reason }], search, requestId, log);
  } else if (!isKnownOutage(error)) log({ kind: 'failure', requestId, error });
}

/** What looks like an API key, its first characters percent-encoded or not, whole or cut off. */
const KEY = new RegExp(
  `${[...'sk_live_'].map((letter) => `(?:${letter}|%${letter.charCodeAt(0).toString(16)})`).join('')}[\\w%-]*`,
  'gi',
);

/** An event without keys, wherever in a request a client put one, or an error repeats it. */
export function withoutKeys(event: LogEvent): LogEvent {
  return Object.fromEntries(Object.entries(event).map(([name, value]) => [name, masked(value)])) as unknown as LogEvent;
}

function masked(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(KEY, 'sk_live_***');
  if (!(value instanceof Error) || inspect(value).search(KEY) === -1) return value;
  const copy: object = Object.create(Object.getPrototypeOf(value));
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    Object.defineProperty(copy, name, 'value' in property ? { ...property, value: masked(property.value) } : property);
  }
  return copy;
}
