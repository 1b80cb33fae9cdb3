import {
  authorKey,
  type DocumentNumber,
  licenseKey,
  lowerBound,
  lowerBoundBy,
  partsOfInstallation,
} from '../../core/index.js';
import type { ResolvedFilters } from '../../filters.js';

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

/** The documents that have a label, by the label's slug. */
export type LabelIndex = ReadonlyMap<string, ArrayLike<DocumentNumber>>;

/** What the documents of a catalogue can be filtered by. */
interface CatalogueLabels {
  /** Number of documents. */
  readonly size: number;
  readonly categories: LabelIndex;
  readonly occupations: LabelIndex;
  /** By `authorKey`. Read only if a query names an author: it may be made at that moment. */
  readonly authors: LabelIndex;
  /** By `licenseKey`. Read only if a query names a licence. */
  readonly licenses: LabelIndex;
  /** By `installationKey`. Read only if a query names an agent or a scope. */
  readonly installations: LabelIndex;
}

/** The filters by label of a query. */
type LabelFilters = Partial<
  Pick<ResolvedFilters, 'category' | 'occupation' | 'author' | 'license' | 'agent' | 'scope'>
>;

/**
 * The documents that pass the filters of a query by label.
 *
 * @returns one byte a document, 1 if it passes; undefined if there are no filters
 */
function labelMask(
  labels: CatalogueLabels,
  { category, occupation, author, license, agent, scope }: LabelFilters,
): Uint8Array | undefined {
  const { size, categories, occupations } = labels;
  let mask: Uint8Array | undefined;
  if (category !== undefined) mask = maskOf(size, categories, [category], mask);
  if (occupation !== undefined) mask = maskOf(size, occupations, occupationSlugs(occupations, occupation), mask);
  if (author !== undefined) mask = maskOf(size, labels.authors, [authorKey(author)], mask);
  if (license !== undefined) mask = maskOf(size, labels.licenses, [licenseKey(license) ?? ''], mask);
  if (agent !== undefined || scope !== undefined) {
    const { installations } = labels;
    mask = maskOf(size, installations, installationsOf(installations, { agent, scope }), mask);
  }
  return mask;
}

const SOC_CODE = /-(\d{6})$/;
const MAJOR_GROUP = /^(\d\d)-0000$/;

/**
 * The occupation slugs that a filter accepts: the slug itself; the slug without its SOC code (`software-developers`
 * accepts `software-developers-151252`); for a SOC major group (`15-0000`) all slugs with a code of that group.
 */
function occupationSlugs(labels: LabelIndex, slug: string): readonly string[] {
  const group = MAJOR_GROUP.exec(slug)?.[1];
  return [...labels.keys()].filter((label) => {
    if (label === slug) return true;
    const code = SOC_CODE.exec(label)?.[1];
    if (code === undefined) return false;
    return group === undefined ? label.slice(0, -code.length - 1) === slug : code.startsWith(group);
  });
}

/**
 * The documents that pass a filter by each occupation slug: those that have it, and those whose slugs it accepts; see
 * {@link occupationSlugs}. A document may be repeated.
 */
export function documentsByOccupation(labels: LabelIndex): LabelIndex {
  const accepted = new Map([...labels.keys()].map((slug) => [slug, [slug]]));
  for (const label of labels.keys()) {
    const code = SOC_CODE.exec(label)?.[1];
    if (code === undefined) continue;
    const plain = label.slice(0, -code.length - 1);
    if (!MAJOR_GROUP.test(plain)) accepted.get(plain)?.push(label);
    accepted.get(`${code.slice(0, 2)}-0000`)?.push(label);
  }
  const documentsOf = ([only, ...others]: readonly string[]): ArrayLike<DocumentNumber> =>
    others.length === 0 ? labels.get(only!)! : [only!, ...others].flatMap((slug) => Array.from(labels.get(slug)!));
  return new Map([...accepted].map(([slug, slugs]) => [slug, documentsOf(slugs)]));
}

/** What an installation must be. */
export type InstallationFilter = Pick<LabelFilters, 'agent' | 'scope'>;

/** The keys of the installations that fit both an agent and a scope, as far as these are given. */
function installationsOf(labels: LabelIndex, { agent, scope }: InstallationFilter): readonly string[] {
  return [...labels.keys()].filter((key) => {
    const has = partsOfInstallation(key);
    return (agent === undefined || has.agent === agent) && (scope === undefined || has.scope === scope);
  });
}

/**
 * The documents of each agent, or of each scope.
 *
 * @param part what to tell them by
 * @param filter what an installation must be to count
 */
export function documentsByInstallation(
  labels: LabelIndex,
  part: 'agent' | 'scope',
  filter: InstallationFilter,
): LabelIndex {
  const lists = new Map<string, ArrayLike<DocumentNumber>[]>();
  for (const key of installationsOf(labels, filter)) {
    const value = partsOfInstallation(key)[part];
    const known = lists.get(value);
    if (known === undefined) lists.set(value, [labels.get(key)!]);
    else known.push(labels.get(key)!);
  }
  const size = [...lists.values()]
    .flat()
    .reduce((most, documents) => Math.max(most, (documents[documents.length - 1] ?? 0) + 1), 0);
  // For each document the number of the value that had it last. A set of the documents would take far longer.
  const seen = new Uint32Array(size);
  let number = 0;
  const union = (documentLists: readonly ArrayLike<DocumentNumber>[]): ArrayLike<DocumentNumber> => {
    if (documentLists.length === 1) return documentLists[0]!;
    number += 1;
    const all: DocumentNumber[] = [];
    for (const documents of documentLists) {
      for (let i = 0; i < documents.length; i++) {
        const document = documents[i]!;
        if (seen[document] === number) continue;
        seen[document] = number;
        all.push(document);
      }
    }
    return all;
  };
  return new Map(Array.from(lists, ([value, documentLists]) => [value, union(documentLists)]));
}

/** @param within the mask of another filter, which must let a document pass as well */
function maskOf(
  size: number,
  labels: LabelIndex,
  slugs: readonly string[],
  within: Uint8Array | undefined,
): Uint8Array {
  const mask = new Uint8Array(size);
  for (const slug of slugs) {
    const documents = labels.get(slug) ?? [];
    for (let i = 0; i < documents.length; i++) mask[documents[i]!] = within?.[documents[i]!] ?? 1;
  }
  return mask;
}
