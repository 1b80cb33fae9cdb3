import { SkillSearchError } from '../errors.js';
import { readStamp } from '../store/read/catalogue-reader.js';
import { readNote } from '../store/shared-note.js';
import type { SharedState } from './shared-state.js';

/** What a catalogue notes of the state that it is: whose, and which version. */
export function noteOf({ identity, version }: SharedState): string {
  return `${identity} ${version}`;
}

/** Which state of a shared catalogue a file is; undefined if it is none, or cannot be read. */
export function copyState(database: string): SharedState | undefined {
  try {
    const note = readNote(database);
    const [, identity, version] = /^(\S+) (\d+)$/.exec(note ?? '') ?? [];
    if (identity === undefined) return undefined;
    const stamp = readStamp(database);
    // Somebody may have changed it between the two.
    return readNote(database) === note ? { identity, version: Number(version), stamp } : undefined;
  } catch (error) {
    if (error instanceof SkillSearchError) return undefined;
    throw error;
  }
}

export function isSameState(one: SharedState | undefined, other: SharedState): boolean {
  return one?.identity === other.identity && one.version === other.version && one.stamp === other.stamp;
}
