import type { CatalogueChanges } from '../../../src/store/transfer/catalogue-changes.js';
import { differenceOf } from '../../../src/store/transfer/difference.js';

/**
 * Calls work with the difference of two catalogues, or with one that is not quite it.
 *
 * @param more takes the place of what the difference says
 */
export async function withChanges<T>(
  base: string | undefined,
  next: string,
  work: (changes: CatalogueChanges) => T,
  more: (changes: CatalogueChanges) => Partial<CatalogueChanges> = () => ({}),
): Promise<Awaited<T>> {
  const found = differenceOf(base, next);
  try {
    const { stamp, model, classifier, removed, changed } = found;
    const changes: CatalogueChanges = {
      ...{ stamp, model, classifier, removed, changed },
      images: () => found.images(),
      blobs: (digests) => found.blobs(digests),
      vectors: (textHashes) => found.vectors(textHashes),
    };
    return await work({ ...changes, ...more(changes) });
  } finally {
    found.close();
  }
}
