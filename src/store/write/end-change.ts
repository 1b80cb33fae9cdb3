import type { ChangeCounts, EndOfLoad } from './end-load.js';
import type { OpenChange } from './open-change.js';

/**
 * Writes what is left for the end of a small change, and commits it if it changed anything. Closes the files. No load
 * and no other change can start until `change.close()`.
 *
 * @throws {SkillSearchError} `DATABASE_NOT_WRITABLE`; nothing is changed then
 */
export function endChange(change: OpenChange, end: EndOfLoad): ChangeCounts {
  return change.guard(() => {
    const { brought } = end;
    let counts = { added: 0, updated: 0, removed: 0 };
    if (change.hasWorkingCopy || end.hasWork() || end.state !== undefined) {
      const statements = change.hasWorkingCopy ? change.statements : change.startWorkingCopy();
      const hasChanged = end.write(statements);
      counts = statements.countChanges();
      change.commit(hasChanged || counts.removed > 0, end.state);
    }
    change.closeFiles();
    return { ...counts, unchanged: (brought?.size ?? 0) - counts.added - counts.updated };
  });
}
