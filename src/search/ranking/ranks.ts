import type { Comparator, DocumentNumber } from '../../core/index.js';
import type { SortOrder } from '../../query.js';

/**
 * What the orders need to know of each document, by document number. Documents are numbered by their last update,
 * latest first, then by id.
 */
export interface DocumentFacts {
  readonly stars: ArrayLike<number>;
  /** Rank of the document by id, in code-point order. */
  readonly idRank: ArrayLike<number>;
  /** Rank of the document by stars, most first, then by document number. */
  readonly starRank: ArrayLike<number>;
}

/**
 * The comparator of an order. Each is total: the last tie is decided by id.
 *
 * - `recent`: latest update first
 * - `stars`: most stars first, then the latest update
 * - `relevance`: highest score first, then most stars
 *
 * @param scoreOf score of a document; used by `relevance` only
 */
export function comparatorOf(
  order: SortOrder,
  { stars, idRank, starRank }: DocumentFacts,
  scoreOf: (document: DocumentNumber) => number,
): Comparator {
  switch (order) {
    case 'recent':
      return (a, b) => a - b;
    case 'stars':
      return (a, b) => starRank[a]! - starRank[b]!;
    case 'relevance':
      return (a, b) => scoreOf(b) - scoreOf(a) || stars[b]! - stars[a]! || idRank[a]! - idRank[b]!;
  }
}

/**
 * A part of a list of documents that is in its order already.
 *
 * @param from place of the first shown document, to behind the last one
 */
export function partOf(
  order: ArrayLike<DocumentNumber>,
  isShown: (document: DocumentNumber) => boolean,
  from: number,
  to: number,
): DocumentNumber[] {
  const part: DocumentNumber[] = [];
  for (let i = 0, place = 0; place < to && i < order.length; i++) {
    const document = order[i]!;
    if (!isShown(document)) continue;
    if (place >= from) part.push(document);
    place += 1;
  }
  return part;
}
