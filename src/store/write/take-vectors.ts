import { type Connection, isSqliteError } from '../../sqlite/connection.js';

/** Copies the vectors that a catalogue lacks from another database. Does nothing if that database cannot be read. */
export function takeVectors(into: Connection, from: string): void {
  try {
    into.prepare('ATTACH ? AS left_over').run(from);
    into.exec(`
      BEGIN;
      INSERT OR IGNORE INTO model (id, dimensions) SELECT id, dimensions FROM left_over.model;
      INSERT OR IGNORE INTO vector (model, text_hash, embedding)
        SELECT main.model.number, text_hash, embedding FROM left_over.vector
          JOIN left_over.model ON left_over.model.number = left_over.vector.model
          JOIN main.model ON main.model.id = left_over.model.id AND main.model.dimensions = left_over.model.dimensions;
      COMMIT;
      DETACH left_over`);
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    if (into.inTransaction) into.exec('ROLLBACK');
  }
}
