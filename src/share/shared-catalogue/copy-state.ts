import { SkillSearchError } from '../../core/index.js';
import { readNamedState } from '../../store/index.js';
import type { SharedState } from './shared-state.js';

/** What a catalogue notes of the state that it is: whose, which version, and when it was published if that is known. */
export function noteOf({ identity, version, publishedAt }: SharedState): string {
  return [identity, version, ...(publishedAt === undefined ? [] : [publishedAt])].join(' ');
}

/** Which state of a shared catalogue a file is; undefined if it is none, or cannot be read. */
export function copyState(database: string): SharedState | undefined {
  try {
    const { stamp, note } = readNamedState(database) ?? { stamp: '', note: '' };
    const [, identity, version, published] = /^(\S+) (\d+)(?: (\d+))?$/.exec(note) ?? [];
    if (identity === undefined) return undefined;
    const publishedAt = published === undefined ? {} : { publishedAt: Number(published) };
    return { identity, version: Number(version), stamp, ...publishedAt };
  } catch (error) {
    if (error instanceof SkillSearchError) return undefined;
    throw error;
  }
}

export function isSameState(one: SharedState | undefined, other: SharedState): boolean {
  return one?.identity === other.identity && one.version === other.version && one.stamp === other.stamp;
}
