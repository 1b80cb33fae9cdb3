import type { SkillNumber } from '../../numbers.js';
import type { Skill } from '../../skill.js';
import type { Connection } from '../../sqlite/connection.js';
import { guarded, openForReading, storeError } from '../database.js';
import { DOCUMENT_ORDER } from '../document-order.js';
import { readMeta } from '../meta.js';
import { SkillStatements, type StoredFile } from './skill-statements.js';

/** The skills of a catalogue, by document number. */
export interface StoredDocuments {
  /** Number of each skill in the database. */
  readonly skills: Float64Array;
  /** The first 8 bytes of each skill's hash, as two numbers. They change with anything that is stored of the skill. */
  readonly hashes: Uint32Array;
}

/** A finished catalogue, read-only, for reading the texts of many skills. Holds none of them in memory. */
export class CatalogueTexts {
  readonly stamp: string;
  readonly #connection: Connection;
  readonly #path: string;
  readonly #statements: SkillStatements;

  /** @throws {SkillSearchError} if there is no catalogue that can be read */
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
    this.#statements = new SkillStatements(connection);
  }

  documents(): StoredDocuments {
    return guarded(this.#path, 'read', () => {
      const size = this.#connection.prepare<[], number>('SELECT count(*) FROM skill').pluck().get()!;
      const skills = new Float64Array(size);
      const hashes = new Uint32Array(2 * size);
      const all = this.#connection.prepare<[], [SkillNumber, Buffer]>(
        `SELECT number, hash FROM skill ORDER BY ${DOCUMENT_ORDER}`,
      );
      let document = 0;
      for (const [skill, hash] of all.raw().iterate()) {
        skills[document] = skill;
        hashes[2 * document] = hash.readUInt32LE(0);
        hashes[2 * document + 1] = hash.readUInt32LE(4);
        document += 1;
      }
      return { skills, hashes };
    });
  }

  /** Reads skills and their files, in the given order, under one lock of the file. */
  visit(skills: Float64Array, visit: (skill: Skill, files: readonly StoredFile[]) => void): void {
    const readAll = this.#connection.transaction(() => {
      for (const number of skills) visit(this.#statements.skill(number), this.#statements.files(number));
    });
    guarded(this.#path, 'read', readAll);
  }

  close(): void {
    this.#connection.close();
  }
}
