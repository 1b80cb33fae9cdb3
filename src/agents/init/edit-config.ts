import { isDeepStrictEqual } from 'node:util';
import { ConfigFault } from '../../core/index.js';
import type { ConfigFormat, JsonValue, Place } from './config-format.js';
import { applyEdits, type TextEdit } from './text-edit.js';

/** A text after a change, and what changed in it. */
export interface EditedConfig {
  readonly text: string;
  /** Relative to the text before, one step after the other. */
  readonly steps: readonly (readonly TextEdit[])[];
  /** How many keys of the place were there before something was added. */
  readonly found: number;
}

/** @throws {ConfigFault} if it cannot be added, or if anything else would change */
export function addEntry(format: ConfigFormat, text: string, place: Place, value: JsonValue): EditedConfig {
  const { edits, found } = format.add(text, place, value);
  const edited = applyEdits(text, edits);
  check(format, text, edited, place, (entries) => [...entries, value]);
  return { text: edited, steps: [edits], found };
}

/** @throws {ConfigFault} if the former value is not there, or if anything else would change */
export function replaceEntry(
  format: ConfigFormat,
  text: string,
  place: Place,
  former: JsonValue,
  value: JsonValue,
): EditedConfig {
  const { length: found } = place.keys;
  const removed = removeEntry(format, text, place, former, found);
  const added = addEntry(format, removed.text, place, value);
  return { text: added.text, steps: [...removed.steps, ...added.steps], found };
}

/**
 * Removes an entry, and the objects and arrays around it that are empty then and were made for it.
 *
 * @param found how many keys of the place were there before the entry was added
 * @throws {ConfigFault} if the value is not there, or if anything else would change
 */
export function removeEntry(
  format: ConfigFormat,
  text: string,
  place: Place,
  value: JsonValue,
  found: number,
): EditedConfig {
  const steps: (readonly TextEdit[])[] = [];
  let edited = text;
  const take = (edits: readonly TextEdit[]): boolean => {
    if (edits.length === 0) return false;
    steps.push(edits);
    edited = applyEdits(edited, edits);
    return true;
  };
  take(format.remove(edited, place, value));
  const { keys, kind } = place;
  for (let length = keys.length - (kind === 'member' ? 1 : 0); length > found; length--) {
    if (!take(format.removeEmpty(edited, keys.slice(0, length)))) break;
  }
  check(format, text, edited, place, (entries) => entries.toSpliced(lastOf(entries, value), 1));
  return { text: edited, steps, found };
}

function lastOf(entries: readonly unknown[], value: JsonValue): number {
  return entries.findLastIndex((entry) => isDeepStrictEqual(entry, value));
}

/** Reads both texts and compares: nothing but the entries of the place may differ. */
function check(
  format: ConfigFormat,
  before: string,
  after: string,
  place: Place,
  change: (entries: readonly unknown[]) => readonly unknown[],
): void {
  const entries = change(format.entries(before, place));
  let isRight: boolean;
  try {
    const expected = withEntries(format.parse(before), place, entries);
    const got = withEntries(format.parse(after), place, format.entries(after, place));
    isRight = isDeepStrictEqual(got, expected);
  } catch {
    isRight = false;
  }
  if (!isRight) throw new ConfigFault(`${place.keys.join('.')} cannot be changed there without changing more`);
}

type Container = Record<string, unknown>;

/**
 * Puts entries in their place. Objects and arrays around it that are empty are left out: whether they stay is no fault.
 */
function withEntries(config: unknown, { keys, kind }: Place, entries: readonly unknown[]): unknown {
  const [key, ...rest] = keys as [string, ...string[]];
  const container = (config ?? {}) as Container;
  const last = kind === 'member' ? entries[0] : [...entries];
  const inner = rest.length === 0 ? last : withEntries(container[key], { keys: rest, kind }, entries);
  const { [key]: _, ...others } = container;
  return isEmpty(inner) ? others : { ...others, [key]: inner };
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
}
