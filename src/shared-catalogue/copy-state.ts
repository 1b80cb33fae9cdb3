import { SkillSearchError } from '../errors.js';
import { readNamedState } from '../store/shared-note.js';
import type { SharedState } from './shared-state.js';

/** What a catalogue notes of the state that it is: whose, and which version. */
export function noteOf({ identity, version }: SharedState): string {
  return `${identity} ${version}`;
}

/** Which state of a shared catalogue a file is; undefined if it is none, or cannot be read. */
export function copyState(database: string): SharedState | undefined {
  try {
    const { stamp, note } = readNamedState(database) ?? { stamp: '', note: '' };
    const [, identity, version] = /^(\S+) (\d+)$/.exec(note) ?? [];
    return identity === undefined ? undefined : { identity, version: Number(version), stamp };
  } catch (error) {
    if (error instanceof SkillSearchError) return undefined;
    throw error;
  }
}

export function isSameState(one: SharedState | undefined, other: SharedState): boolean {
  return one?.identity === other.identity && one.version === other.version && one.stamp === other.stamp;
}
