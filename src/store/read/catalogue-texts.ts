import type { SkillNumber } from '../../core/index.js';
import { isDamage } from '../../core/index.js';
import type { Skill } from '../../skill.js';
import { guarded, openForReading, storeError } from '../database.js';
import { checkNotes, readMeta } from '../notes.js';
import { OpenedState } from '../revisions.js';
import { DOCUMENT_ORDER } from '../schema.js';
import type { Connection } from '../sqlite.js';
import { SkillStatements, type StoredFile, unpacked } from './stored-row.js';

/** The skills of a catalogue, by document number. */
export interface StoredDocuments {
  /** Number of each skill in the database. */
  readonly skills: Float64Array;
  /** The first 8 bytes of each skill's hash, as two numbers. They change with anything that is stored of the skill. */
  readonly hashes: Uint32Array;
}

/** A skill and its files. */
export interface StoredTexts {
  readonly skill: Skill;
  readonly files: readonly StoredFile[];
}

/** A finished catalogue, read-only, for reading the texts of many skills. Holds none of them in memory. */
export class CatalogueTexts {
  readonly stamp: string;
  readonly #connection: Connection;
  readonly #path: string;
  readonly #statements: SkillStatements;
  readonly #opened: OpenedState;

  /** @throws {SkillSearchError} if there is no catalogue that can be read */
  static open(path: string): CatalogueTexts {
    const connection = openForReading(path);
    try {
      // At once: a small change may come between two statements.
      return connection.transaction(() => {
        checkNotes(connection, path);
        return new CatalogueTexts(connection, path);
      })();
    } catch (error) {
      connection.close();
      throw storeError(error, path, 'read');
    }
  }

  private constructor(connection: Connection, path: string) {
    this.#connection = connection;
    this.#path = path;
    this.stamp = readMeta(connection, 'stamp') ?? '';
    this.#opened = new OpenedState(connection, path, this.stamp);
    this.#statements = new SkillStatements(connection, path);
  }

  documents(): StoredDocuments {
    return guarded(this.#path, 'read', () => {
      // Not by count(*), which asks an index.
      const statement = this.#connection
        .prepare<[], [SkillNumber, Buffer]>(`SELECT number, hash FROM skill NOT INDEXED ORDER BY ${DOCUMENT_ORDER}`)
        .raw();
      const readAll = this.#connection.transaction(() => {
        this.#opened.settle();
        return statement.all();
      });
      const all = readAll();
      const size = all.length;
      const skills = new Float64Array(size);
      const hashes = new Uint32Array(2 * size);
      for (const [document, [skill, hash]] of all.entries()) {
        skills[document] = skill;
        // Damage can make anything of it. Zeros make the skill count as changed.
        if (!Buffer.isBuffer(hash) || hash.length < 8) continue;
        hashes[2 * document] = hash.readUInt32LE(0);
        hashes[2 * document + 1] = hash.readUInt32LE(4);
      }
      return { skills, hashes };
    });
  }

  /**
   * Reads skills and their files, in the given order, under one lock of the file.
   *
   * @param visit called for each; with undefined for one that is damaged
   */
  visit(skills: Float64Array, visit: (item: StoredTexts | undefined) => void): void {
    const readAll = this.#connection.transaction(() => {
      this.#opened.settle();
      for (const number of skills) visit(this.#read(number));
    });
    guarded(this.#path, 'read', readAll);
  }

  #read(number: SkillNumber): StoredTexts | undefined {
    try {
      return { skill: this.#statements.skill(number), files: unpacked(this.#statements.files(number)) };
    } catch (error) {
      if (isDamage(error)) return undefined;
      throw error;
    }
  }

  close(): void {
    this.#connection.close();
  }
}
