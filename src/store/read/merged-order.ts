import type { DocumentNumber } from '../../core/index.js';

/** In place of the number of a document in the whole: it is gone. */
export const GONE = 0xffffffff;

/** A document that came after the others were put in order. */
export interface NewDocument {
  readonly updatedAt: number;
  /** How many of the former documents have an id before its own; those that are gone count or not. */
  readonly idsBefore: number;
}

/** What is known of documents that were put in order before. */
export interface FormerOrder {
  readonly updatedAt: Float64Array;
  readonly idRank: Uint32Array;
  /** One byte a document: 1 if it is gone. */
  readonly isGone: Uint8Array;
  /** Ascending. Their dates are not known. */
  readonly damaged: Uint32Array;
}

/** Where documents stand in the whole. */
export interface MergedOrder {
  readonly size: number;
  /** For each former document its number in the whole, or {@link GONE}; ascending. */
  readonly numbers: Uint32Array;
  /** For each new document its number in the whole; ascending. */
  readonly newNumbers: Uint32Array;
}

/** Merges new documents with those that are left of the former ones, in the order of documents. Takes linear time. */
export function mergeOrder(former: FormerOrder, came: readonly NewDocument[]): MergedOrder {
  const { updatedAt, idRank, isGone, damaged } = former;
  const numbers = new Uint32Array(isGone.length).fill(GONE);
  const newNumbers = new Uint32Array(came.length);
  let [size, next, nextDamaged] = [0, 0, 0];
  for (let document = 0; document < isGone.length; document++) {
    if (isGone[document] === 1) continue;
    while (damaged[nextDamaged]! < document) nextDamaged += 1;
    if (damaged[nextDamaged] !== document) {
      while (next < came.length && isBefore(came[next]!, updatedAt[document]!, idRank[document]!)) {
        newNumbers[next++] = size++;
      }
    }
    numbers[document] = size++;
  }
  while (next < came.length) newNumbers[next++] = size++;
  return { size, numbers, newNumbers };
}

function isBefore({ updatedAt, idsBefore }: NewDocument, date: number, rank: number): boolean {
  return updatedAt > date || (updatedAt === date && idsBefore <= rank);
}

/**
 * Ranks by id of all documents.
 *
 * @param came in the order of their ids: how many former ids are before each, and its number in the whole
 */
export function mergeIdRanks(
  { idRank, isGone }: FormerOrder,
  { size, numbers }: MergedOrder,
  came: readonly { readonly idsBefore: number; readonly document: DocumentNumber }[],
): Uint32Array {
  const ranks = new Uint32Array(size);
  const byRank = new Uint32Array(idRank.length);
  for (let document = 0; document < idRank.length; document++) byRank[idRank[document]!] = document;
  let [rank, next] = [0, 0];
  for (let former = 0; former < byRank.length; former++) {
    while (next < came.length && came[next]!.idsBefore <= former) ranks[came[next++]!.document] = rank++;
    const document = byRank[former]!;
    if (isGone[document] !== 1) ranks[numbers[document]!] = rank++;
  }
  while (next < came.length) ranks[came[next++]!.document] = rank++;
  return ranks;
}

/**
 * Ranks by stars of all documents; ties are in the order of documents.
 *
 * @param starRank of the former documents
 * @param stars of all documents
 */
export function mergeStarRanks(
  starRank: Uint32Array,
  { size, numbers, newNumbers }: MergedOrder,
  stars: Float64Array,
): Uint32Array {
  const ranks = new Uint32Array(size);
  const byRank = new Uint32Array(starRank.length);
  for (let document = 0; document < starRank.length; document++) byRank[starRank[document]!] = document;
  const compare = (a: DocumentNumber, b: DocumentNumber): number => stars[b]! - stars[a]! || a - b;
  const came = newNumbers.slice().sort(compare);
  let [rank, next] = [0, 0];
  for (const former of byRank) {
    const document = numbers[former]!;
    if (document === GONE) continue;
    while (next < came.length && compare(came[next]!, document) < 0) ranks[came[next++]!] = rank++;
    ranks[document] = rank++;
  }
  while (next < came.length) ranks[came[next++]!] = rank++;
  return ranks;
}
