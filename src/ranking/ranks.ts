import type { Comparator } from '../arrays/top.js';
import type { SortOrder } from '../query.js';

/**
 * What the orders need to know of each document, by document number. Documents are numbered in the order of their last
 * update, latest first, then by id.
 */
export interface DocumentFacts {
  readonly stars: ArrayLike<number>;
  /** Place of the document when all are sorted by id in code-point order. */
  readonly idRank: ArrayLike<number>;
  /** Place of the document when all are sorted by stars, most first, then by number. */
  readonly starRank: ArrayLike<number>;
}

/**
 * The comparator of an order. Every one is total: ties end with the id.
 *
 * - `recent`: latest update first
 * - `stars`: most stars first, then the latest update
 * - `relevance`: highest score first, then most stars
 *
 * @param scoreOf score of a document number; needed for `relevance` only
 */
export function comparatorOf(
  order: SortOrder,
  { stars, idRank, starRank }: DocumentFacts,
  scoreOf: (number: number) => number,
): Comparator {
  const at = (values: ArrayLike<number>, i: number): number => values[i]!;
  switch (order) {
    case 'recent':
      return (a, b) => a - b;
    case 'stars':
      return (a, b) => at(starRank, a) - at(starRank, b);
    case 'relevance':
      return (a, b) => scoreOf(b) - scoreOf(a) || at(stars, b) - at(stars, a) || at(idRank, a) - at(idRank, b);
  }
}
