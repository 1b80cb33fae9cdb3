import type { SkillNumber, VectorNumber } from '../core/index.js';
import { readMeta } from './meta.js';
import { FORGOTTEN, STATES } from './schema.js';
import type { Connection } from './sqlite/connection.js';

/** A state of a catalogue, among those that small changes have made since the last whole load. */
export interface CatalogueState {
  /** 0 for the state that the load made. */
  readonly sequence: number;
  readonly stamp: string;
  /** Later states give their skills and vectors higher numbers. */
  readonly lastSkill: SkillNumber;
  readonly lastVector: VectorNumber;
}

/**
 * The states of a catalogue from which the present one was made by small changes, oldest first; the last one is the
 * present state. Derived files of all of them can be used, but not all can be read: see {@link oldestKept}. Empty if
 * there was no small change since the last whole load.
 *
 * @param until stamp of the last state that is wanted; left out for the present one
 */
export function readLineage(connection: Connection, until?: string): readonly CatalogueState[] {
  const states = connection
    .prepare<[], CatalogueState>(`
      SELECT sequence, stamp, last_skill AS lastSkill, last_vector AS lastVector FROM main.${STATES} ORDER BY sequence`)
    .all();
  // Rows that are damaged are none.
  if (states.at(-1)?.stamp !== readMeta(connection, 'stamp')) return [];
  if (until === undefined) return states;
  return states.slice(0, states.findIndex(({ stamp }) => stamp === until) + 1);
}

/** Sequence of the oldest state that can still be read: of earlier ones skills are forgotten. */
export function oldestKept(connection: Connection): number {
  const last = connection.prepare<[], number | null>(`SELECT max(gone) FROM main.${FORGOTTEN}`).pluck();
  return last.get() ?? 0;
}
