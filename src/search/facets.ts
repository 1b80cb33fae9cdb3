import {
  authorKey,
  checkInteger,
  compareCodePoints,
  countingSort,
  type DocumentNumber,
  licenseKey,
  MAX_LISTED,
  madeOnce,
  parameterOf,
  topOf,
} from '../core/index.js';
import type { CopyMode } from '../query.js';
import type { CatalogueStats, CopyStats, Facet, FacetCount, FacetCounts, LabelCount } from '../result.js';
import { UNKNOWN } from '../skill.js';
import { besideTheirCopies, type CatalogueColumns, type CatalogueReader } from '../store/index.js';
import { once, oncePer } from './once.js';
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
  const documents = once(() => (groupOf === undefined ? documentsOf() : besideTheirCopies(documentsOf(), groupOf)));
  const counts: Partial<Record<Facet, readonly FacetCount[]>> = {};
  for (const facet of facets) {
    counts[facet] = madeOnce(known, `${facet} ${copies}`, () => {
      const values = facetValues(reader, facet, query);
      const counted = counterOf(values)(documents(), groupOf, MAX_FACET_VALUES);
      return counted.map(({ value, count }) => ({ value: values.nameOf(value), count }));
    });
  }
  return { facets: counts };
}

/**
 * Counts the values of some documents. A value counts once for each group of documents.
 *
 * @param groupOf group of each document; documents of a group must be neighbours. Undefined: each is a group.
 * @param limit how many values at most
 * @returns the most frequent values first, then by number
 */
type CountValues = (
  documents: Uint32Array,
  groupOf: ArrayLike<DocumentNumber> | undefined,
  limit: number,
) => readonly { readonly value: number; readonly count: number }[];

/**
 * The values of a facet by document: the index of labels the other way round, so that counting reads the values of the
 * counted documents only. Made when first needed, in some hundredths of a second for 100,000 skills.
 */
const counterOf = oncePer(({ documentsOf, size }: FacetValues): CountValues => {
  const pairs = documentsOf.reduce((sum, { length }) => sum + length, 0);
  const [documentAt, valueAt] = [new Uint32Array(pairs), new Uint32Array(pairs)];
  let next = 0;
  for (const [value, having] of documentsOf.entries()) {
    documentAt.set(having, next);
    valueAt.fill(value, next, next + having.length);
    next += having.length;
  }
  const { starts, items } = countingSort(documentAt, size);
  const values = items.map((pair) => valueAt[pair]!);
  // Counts, and which group was counted last, by value. All are 0 between two calls.
  const counts = new Uint32Array(documentsOf.length);
  const lastGroup = new Uint32Array(documentsOf.length);
  return (documents, groupOf, limit) => {
    const counted: number[] = [];
    for (let i = 0; i < documents.length; i++) {
      const document = documents[i]!;
      const group = (groupOf === undefined ? document : groupOf[document]!) + 1;
      const end = starts[document + 1]!;
      for (let at = starts[document]!; at < end; at++) {
        const value = values[at]!;
        if (lastGroup[value] === group) continue;
        lastGroup[value] = group;
        if (counts[value] === 0) counted.push(value);
        counts[value] = counts[value]! + 1;
      }
    }
    const best = topOf(counted, (a, b) => counts[b]! - counts[a]! || a - b, 0, limit);
    const answer = best.map((value) => ({ value, count: counts[value]! }));
    for (const value of counted) {
      counts[value] = 0;
      lastGroup[value] = 0;
    }
    return answer;
  };
});

/** The values of a facet in a catalogue, numbered by their keys in code-point order. */
export interface FacetValues {
  /** The documents that pass a filter by each value. */
  readonly documentsOf: readonly ArrayLike<DocumentNumber>[];
  /** A value as it is shown. */
  readonly nameOf: (value: number) => string;
  /** Number of documents of the catalogue. */
  readonly size: number;
}

/** How many documents are asked how they write a value. */
const MOST_ASKED = 10;

/** The values of each catalogue that were needed so far. */
const valuesOf = oncePer((_: CatalogueColumns) => new Map<Facet, FacetValues>());

/**
 * The values of a facet; made when first needed.
 *
 * @param filter what an installation must be to count, for the facets `agent` and `scope`
 */
export function facetValues(reader: CatalogueReader, facet: Facet, filter: InstallationFilter = {}): FacetValues {
  const { columns } = reader;
  if (isNarrowed(facet, filter)) {
    return slugValues(documentsByInstallation(columns.installations, facet, filter), columns.size);
  }
  return madeOnce(valuesOf(columns), facet, () => SOURCES[facet](reader));
}

/**
 * Whether a facet counts fewer installations because of the filters of a query: an agent counts with the scope that is
 * asked for, a scope with the agent. There may be too many such pairs to keep what each needs.
 */
function isNarrowed(facet: Facet, { agent, scope }: InstallationFilter): facet is 'agent' | 'scope' {
  return (facet === 'agent' && scope !== undefined) || (facet === 'scope' && agent !== undefined);
}

const SOURCES: Readonly<Record<Facet, (reader: CatalogueReader) => FacetValues>> = {
  category: ({ columns }) => slugValues(columns.categories, columns.size),
  occupation: ({ columns }) => slugValues(documentsByOccupation(columns.occupations), columns.size),
  author: (reader) => {
    const { authors, size } = reader.columns;
    return namedValues(authors, size, authorKey, (document) => reader.authorOf(document), authorKey(UNKNOWN));
  },
  license: (reader) => {
    const { licenses, size } = reader.columns;
    return namedValues(licenses, size, licenseKey, (document) => reader.licenseOf(document));
  },
  agent: ({ columns }) => slugValues(documentsByInstallation(columns.installations, 'agent', {}), columns.size),
  scope: ({ columns }) => slugValues(documentsByInstallation(columns.installations, 'scope', {}), columns.size),
};

/** The values of labels that are shown as they are. */
function slugValues(labels: LabelIndex, size: number): FacetValues {
  const keys = [...labels.keys()].sort(compareCodePoints);
  return { documentsOf: keys.map((key) => labels.get(key)!), nameOf: (value) => keys[value]!, size };
}

/**
 * The values of a facet that skills write in different ways. Shown is the way of the skill that was updated last.
 *
 * @param labels documents by key
 * @param readName reads what a document writes
 * @param none the key of skills that have no value
 */
function namedValues(
  labels: LabelIndex,
  size: number,
  keyOf: (name: string) => string | undefined,
  readName: (document: DocumentNumber) => string | undefined,
  none?: string,
): FacetValues {
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
  return { documentsOf, nameOf, size };
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

/** The values of the occupations that skills have themselves. */
const ownOccupations = oncePer(({ occupations, size }: CatalogueColumns) => slugValues(occupations, size));

/** How many skills have each label on a page of all labels. */
export function labelCounts(
  reader: CatalogueReader,
  kind: 'category' | 'occupation',
  page: number | undefined,
): LabelCount[] {
  const values = kind === 'category' ? facetValues(reader, kind) : ownOccupations(reader.columns);
  // To how many skills a classifier gave each.
  const derived = kind === 'category' ? reader.derivedCounts() : undefined;
  return countsOf(values, page, (slug, count) => {
    const ofThese = derived?.get(slug);
    return { slug, count, ...(ofThese === undefined ? {} : { derived: ofThese }) };
  });
}

/** The numbers of the values of a list, the most frequent first, then in their order. */
const byFrequency = oncePer(({ documentsOf }: FacetValues) => {
  const most = documentsOf.reduce((longest, { length }) => Math.max(longest, length), 0);
  const rarity = Array.from(documentsOf, ({ length }) => most - length);
  return countingSort(rarity, most + 1).items;
});

/** How many skills have each value on a page of all values. */
export function countsOf<Count>(
  values: FacetValues,
  page: number | undefined,
  toCount: (name: string, count: number) => Count,
): Count[] {
  const { documentsOf, nameOf } = values;
  const shown = byFrequency(values).subarray(...pageOf(page));
  return Array.from(shown, (value) => toCount(nameOf(value), documentsOf[value]!.length));
}

/** Which items are on a page of a list: from the first number up to the second. */
export function pageOf(page: number | undefined): readonly [from: number, to: number] {
  const to = (checkInteger(parameterOf('page'), page, 1, Number.MAX_SAFE_INTEGER) ?? 1) * MAX_LISTED;
  return [to - MAX_LISTED, to];
}
