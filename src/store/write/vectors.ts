import type { SkillNumber, VectorNumber } from '../../core/index.js';
import type { SkillProperties } from '../../skill.js';
import { vectorChecksum } from '../checksums.js';
import { SkillRows } from '../read/stored-row.js';
import { encodeVector } from '../read/stored-vectors.js';
import { LAST_VECTOR } from '../revisions.js';
import type { Connection, Statement } from '../sqlite.js';
import { fieldsOf, type SkillToStore } from '../stored-skill.js';

/** What of a skill is to be embedded, and the hash its vector is stored under. */
export interface TextToEmbed extends Pick<SkillToStore, 'properties' | 'files'> {
  readonly textHash: Buffer;
  readonly name: string;
  readonly description: string;
}

/** A vector and the hash of its text. */
export interface EmbeddedText {
  readonly textHash: Buffer;
  readonly vector: Float32Array;
}

/** Where vectors are stored. */
export interface EmbeddingSink {
  /**
   * Names the model whose vectors the catalogue is to have from now on.
   *
   * @returns one skill for each text that has no vector of this model yet
   */
  useModel(model: string): SkillNumber[];
  /** Length of the vectors of the model in use; undefined if there are none yet. */
  readonly dimensions: number | undefined;
  /** The text of a skill that {@link useModel} returned. */
  textToEmbed(skill: SkillNumber): TextToEmbed;
  /** Stores vectors of the model in use. When it returns, a kill can no longer lose them. */
  putVectors(vectors: Iterable<EmbeddedText>): void;
}

/** No index has the hash first, and models are few. */
const OF_TEXT = 'model IN (SELECT number FROM model) AND text_hash = ?';

/** The SQL for the vectors of a load, prepared once for each connection. */
export class VectorStatements {
  readonly #missing: Statement<[after: SkillNumber, model: string], SkillNumber>;
  readonly #rows: SkillRows;
  readonly #insertModel: Statement<[id: string, dimensions: number], unknown>;
  #insert: VectorInsertion | undefined;
  #find: Statement<[model: string, textHash: Buffer], unknown> | undefined;
  #findAny: Statement<[textHash: Buffer], unknown> | undefined;
  #forget: Statement<[textHash: Buffer], unknown> | undefined;
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#missing = connection
      .prepare<[SkillNumber, string], SkillNumber>(`
        SELECT min(number) FROM skill
        WHERE number > ? AND NOT EXISTS (
          SELECT 1 FROM vector WHERE model = (SELECT number FROM model WHERE id = ?) AND text_hash = skill.text_hash)
        GROUP BY text_hash ORDER BY 1`)
      .pluck();
    this.#rows = new SkillRows(connection, '');
    this.#insertModel = connection.prepare('INSERT OR IGNORE INTO model (id, dimensions) VALUES (?, ?)');
  }

  /**
   * One skill for each distinct text without a vector of the model, in ascending order.
   *
   * @param after only skills with a number above
   */
  missing(model: string, after: SkillNumber = 0): SkillNumber[] {
    return this.#missing.all(after, model);
  }

  remove(vectors: readonly VectorNumber[]): void {
    const remove = this.#connection.prepare('DELETE FROM vector WHERE number = ?');
    for (const vector of vectors) remove.run(vector);
  }

  /** Ids of the models that have vectors. */
  models(): string[] {
    return this.#connection
      .prepare<[], string>('SELECT id FROM model WHERE number IN (SELECT model FROM vector) ORDER BY number')
      .pluck()
      .all();
  }

  /** Length of the vectors of a model; undefined if it has none. */
  dimensions(model: string): number | undefined {
    return this.#connection.prepare<[string], number>('SELECT dimensions FROM model WHERE id = ?').pluck().get(model);
  }

  /** What of a stored skill is to be embedded; undefined if it is damaged. */
  text(skill: SkillNumber): TextToEmbed | undefined {
    if (!this.#rows.isWhole(skill)) return undefined;
    const row = this.#rows.row(skill)!;
    const { name, description } = fieldsOf(row);
    const properties = JSON.parse(row.properties) as SkillProperties;
    return { textHash: row.textHash, name, description, properties, files: this.#rows.files(skill) };
  }

  put(model: string, textHash: Buffer, vector: Float32Array): void {
    this.putEncoded({ id: model, dimensions: vector.length }, textHash, encodeVector(vector));
  }

  /** Like {@link put}, for a vector that is encoded already. */
  putEncoded(model: { readonly id: string; readonly dimensions: number }, textHash: Buffer, embedding: Buffer): void {
    this.#insertModel.run(model.id, model.dimensions);
    this.#insert ??= new VectorInsertion(this.#connection);
    this.#insert.run(model.id, textHash, embedding);
  }

  /** Whether a text has a vector of a model. */
  has(model: string, textHash: Buffer): boolean {
    this.#find ??= this.#connection.prepare(
      'SELECT 1 FROM vector WHERE model = (SELECT number FROM model WHERE id = ?) AND text_hash = ?',
    );
    return this.#find.get(model, textHash) !== undefined;
  }

  /** Whether a text has a vector of any model. */
  hasAny(textHash: Buffer): boolean {
    this.#findAny ??= this.#connection.prepare(`SELECT 1 FROM vector WHERE ${OF_TEXT}`);
    return this.#findAny.get(textHash) !== undefined;
  }

  /** Deletes what vectors a text has. */
  forget(textHash: Buffer): void {
    this.#forget ??= this.#connection.prepare(`DELETE FROM vector WHERE ${OF_TEXT}`);
    this.#forget.run(textHash);
  }

  /** Deletes the vectors of every other model. */
  keepOnly(model: string | undefined): void {
    const run = (sql: string, ...parameters: string[]): unknown => this.#connection.prepare(sql).run(...parameters);
    const keep = model ?? '';
    run('DELETE FROM vector WHERE model NOT IN (SELECT number FROM model WHERE id = ?)', keep);
    run('DELETE FROM model WHERE id <> ?', keep);
  }

  /** Deletes the vectors whose text no skill has any more. */
  deleteUnused(): void {
    this.#connection.exec('DELETE FROM vector WHERE text_hash NOT IN (SELECT text_hash FROM skill)');
  }

  /** Differs between two databases with a common origin if vectors were added to or deleted from either since. */
  fingerprint(schema: 'main' | 'base'): string {
    return this.#connection
      .prepare<[], string>(`
        SELECT count(*) || ' ' || ifnull(max(number), 0) || ' ' ||
          ifnull((SELECT value FROM ${schema}.meta WHERE key = 'model'), '')
        FROM ${schema}.vector`)
      .pluck()
      .get()!;
  }
}

/** The SQL that writes a vector. */
export class VectorInsertion {
  readonly #insert: Statement<
    [vector: VectorNumber, model: string, textHash: Buffer, embedding: Buffer, checksum: number],
    unknown
  >;
  #last: VectorNumber;

  constructor(connection: Connection) {
    this.#last = connection.prepare<[], number>(LAST_VECTOR).pluck().get()!;
    this.#insert = connection.prepare(`
      INSERT OR IGNORE INTO vector (number, model, text_hash, embedding, checksum)
      VALUES (?, (SELECT number FROM model WHERE id = ?), ?, ?, ?)`);
  }

  /** Does nothing if the text has a vector of the model. */
  run(model: string, textHash: Buffer, embedding: Buffer): void {
    const number = this.#last + 1;
    const checksum = vectorChecksum(number, embedding);
    if (this.#insert.run(number, model, textHash, embedding, checksum).changes > 0) this.#last = number;
  }
}
