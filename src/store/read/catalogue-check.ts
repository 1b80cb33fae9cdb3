import type { SkillNumber } from '../../core/index.js';
import { asBeyondRepair } from '../damaged.js';
import { guarded, openForReading, storeError } from '../database.js';
import { gatherFacts, isMetaWhole, readFacts } from '../facts.js';
import { readLineage } from '../lineage.js';
import { readMeta } from '../meta.js';
import type { Connection } from '../sqlite/connection.js';
import { type DamagedRow, findDamage } from './find-damage.js';
import type { StoredFileRow, StoredRow } from './stored-row.js';

/** What points nowhere, and how it is told. */
const DANGLING: readonly (readonly [sql: string, problem: string])[] = [
  ['SELECT count(*) FROM claim WHERE skill NOT IN (SELECT number FROM skill)', 'claims of skills that are not there'],
  [
    'SELECT count(*) FROM claim WHERE source NOT IN (SELECT number FROM source)',
    'claims of sources that are not there',
  ],
  ['SELECT count(*) FROM file WHERE skill NOT IN (SELECT number FROM skill)', 'files of skills that are not there'],
];

/** Goes through all of a finished catalogue. */
export class CatalogueCheck {
  readonly stamp: string;
  /** Stamps of the states that small changes made since the last whole load, and of the one that it made. */
  readonly states: readonly string[];
  /** Id of the model of the vectors; undefined if there are none. */
  readonly model: string | undefined;
  /** Number of skills and of vectors. */
  readonly skills: number;
  readonly vectors: number;
  readonly #connection: Connection;
  readonly #path: string;

  /** @throws {SkillSearchError} if there is no catalogue that can be read */
  static open(path: string): CatalogueCheck {
    let connection: Connection | undefined;
    try {
      connection = openForReading(path);
      return new CatalogueCheck(connection, path);
    } catch (error) {
      connection?.close();
      throw asBeyondRepair(storeError(error, path, 'read'));
    }
  }

  private constructor(connection: Connection, path: string) {
    this.#connection = connection;
    this.#path = path;
    this.stamp = readMeta(connection, 'stamp') ?? '';
    this.states = readLineage(connection).map(({ stamp }) => stamp);
    this.skills = this.#count('skill');
    this.vectors = this.#count('vector');
    this.model = this.vectors === 0 ? undefined : readMeta(connection, 'model');
  }

  /** Where the catalogue contradicts itself, though each part may be whole. */
  contradictions(): string[] {
    return guarded(this.#path, 'read', () => {
      const found: string[] = [];
      const isWhole = isMetaWhole(this.#connection);
      if (!isWhole) found.push('what the last load noted of it is not as it was written');
      const noted = isWhole ? readFacts(this.#connection) : undefined;
      const present = gatherFacts(this.#connection);
      for (const [name, was] of Object.entries(noted ?? {})) {
        // Two are facts of the last whole load.
        if (name === 'unembedded' || name === 'loaded' || present[name as keyof typeof present] === was) continue;
        found.push(`its ${name} are not those that it had`);
      }
      for (const [sql, problem] of DANGLING) {
        const count = this.#connection.prepare<[], number>(sql).pluck().get()!;
        if (count > 0) found.push(`it has ${count} ${problem}`);
      }
      return found;
    });
  }

  /**
   * Compares everything with its checksums. Gives way to the event loop in between.
   *
   * @param look looks at a skill that is as it was written, and says what is wrong with it all the same
   * @throws {SkillSearchError} `DATABASE_DAMAGED` if not everything can be read
   */
  async contents(
    signal: AbortSignal | undefined,
    look: (row: StoredRow, files: readonly StoredFileRow[]) => string | undefined,
  ): Promise<{
    readonly skills: readonly DamagedRow[];
    readonly vectors: readonly string[];
    /** Ids of the skills whose signature is damaged, as they are stored. */
    readonly signatures: readonly string[];
    /** Ids of the skills whose derived labels are damaged, as they are stored. */
    readonly derivedLabels: readonly string[];
  }> {
    try {
      const { skills, vectors, signatures, derivedLabels } = await findDamage(
        this.#connection,
        this.#path,
        signal,
        look,
      );
      return {
        skills: [...skills.values()],
        vectors: vectors.map((number) => `the vector ${number} is not as it was written, or has not unit length`),
        signatures: signatures.map((skill) => this.#idOf(skill)),
        derivedLabels: derivedLabels.map((skill) => this.#idOf(skill)),
      };
    } catch (error) {
      throw storeError(error, this.#path, 'read');
    }
  }

  close(): void {
    this.#connection.close();
  }

  #idOf(skill: SkillNumber): string {
    const id = this.#connection.prepare<[number], unknown>('SELECT id FROM skill WHERE number = ?').pluck().get(skill);
    return id === undefined ? `with the number ${skill}` : String(id);
  }

  #count(table: string): number {
    return this.#connection.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get()!;
  }
}
