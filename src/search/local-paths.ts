import type { Skill } from '../skill.js';
import type { OpenState } from './open-state.js';

/** Adds `localPath` and `installations` to skills that were just read, if the catalogue was opened for that. */
export function addLocalPaths(
  { localPaths, reader }: Pick<OpenState, 'localPaths' | 'reader'>,
  skills: readonly Skill[],
): void {
  if (!localPaths) return;
  reader.reading(() => {
    for (const skill of skills) Object.assign(skill, reader.localPathsOf(skill.id));
  });
}
