import type { Connection, Statement } from '../../sqlite/connection.js';
import { openForReading, storeError } from '../database.js';
import { readMeta } from '../meta.js';

/** What is searched of a skill by words. */
export interface SkillTexts {
  readonly name: string;
  readonly author: string;
  /** Category and occupation slugs. */
  readonly labels: readonly string[];
  readonly description: string;
  readonly files: readonly { readonly text: string }[];
}

/** The skills of a catalogue, by document number as in `CatalogueReader`. */
export interface StoredDocuments {
  /** Number of each skill in the database. */
  readonly rows: Float64Array;
  /** The first 8 bytes of each skill's hash, as two numbers: they change with anything that is stored of it. */
  readonly hashes: Uint32Array;
}

interface TextRow {
  readonly record: string;
  readonly categories: string;
  readonly occupations: string;
}

/** A finished catalogue, read-only, for who reads the texts of many skills: holds nothing of them in memory. */
export class CatalogueTexts {
  readonly stamp: string;
  readonly #connection: Connection;
  readonly #path: string;
  readonly #skill: Statement<[row: number], TextRow>;
  readonly #files: Statement<[row: number], { text: string }>;

  /** @throws {SkillSearchError} where there is no catalogue that can be read */
  static open(path: string): CatalogueTexts {
    const connection = openForReading(path);
    try {
      return new CatalogueTexts(connection, path);
    } catch (error) {
      connection.close();
      throw storeError(error, path, 'read');
    }
  }

  private constructor(connection: Connection, path: string) {
    this.#connection = connection;
    this.#path = path;
    this.stamp = readMeta(connection, 'stamp') ?? '';
    this.#skill = connection.prepare('SELECT record, categories, occupations FROM skill WHERE number = ?');
    this.#files = connection.prepare('SELECT text FROM file WHERE skill = ? ORDER BY position');
  }

  documents(): StoredDocuments {
    return this.#guard(() => {
      const size = this.#connection.prepare<[], number>('SELECT count(*) FROM skill').pluck().get() as number;
      const rows = new Float64Array(size);
      const hashes = new Uint32Array(2 * size);
      const all = this.#connection.prepare<[], [number, Buffer]>(
        'SELECT number, hash FROM skill ORDER BY updated_at DESC, id',
      );
      let document = 0;
      for (const [row, hash] of all.raw().iterate()) {
        rows[document] = row;
        hashes[2 * document] = hash.readUInt32LE(0);
        hashes[2 * document + 1] = hash.readUInt32LE(4);
        document += 1;
      }
      return { rows, hashes };
    });
  }

  /** The texts of some skills under one lock of the file; for each visited in turn. */
  visit(rows: Float64Array, visit: (texts: SkillTexts) => void): void {
    this.#guard(() => this.#connection.transaction(() => rows.forEach((row) => void visit(this.#read(row))))());
  }

  close(): void {
    this.#connection.close();
  }

  #read(row: number): SkillTexts {
    const { record, categories, occupations } = this.#skill.get(row) as TextRow;
    const { name, author, description } = JSON.parse(record) as SkillTexts;
    const labels = [...(JSON.parse(categories) as string[]), ...(JSON.parse(occupations) as string[])];
    return { name, author, description, labels, files: this.#files.all(row) };
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw storeError(error, this.#path, 'read');
    }
  }
}
