import type { Comparator } from '../../core/index.js';

/** What the preference among copies depends on, by document number. */
interface PreferenceFacts {
  readonly stars: ArrayLike<number>;
  readonly updatedAt: ArrayLike<number>;
  /** Rank of the document when all are sorted by id. */
  readonly idRank: ArrayLike<number>;
}

/** Decides which of several copies is shown: the one with the most stars, then the oldest, then the first id. Total. */
export function copyPreference({ stars, updatedAt, idRank }: PreferenceFacts): Comparator {
  const at = (values: ArrayLike<number>, i: number): number => values[i]!;
  return (a, b) => at(stars, b) - at(stars, a) || at(updatedAt, a) - at(updatedAt, b) || at(idRank, a) - at(idRank, b);
}
