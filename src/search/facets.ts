import {
  authorKey,
  checkInteger,
  compareCodePoints,
  countingSort,
  type DocumentNumber,
  licenseKey,
  MAX_LISTED,
  type Pieces,
  parameterOf,
  topOf,
} from '../core/index.js';
import type { CopyMode } from '../query.js';
import type { CatalogueStats, CopyStats, Facet, FacetCount, FacetCounts, LabelCount } from '../result.js';
import { UNKNOWN } from '../skill.js';
import { besideTheirCopies, type CatalogueColumns, type CatalogueReader } from '../store/index.js';
import {
  documentsByInstallation,
  documentsByOccupation,
  type InstallationFilter,
  type LabelIndex,
} from './ranking/filter-mask.js';

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

/** A value of a facet, by its number, and how often it was counted. */
interface ValueCount {
  readonly value: number;
  readonly count: number;
}

/**
 * The values of a facet by document: the index of labels the other way round. Counting reads the values of the counted
 * documents only.
 */
class FacetIndex {
  /** Where the values of each document begin in {@link #values}. One more than there are documents. */
  readonly #starts: Uint32Array;
  readonly #values: Uint32Array;
  /** Counts, and which group was counted last, by value. All are 0 between two calls. */
  readonly #counts: Uint32Array;
  readonly #lastGroup: Uint32Array;
  /** The values that were counted so far. */
  readonly #counted: Uint32Array;

  /**
   * @param size number of documents
   * @param documentsOf the documents of each value, in the order of values with equal counts; one may be repeated
   */
  constructor(size: number, documentsOf: readonly ArrayLike<DocumentNumber>[]) {
    const ends = new Uint32Array(size + 1);
    for (const documents of documentsOf) {
      for (let i = 0; i < documents.length; i++) ends[documents[i]!] = ends[documents[i]!]! + 1;
    }
    for (let document = 1; document <= size; document++) ends[document] = ends[document]! + ends[document - 1]!;
    this.#values = new Uint32Array(ends[size]!);
    // Filled from the end of each document on, which turns its end into its start.
    for (let value = documentsOf.length - 1; value >= 0; value--) {
      const documents = documentsOf[value]!;
      for (let i = 0; i < documents.length; i++) {
        const at = ends[documents[i]!]! - 1;
        ends[documents[i]!] = at;
        this.#values[at] = value;
      }
    }
    this.#starts = ends;
    this.#counts = new Uint32Array(documentsOf.length);
    this.#lastGroup = new Uint32Array(documentsOf.length);
    this.#counted = new Uint32Array(documentsOf.length);
  }

  /**
   * Counts the values of some documents. A value counts once for each group of documents.
   *
   * @param groupOf group of each document; documents of a group must be neighbours. Undefined: each is a group.
   * @param limit how many values at most
   * @returns the most frequent values first, then by number
   */
  count(documents: Uint32Array, groupOf: ArrayLike<DocumentNumber> | undefined, limit: number): readonly ValueCount[] {
    const [starts, values, counts, lastGroup, counted] = [
      this.#starts,
      this.#values,
      this.#counts,
      this.#lastGroup,
      this.#counted,
    ];
    let found = 0;
    for (let i = 0; i < documents.length; i++) {
      const document = documents[i]!;
      const group = (groupOf === undefined ? document : groupOf[document]!) + 1;
      const end = starts[document + 1]!;
      for (let at = starts[document]!; at < end; at++) {
        const value = values[at]!;
        if (lastGroup[value] === group) continue;
        lastGroup[value] = group;
        if (counts[value] === 0) counted[found++] = value;
        counts[value] = counts[value]! + 1;
      }
    }
    const all = counted.subarray(0, found);
    const best = topOf(all, (a, b) => counts[b]! - counts[a]! || a - b, 0, limit);
    const answer = best.map((value) => ({ value, count: counts[value]! }));
    for (let i = 0; i < found; i++) {
      counts[all[i]!] = 0;
      lastGroup[all[i]!] = 0;
    }
    return answer;
  }
}

/** The values of a facet in a catalogue, numbered by their keys in code-point order. */
export interface FacetValues {
  /** The documents that pass a filter by each value. */
  readonly documentsOf: readonly ArrayLike<DocumentNumber>[];
  /** A value as it is shown. */
  readonly nameOf: (value: number) => string;
}

/** How many documents are asked how they write a value. */
const MOST_ASKED = 10;

/** The values of each catalogue that were needed so far. */
const valuesByColumns = new WeakMap<CatalogueColumns, Map<Facet, FacetValues>>();

/**
 * The values of a facet; made when first needed.
 *
 * @param filter what an installation must be to count, for the facets `agent` and `scope`
 */
export function facetValues(reader: CatalogueReader, facet: Facet, filter: InstallationFilter = {}): FacetValues {
  const { columns } = reader;
  if (isNarrowed(facet, filter)) {
    return slugValues(documentsByInstallation(columns.installations, facet, filter));
  }
  const known = valuesByColumns.get(columns) ?? new Map<Facet, FacetValues>();
  valuesByColumns.set(columns, known);
  const values = known.get(facet) ?? SOURCES[facet](reader);
  known.set(facet, values);
  return values;
}

/**
 * Whether a facet counts fewer installations because of the filters of a query: an agent counts with the scope that is
 * asked for, a scope with the agent. There may be too many such pairs to keep what each needs.
 */
function isNarrowed(facet: Facet, { agent, scope }: InstallationFilter): facet is 'agent' | 'scope' {
  return (facet === 'agent' && scope !== undefined) || (facet === 'scope' && agent !== undefined);
}

const SOURCES: Readonly<Record<Facet, (reader: CatalogueReader) => FacetValues>> = {
  category: ({ columns }) => slugValues(columns.categories),
  occupation: ({ columns }) => slugValues(documentsByOccupation(columns.occupations)),
  author: (reader) =>
    namedValues(reader.columns.authors, {
      keyOf: authorKey,
      readName: (document) => reader.authorOf(document),
      none: authorKey(UNKNOWN),
    }),
  license: (reader) =>
    namedValues(reader.columns.licenses, {
      keyOf: licenseKey,
      readName: (document) => reader.licenseOf(document),
    }),
  agent: ({ columns }) => slugValues(documentsByInstallation(columns.installations, 'agent', {})),
  scope: ({ columns }) => slugValues(documentsByInstallation(columns.installations, 'scope', {})),
};

/** The values of labels that are shown as they are; made once. */
function slugValues(labels: LabelIndex): FacetValues {
  const known = valuesByLabels.get(labels);
  if (known !== undefined) return known;
  const keys = [...labels.keys()].sort(compareCodePoints);
  const values = { documentsOf: keys.map((key) => labels.get(key)!), nameOf: (value: number) => keys[value]! };
  valuesByLabels.set(labels, values);
  return values;
}

const valuesByLabels = new WeakMap<LabelIndex, FacetValues>();

/** How the values of a facet are written. */
interface Names {
  readonly keyOf: (name: string) => string | undefined;
  /** Reads what a document writes. */
  readonly readName: (document: DocumentNumber) => string | undefined;
  /** The key of skills that have no value; left out if the labels leave them out. */
  readonly none?: string;
}

/**
 * The values of a facet that skills write in different ways. Shown is the way of the skill that was updated last.
 *
 * @param labels documents by key
 */
function namedValues(labels: LabelIndex, { keyOf, readName, none }: Names): FacetValues {
  const keys = [...labels.keys()].filter((key) => key !== none).sort(compareCodePoints);
  const documentsOf = keys.map((key) => labels.get(key)!);
  const names: (string | undefined)[] = new Array(keys.length);
  const read = (value: number): string => {
    const key = keys[value]!;
    const documents = documentsOf[value]!;
    // What is damaged by now is passed over. The key is right, but in lower case.
    for (let i = 0; i < Math.min(documents.length, MOST_ASKED); i++) {
      const name = readName(documents[i]!);
      if (name !== undefined && keyOf(name) === key) return name;
    }
    return key;
  };
  const nameOf = (value: number): string => {
    const name = names[value] ?? read(value);
    names[value] = name;
    return name;
  };
  return { documentsOf, nameOf };
}

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

/** Which items are on a page of a list: from the first number up to the second. */
export function pageOf(page: number | undefined): readonly [from: number, to: number] {
  const to = (checkInteger(parameterOf('page'), page, 1, Number.MAX_SAFE_INTEGER) ?? 1) * MAX_LISTED;
  return [to - MAX_LISTED, to];
}
