import { vectorChecksum } from '../checksums.js';
import { type Connection, isSqliteError, type Statement } from '../sqlite/connection.js';
import { VectorInsertion } from './vector-statements.js';

/**
 * Copies the vectors that a catalogue lacks from another database, but for damaged ones. Does nothing if that database
 * cannot be read.
 */
export function takeVectors(into: Connection, from: string): void {
  try {
    into.prepare('ATTACH ? AS left_over').run(from);
    into.exec('BEGIN');
    into.exec('INSERT OR IGNORE INTO model (id, dimensions) SELECT id, dimensions FROM left_over.model');
    const insertion = new VectorInsertion(into);
    const numbers = into
      .prepare<[], number>(`
        SELECT theirs.number FROM left_over.vector AS theirs
          JOIN left_over.model ON left_over.model.number = theirs.model
          JOIN main.model ON main.model.id = left_over.model.id AND main.model.dimensions = left_over.model.dimensions
        WHERE NOT EXISTS (
          SELECT 1 FROM main.vector WHERE model = main.model.number AND text_hash = theirs.text_hash)
        ORDER BY theirs.number`)
      .pluck()
      .all();
    const read: Statement<[number], LeftOverVector> = into.prepare(`
      SELECT id AS model, text_hash AS textHash, embedding, checksum
      FROM left_over.vector JOIN left_over.model ON left_over.model.number = model
      WHERE left_over.vector.number = ?`);
    for (const number of numbers) {
      const { model, textHash, embedding, checksum } = read.get(number)!;
      if (vectorChecksum(number, embedding) !== checksum) continue;
      insertion.run(model, textHash, embedding);
    }
    into.exec('COMMIT; DETACH left_over');
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    if (into.inTransaction) into.exec('ROLLBACK');
  }
}

interface LeftOverVector {
  readonly model: string;
  readonly textHash: Buffer;
  readonly embedding: Buffer;
  readonly checksum: number | null;
}
