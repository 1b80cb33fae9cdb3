import { loopTurn, madeOnce, orUndefined, type SkillNumber, type VectorNumber } from '../../core/index.js';
import { isVectorWhole } from '../checksums.js';
import { asBeyondRepair, isCorrupt, storeError } from '../database.js';
import { CatalogueCheck, findDamage, structureFaults } from '../read/catalogue-check.js';
import { BlobRows, faultOfContents } from '../read/content-reader.js';
import { SkillRows } from '../read/stored-row.js';
import { hasUnitLength } from '../read/stored-vectors.js';
import type { Connection } from '../sqlite.js';
import { endLoad, OpenLoad } from './open-load.js';

/**
 * Makes again what SQLite derives, removes damaged vectors, and publishes the catalogue if that changed anything.
 *
 * @returns it holds the right to load until it is closed
 * @throws {SkillSearchError} `LOAD_IN_PROGRESS`, `DATABASE_NOT_WRITABLE`, `DATABASE_DAMAGED`
 */
export async function publishRepair(path: string, signal: AbortSignal | undefined): Promise<OpenLoad> {
  const load = new OpenLoad(path, true);
  try {
    const { vectors } = await findDamage(load.statements.connection, path, signal).catch((error) => {
      throw asBeyondRepair(storeError(error, path, 'write'));
    });
    const isNeeded = vectors.length > 0 || (await needsIndexes(path, signal));
    endLoad(load, {
      hasWork: () => isNeeded,
      hasMended: isNeeded,
      write: (statements) => {
        if (!isNeeded) return false;
        statements.connection.exec(`
          REINDEX;
          DELETE FROM claim WHERE skill NOT IN (SELECT number FROM skill)
            OR source NOT IN (SELECT number FROM source);
          DELETE FROM file WHERE skill NOT IN (SELECT number FROM skill);`);
        statements.vectors.remove(vectors);
        return false;
      },
    });
    return load;
  } catch (error) {
    load.close();
    throw error;
  }
}

/** Whether SQLite finds fault with the file, or its notes about itself are wrong. */
async function needsIndexes(path: string, signal: AbortSignal | undefined): Promise<boolean> {
  if ((await structureFaults(path, 'full', signal)).length > 0) return true;
  const check = CatalogueCheck.open(path);
  try {
    return check.contradictions().length > 0;
  } finally {
    check.close();
  }
}

/** Vectors that are checked between two turns of the event loop: a few milliseconds. */
const VECTORS_A_TURN = 500;

/**
 * The vectors of a skill, one a model. `CROSS JOIN` keeps SQLite from reading all vectors for each skill, which it
 * prefers where it knows nothing of the number of models.
 */
const VECTORS_OF_SKILL: string = `
  SELECT vector.number, embedding, dimensions, vector.checksum
  FROM skill CROSS JOIN model CROSS JOIN vector ON vector.model = model.number AND vector.text_hash = skill.text_hash
  WHERE skill.number = ?`;

/**
 * Says which skills of a catalogue are damaged. Only skills that a load brings are looked at, so a small load into a
 * large catalogue stays small.
 */
export class DamagedSkills {
  readonly #connection: Connection;
  readonly #rows: SkillRows;
  readonly #known = new Map<SkillNumber, boolean>();
  readonly #blobRows: BlobRows;
  /** Whether the bytes of a digest are whole: many skills may share them. */
  readonly #blobs = new Map<string, boolean>();

  /** @param connection of the catalogue as it was before the load */
  constructor(connection: Connection) {
    this.#connection = connection;
    this.#rows = new SkillRows(connection, '');
    this.#blobRows = new BlobRows(connection);
  }

  /** Whether what is stored of a skill, with its files, is not as it was written. */
  has(skill: SkillNumber): boolean {
    return madeOnce(this.#known, skill, () => !this.#rows.isWhole(skill) || !this.#areContentsWhole(skill));
  }

  /** Whether the bytes with a digest are in the catalogue, as they were written. */
  hasWholeBlob(sha256: string): boolean {
    return madeOnce(this.#blobs, sha256, () => this.#blobRows.hasWhole(Buffer.from(sha256, 'hex')));
  }

  #areContentsWhole(skill: SkillNumber): boolean {
    // Called after the row was found to be whole.
    const faultOf = (): string | undefined =>
      faultOfContents(this.#rows.row(skill)?.contents ?? null, (sha256) => this.hasWholeBlob(sha256));
    return orUndefined(() => faultOf() ?? 'none', isCorrupt) === 'none';
  }

  /** Notes that the load has written a skill. */
  noteWritten(skill: SkillNumber): void {
    this.#known.set(skill, false);
  }

  /**
   * The damaged ones among the vectors of some skills. Gives way to the event loop in between.
   *
   * @throws the signal's reason when aborted
   */
  async vectorsOf(skills: Iterable<SkillNumber>, signal: AbortSignal | undefined): Promise<VectorNumber[]> {
    const vectorsOf = this.#connection
      .prepare<[SkillNumber], [VectorNumber, unknown, number, number | null]>(VECTORS_OF_SKILL)
      .raw();
    const damaged = new Set<VectorNumber>();
    let looked = 0;
    for (const skill of skills) {
      for (const [vector, embedding, dimensions, checksum] of vectorsOf.all(skill)) {
        if (!isVectorWhole(vector, embedding, checksum) || !hasUnitLength(embedding, dimensions)) damaged.add(vector);
      }
      if (++looked % VECTORS_A_TURN > 0) continue;
      await loopTurn(signal);
    }
    return [...damaged];
  }
}
