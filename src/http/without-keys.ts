import { inspect } from 'node:util';
import type { LogEvent } from './log-event.js';

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
