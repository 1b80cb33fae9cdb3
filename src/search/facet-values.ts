import type { DocumentNumber } from '../core/index.js';
import { authorKey, compareCodePoints, licenseKey } from '../core/index.js';
import type { Facet } from '../result.js';
import { UNKNOWN } from '../skill.js';
import type { CatalogueColumns, CatalogueReader } from '../store/index.js';
import {
  documentsByInstallation,
  documentsByOccupation,
  type InstallationFilter,
  type LabelIndex,
} from './ranking/label-filter.js';

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
export function isNarrowed(facet: Facet, { agent, scope }: InstallationFilter): facet is 'agent' | 'scope' {
  return (facet === 'agent' && scope !== undefined) || (facet === 'scope' && agent !== undefined);
}

const SOURCES: Readonly<Record<Facet, (reader: CatalogueReader) => FacetValues>> = {
  category: ({ columns }) => slugValues(columns.categories),
  occupation: ({ columns }) => slugValues(documentsByOccupation(columns.occupations)),
  author: (reader) =>
    namedValues(reader.columns.authors, {
      keyOf: authorKey,
      readKnown: () => reader.columns.authorNames,
      readName: (document) => reader.authorOf(document),
      none: authorKey(UNKNOWN),
    }),
  license: (reader) =>
    namedValues(reader.columns.licenses, {
      keyOf: licenseKey,
      readKnown: () => new Map(),
      readName: (document) => reader.licenseOf(document),
    }),
  agent: ({ columns }) => slugValues(documentsByInstallation(columns.installations, 'agent', {})),
  scope: ({ columns }) => slugValues(documentsByInstallation(columns.installations, 'scope', {})),
};

/** The values of labels that are shown as they are; made once. */
export function slugValues(labels: LabelIndex): FacetValues {
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
  /** Reads how some are written, by key: for these no document is read. */
  readonly readKnown: () => ReadonlyMap<string, string>;
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
function namedValues(labels: LabelIndex, { keyOf, readKnown, readName, none }: Names): FacetValues {
  const keys = [...labels.keys()].filter((key) => key !== none).sort(compareCodePoints);
  const documentsOf = keys.map((key) => labels.get(key)!);
  const names: (string | undefined)[] = new Array(keys.length);
  let known: ReadonlyMap<string, string> | undefined;
  const read = (value: number): string => {
    const key = keys[value]!;
    known ??= readKnown();
    const name = known.get(key);
    if (name !== undefined && keyOf(name) === key) return name;
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
