import type { SkillNumber, VectorNumber } from '../../core/index.js';
import { guarded, openForReading } from '../database.js';
import { readLineage } from '../lineage.js';
import { FORGOTTEN, SUPERSEDED } from '../schema.js';

/** How much small changes have changed since a former state. */
export interface ChangesSince {
  /** Skills that came or are gone; a skill that was replaced counts twice. */
  readonly skills: number;
  /** Vectors that came. */
  readonly vectors: number;
}

/**
 * How much has changed since a state of a catalogue.
 *
 * @param stamp of that state
 * @returns undefined if the present state was not made from it by small changes
 */
export function changesSince(path: string, stamp: string): ChangesSince | undefined {
  const connection = openForReading(path);
  try {
    const read = connection.transaction((): ChangesSince | undefined => {
      const since = readLineage(connection).find((state) => state.stamp === stamp);
      if (since === undefined) return undefined;
      const { sequence, lastSkill, lastVector } = since;
      const came = connection.prepare<[SkillNumber], number>('SELECT count(*) FROM skill WHERE number > ?').pluck();
      const gone = connection
        .prepare<[number, SkillNumber], number>(
          `SELECT count(*) FROM (
            SELECT number, gone FROM ${SUPERSEDED.skill} UNION ALL SELECT skill, gone FROM ${FORGOTTEN}
          ) WHERE gone > ? AND number <= ?`,
        )
        .pluck();
      const vectors = connection
        .prepare<[VectorNumber], number>('SELECT count(*) FROM vector WHERE number > ?')
        .pluck();
      return { skills: came.get(lastSkill)! + gone.get(sequence, lastSkill)!, vectors: vectors.get(lastVector)! };
    });
    return guarded(path, 'read', read);
  } finally {
    connection.close();
  }
}
