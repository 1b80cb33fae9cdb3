import type { AgentCount, AuthorCount, CatalogueStats, CopyStats, LabelCount } from '../result.js';
import type { CatalogueReader } from '../store/read/catalogue-reader.js';
import { facetValues } from './facet-values.js';

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

/**
 * The most frequent label first, then by slug.
 *
 * @param derived how many skills got each label from a classifier
 */
export function countLabels(
  documentsOf: ReadonlyMap<string, ArrayLike<number>>,
  derived?: ReadonlyMap<string, number>,
): LabelCount[] {
  return [...documentsOf]
    .map(([slug, documents]) => {
      const ofThese = derived?.get(slug);
      return { slug, count: documents.length, ...(ofThese === undefined ? {} : { derived: ofThese }) };
    })
    .sort((a, b) => b.count - a.count || (a.slug < b.slug ? -1 : 1));
}

/** The most frequent author first, then as facets are ordered. `unknown` is none. */
export function countAuthors(reader: CatalogueReader): AuthorCount[] {
  const { documentsOf, nameOf } = facetValues(reader, 'author');
  return reader.reading(() =>
    [...documentsOf.keys()]
      .sort((a, b) => documentsOf[b]!.length - documentsOf[a]!.length || a - b)
      .map((value) => ({ author: nameOf(value), count: documentsOf[value]!.length })),
  );
}

/** The agent with the most skills first, then by name. */
export function countAgents(reader: CatalogueReader): AgentCount[] {
  const { documentsOf, nameOf } = facetValues(reader, 'agent');
  return documentsOf
    .map((documents, value) => ({ agent: nameOf(value), count: new Set(Array.from(documents)).size }))
    .sort((a, b) => b.count - a.count || (a.agent < b.agent ? -1 : 1));
}
