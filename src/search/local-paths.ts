import type { Skill } from '../skill.js';
import type { OpenState } from './open-state.js';

/** Adds `localPath` to skills that were just read, if the catalogue was opened for that. */
export function addLocalPaths({ localPaths, reader }: OpenState, skills: readonly Skill[]): void {
  if (!localPaths) return;
  reader.reading(() => {
    for (const skill of skills) {
      const localPath = reader.folderOf(skill.id);
      if (localPath !== undefined) Object.assign(skill, { localPath });
    }
  });
}
