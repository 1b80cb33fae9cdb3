import { structureFaults } from '../check-schema.js';
import { asBeyondRepair } from '../damaged.js';
import { storeError } from '../database.js';
import { CatalogueCheck } from '../read/catalogue-check.js';
import { findDamage } from '../read/find-damage.js';
import { endLoad } from './end-load.js';
import { loadKey, OpenLoad } from './open-load.js';

/** A repair of a catalogue. It holds the right to load until it is closed. */
export class CatalogueRepair {
  readonly #load: OpenLoad;

  private constructor(load: OpenLoad) {
    this.#load = load;
  }

  /**
   * Makes again what SQLite derives, removes damaged vectors, and publishes the catalogue if that changed anything.
   *
   * @throws {SkillSearchError} `LOAD_IN_PROGRESS`, `DATABASE_NOT_WRITABLE`, `DATABASE_DAMAGED`
   */
  static async publish(path: string, signal: AbortSignal | undefined): Promise<CatalogueRepair> {
    const load = new OpenLoad(path, loadKey(['repair']), true);
    try {
      const { vectors, signatures, derivedLabels } = await findDamage(load.statements.connection, path, signal).catch(
        (error) => {
          throw asBeyondRepair(storeError(error, path, 'write'));
        },
      );
      const isNeeded =
        vectors.length + signatures.length + derivedLabels.length > 0 || (await needsIndexes(path, signal));
      endLoad(load, {
        hasWork: () => isNeeded,
        hasMended: isNeeded,
        write: (statements) => {
          if (!isNeeded) return false;
          statements.connection.exec(`
            REINDEX;
            DELETE FROM claim WHERE skill NOT IN (SELECT number FROM skill)
              OR source NOT IN (SELECT number FROM source);
            DELETE FROM file WHERE skill NOT IN (SELECT number FROM skill);
            DELETE FROM text_signature WHERE skill NOT IN (SELECT number FROM skill);
            DELETE FROM derived_label WHERE skill NOT IN (SELECT number FROM skill);`);
          statements.vectors.remove(vectors);
          statements.forgetSignatures(signatures);
          statements.labels.forget(derivedLabels);
          return false;
        },
      });
      // A repair has no counts to report.
      load.reported();
      return new CatalogueRepair(load);
    } catch (error) {
      load.close();
      throw error;
    }
  }

  close(): void {
    this.#load.close();
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
