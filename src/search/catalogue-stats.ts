import { countingSort } from '../core/index.js';
import type { CatalogueStats, CopyStats, LabelCount } from '../result.js';
import type { CatalogueReader } from '../store/index.js';
import { type FacetValues, slugValues } from './facet-values.js';
import { pageOf } from './listed-page.js';
import type { LabelIndex } from './ranking/label-filter.js';

/** @param copy what is known of the local copy; undefined if it is none */
export function statsOf(reader: CatalogueReader, copy: CopyStats | undefined): CatalogueStats {
  const stats = statsOfFile(reader);
  return copy === undefined ? stats : statsOfCopy(stats, copy);
}

/** Copies are made at different times: the same version is as old on each machine. */
export function statsOfCopy(stats: CatalogueStats, copy: CopyStats): CatalogueStats {
  const { publishedAt } = copy;
  return { ...stats, ...(publishedAt === undefined ? {} : { writtenAt: publishedAt }), copy };
}

function statsOfFile(reader: CatalogueReader): CatalogueStats {
  const { size, updatedAt, categories, occupations } = reader.columns;
  const { count, model } = reader.vectors;
  return {
    skills: size,
    files: reader.countFiles(),
    categories: categories.size,
    occupations: occupations.size,
    // Documents are numbered by date, latest first.
    newest: updatedAt[0] ?? 0,
    vectors: count,
    ...(model === undefined ? {} : { model }),
    ...(reader.damaged.size === 0 ? {} : { damaged: reader.damaged.size }),
    ...(reader.writtenAt === undefined ? {} : { writtenAt: reader.writtenAt }),
    stamp: reader.stamp,
  };
}

/** @param derived how many skills got each label from a classifier */
export function labelCounts(
  labels: LabelIndex,
  page: number | undefined,
  derived?: ReadonlyMap<string, number>,
): LabelCount[] {
  return countsOf(slugValues(labels), page, (slug, count) => {
    const ofThese = derived?.get(slug);
    return { slug, count, ...(ofThese === undefined ? {} : { derived: ofThese }) };
  });
}

/** The numbers of the values of each list that was asked for, the most frequent first, then in their order. */
const orders = new WeakMap<FacetValues, Uint32Array>();

/** How many skills have each value on a page of all values. */
export function countsOf<Count>(
  values: FacetValues,
  page: number | undefined,
  toCount: (name: string, count: number) => Count,
): Count[] {
  const { documentsOf, nameOf } = values;
  let order = orders.get(values);
  if (order === undefined) {
    const most = documentsOf.reduce((longest, { length }) => Math.max(longest, length), 0);
    order = countingSort(
      Array.from(documentsOf, ({ length }) => most - length),
      most + 1,
    ).items;
    orders.set(values, order);
  }
  return Array.from(order.subarray(...pageOf(page)), (value) => toCount(nameOf(value), documentsOf[value]!.length));
}
