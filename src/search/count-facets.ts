import type { Pieces } from '../core/index.js';
import type { CopyMode } from '../query.js';
import type { Facet, FacetCount, FacetCounts } from '../result.js';
import type { CatalogueColumns, CatalogueReader } from '../store/index.js';
import { besideTheirCopies } from '../store/index.js';
import { type FacetValues, facetValues, isNarrowed } from './facet-values.js';
import { FacetIndex } from './ranking/facet-index.js';
import type { InstallationFilter } from './ranking/label-filter.js';

/** Values of a facet that an answer counts: a list that people choose from. The most frequent ones. */
const MAX_FACET_VALUES = 100;

/** What is counted for an answer. */
interface CountedQuery extends InstallationFilter {
  readonly facets: readonly Facet[];
  readonly copies: CopyMode;
}

/** The indexes of each catalogue that were needed so far. */
const indexesByColumns = new WeakMap<CatalogueColumns, Map<Facet, FacetIndex>>();

/** What is known already, by facet and by whether copies are collapsed. */
export type KnownCounts = Map<string, readonly FacetCount[]>;

/**
 * The part of an answer that counts its skills by facet.
 *
 * @param documentsOf returns all documents of the answer, ascending, copies included
 * @param known gets what is counted, for the next answer with these documents
 */
export function facetPart(
  reader: CatalogueReader,
  documentsOf: () => Uint32Array,
  query: CountedQuery,
  known: KnownCounts = new Map(),
): { readonly facets?: FacetCounts } {
  const { facets, copies } = query;
  if (facets.length === 0) return {};
  const groupOf = copies === 'collapse' ? reader.columns.copyGroup : undefined;
  let documents: Uint32Array | undefined;
  const counts: Partial<Record<Facet, readonly FacetCount[]>> = {};
  for (const facet of facets) {
    const key = `${facet} ${copies}`;
    let counted = known.get(key);
    if (counted === undefined) {
      documents ??= groupOf === undefined ? documentsOf() : besideTheirCopies(documentsOf(), groupOf);
      counted = countFacet(reader, facet, query, documents, groupOf);
      known.set(key, counted);
    }
    counts[facet] = counted;
  }
  return { facets: counts };
}

/** The facets that answers of a state were counted by so far. */
export function facetsUsed({ columns }: CatalogueReader): readonly Facet[] {
  return [...(indexesByColumns.get(columns)?.keys() ?? [])];
}

/** Makes in pieces what the first count by some facets would make, in some hundredths of a second. */
export function* prepareFacets(reader: CatalogueReader, facets: readonly Facet[]): Pieces<void> {
  for (const facet of facets) {
    const values = facetValues(reader, facet);
    yield;
    facetIndex(reader, facet, values);
    yield;
  }
}

function countFacet(
  reader: CatalogueReader,
  facet: Facet,
  filter: InstallationFilter,
  documents: Uint32Array,
  groupOf: Uint32Array | undefined,
): readonly FacetCount[] {
  const values = facetValues(reader, facet, filter);
  const index = isNarrowed(facet, filter) ? indexOf(reader, values) : facetIndex(reader, facet, values);
  const counts = index.count(documents, groupOf, MAX_FACET_VALUES);
  return counts.map(({ value, count }) => ({ value: values.nameOf(value), count }));
}

/** The index of a facet; made when first needed, in some hundredths of a second for 100,000 skills. */
function facetIndex(reader: CatalogueReader, facet: Facet, values: FacetValues): FacetIndex {
  const { columns } = reader;
  const known = indexesByColumns.get(columns) ?? new Map<Facet, FacetIndex>();
  indexesByColumns.set(columns, known);
  const index = known.get(facet) ?? indexOf(reader, values);
  known.set(facet, index);
  return index;
}

function indexOf({ columns }: CatalogueReader, { documentsOf }: FacetValues): FacetIndex {
  return new FacetIndex(columns.size, documentsOf);
}
