import type { DocumentNumber } from '../../core/index.js';
import { lowerBound, lowerBoundBy } from '../../core/index.js';
import type { ResolvedFilters } from '../../filters.js';
import { type CatalogueLabels, labelMask } from './label-filter.js';

/** What the filters need to know of the documents of a catalogue. Documents are numbered by date, latest first. */
export interface FilteredColumns extends CatalogueLabels {
  readonly stars: ArrayLike<number>;
  /** Unix seconds by document, falling but for damaged ones; 0 if unknown. */
  readonly updatedAt: ArrayLike<number>;
  /** Documents that no filter lets pass, ascending. */
  readonly damaged: Uint32Array;
  /** Documents that no model may call, ascending. Read only if a query asks for it. */
  readonly notInvocable: Uint32Array;
}

/**
 * The documents that pass the filters of a query.
 *
 * @returns one byte a document, 1 if it passes; undefined if there are no filters
 */
export function filterMask(columns: FilteredColumns, filters: ResolvedFilters): Uint8Array | undefined {
  const { minStars, updatedAfter, updatedBefore, invocable } = filters;
  const labelled = invocableMask(columns, invocable, labelMask(columns, filters));
  if (minStars === undefined && updatedAfter === undefined && updatedBefore === undefined) return labelled;
  const mask = labelled ?? wholeMask(columns);
  if (updatedAfter !== undefined || updatedBefore !== undefined) {
    const [from, to] = updatedBetween(columns, updatedAfter, updatedBefore);
    mask.fill(0, 0, from);
    mask.fill(0, Math.max(from, to));
  }
  if (minStars !== undefined) {
    const { stars } = columns;
    for (let document = 0; document < mask.length; document++) if (stars[document]! < minStars) mask[document] = 0;
  }
  return mask;
}

/**
 * Leaves out what no model may call, or all else.
 *
 * @param mask of the other filters; changed. Undefined if they let all documents pass
 */
function invocableMask(
  columns: FilteredColumns,
  invocable: boolean | undefined,
  mask: Uint8Array | undefined,
): Uint8Array | undefined {
  if (invocable === undefined) return mask;
  const { size, notInvocable } = columns;
  if (invocable) {
    // In most catalogues there is none. A search without a mask is faster.
    if (notInvocable.length === 0) return mask;
    const passing = mask ?? wholeMask(columns);
    for (let i = 0; i < notInvocable.length; i++) passing[notInvocable[i]!] = 0;
    return passing;
  }
  const passing = new Uint8Array(size);
  for (let i = 0; i < notInvocable.length; i++) passing[notInvocable[i]!] = mask?.[notInvocable[i]!] ?? 1;
  return passing;
}

/** The mask that lets all documents pass but those that are damaged. */
export function wholeMask({ size, damaged }: Pick<FilteredColumns, 'size' | 'damaged'>): Uint8Array {
  const mask = new Uint8Array(size).fill(1);
  for (const document of damaged) mask[document] = 0;
  return mask;
}

/** The documents of known time that were updated from one time on, and before another: a range of numbers. */
function updatedBetween(
  { size, updatedAt, damaged }: FilteredColumns,
  after = Number.NEGATIVE_INFINITY,
  before = Number.POSITIVE_INFINITY,
): readonly [from: DocumentNumber, to: DocumentNumber] {
  /** The time of a document, or of the next one whose time is not lost. */
  const timeOf = (document: DocumentNumber): number => {
    let next = document;
    for (let at = lowerBound(damaged, next); damaged[at] === next; at++) next += 1;
    return updatedAt[next] ?? 0;
  };
  const from = lowerBoundBy(size, (document) => timeOf(document) >= before);
  const to = lowerBoundBy(size, (document) => timeOf(document) >= after && timeOf(document) > 0);
  return [from, to];
}
