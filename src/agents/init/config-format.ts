import type { TextEdit } from './text-edit.js';

/** A value as JSON can have it. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Where an entry stands in a configuration. */
export interface Place {
  /** The keys from the top. An entry of a `list` stands in the array there, a `member` is the value there. */
  readonly keys: readonly string[];
  readonly kind: 'member' | 'list';
}

/** How an entry gets into a text. */
export interface Addition {
  readonly edits: readonly TextEdit[];
  /** How many of the place's keys were there before. Objects and arrays below are new. */
  readonly found: number;
}

/**
 * Reads and edits the text of a configuration. Edits keep everything else byte for byte. All methods take a text that
 * may be empty and throw a {@link ConfigFault} if it cannot be read, or if something else stands in the place.
 */
export interface ConfigFormat {
  readonly name: 'json' | 'toml';
  /** The whole as plain values. */
  parse(text: string): unknown;
  /** The entries at a place: at most one of a member. */
  entries(text: string, place: Place): readonly unknown[];
  /** How an entry is added. Nothing may stand in the place of a member. */
  add(text: string, place: Place, value: JsonValue): Addition;
  /** How an entry that is there is removed. What is around it stays, also if it is empty then. */
  remove(text: string, place: Place, value: JsonValue): readonly TextEdit[];
  /** How an object or array is removed that has nothing in it; no edits if it has, comments included. */
  removeEmpty(text: string, keys: readonly string[]): readonly TextEdit[];
}
