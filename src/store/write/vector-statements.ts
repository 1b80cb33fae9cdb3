import type { Connection, Statement } from '../../sqlite/connection.js';
import { encodeVector } from '../vector-bytes.js';
import type { TextToEmbed } from './embedding-sink.js';

/** The SQL of the vectors of a load, prepared once for a connection. */
export class VectorStatements {
  readonly #missing: Statement<[model: string], number>;
  readonly #text: Statement<[number: number], TextToEmbed>;
  readonly #insertModel: Statement<[id: string, dimensions: number], unknown>;
  readonly #insert: Statement<[model: string, textHash: Buffer, embedding: Buffer], unknown>;
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#missing = connection
      .prepare<[string], number>(`
        SELECT min(number) FROM skill
        WHERE NOT EXISTS (
          SELECT 1 FROM vector WHERE model = (SELECT number FROM model WHERE id = ?) AND text_hash = skill.text_hash)
        GROUP BY text_hash ORDER BY 1`)
      .pluck();
    this.#text = connection.prepare(`
      SELECT text_hash AS textHash, record ->> 'name' AS name, record ->> 'description' AS description
      FROM skill WHERE number = ?`);
    this.#insertModel = connection.prepare('INSERT OR IGNORE INTO model (id, dimensions) VALUES (?, ?)');
    this.#insert = connection.prepare(`
      INSERT OR IGNORE INTO vector (model, text_hash, embedding) VALUES ((SELECT number FROM model WHERE id = ?), ?, ?)`);
  }

  /** One skill number for each distinct text without a vector of the model, ascending. */
  missing(model: string): number[] {
    return this.#missing.all(model);
  }

  /** Ids of the models that there are vectors of. */
  models(): string[] {
    return this.#connection
      .prepare<[], string>('SELECT id FROM model WHERE number IN (SELECT model FROM vector) ORDER BY number')
      .pluck()
      .all();
  }

  /** Length of the vectors of a model; undefined where it has none. */
  dimensions(model: string): number | undefined {
    return this.#connection.prepare<[string], number>('SELECT dimensions FROM model WHERE id = ?').pluck().get(model);
  }

  text(number: number): TextToEmbed {
    return this.#text.get(number) as TextToEmbed;
  }

  put(model: string, textHash: Buffer, vector: Float32Array): void {
    this.#insertModel.run(model, vector.length);
    this.#insert.run(model, textHash, encodeVector(vector));
  }

  /** Deletes the vectors of every other model, and those whose text no skill has any more. */
  keepOnly(model: string | undefined): void {
    const run = (sql: string, ...parameters: string[]): unknown => this.#connection.prepare(sql).run(...parameters);
    const keep = model ?? '';
    run('DELETE FROM vector WHERE model NOT IN (SELECT number FROM model WHERE id = ?)', keep);
    run('DELETE FROM vector WHERE text_hash NOT IN (SELECT text_hash FROM skill)');
    run('DELETE FROM model WHERE id <> ?', keep);
  }

  /** Equal for two states of the vectors of one catalogue only if nothing was added or taken away in between. */
  state(schema: 'main' | 'base'): string {
    return this.#connection
      .prepare<[], string>(`
        SELECT count(*) || ' ' || ifnull(max(number), 0) || ' ' ||
          ifnull((SELECT value FROM ${schema}.meta WHERE key = 'model'), '')
        FROM ${schema}.vector`)
      .pluck()
      .get() as string;
  }
}
