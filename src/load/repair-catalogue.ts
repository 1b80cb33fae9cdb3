import { isDamage } from '../core/index.js';
import { indexKeywords, indexVectors } from '../indexing/index.js';
import { CatalogueRepair } from '../store/index.js';

/**
 * Makes again what can be derived. What cannot be repaired is left as it is: the next check tells it.
 *
 * @throws {SkillSearchError} `LOAD_IN_PROGRESS`, `DATABASE_NOT_WRITABLE`
 * @throws the signal's reason when aborted
 */
export async function repairCatalogue(path: string, signal: AbortSignal | undefined): Promise<void> {
  let repair: CatalogueRepair | undefined;
  try {
    repair = await CatalogueRepair.publish(path, signal);
    await indexKeywords(path, { signal });
    await indexVectors(path, { signal, onProgress: () => {} });
  } catch (error) {
    if (!isDamage(error)) throw error;
  } finally {
    repair?.close();
  }
}
