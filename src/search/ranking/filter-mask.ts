import {
  authorKey,
  type DocumentNumber,
  licenseKey,
  lowerBound,
  lowerBoundBy,
  partsOfInstallation,
} from '../../core/index.js';
import type { ResolvedFilters } from '../../filters.js';

/** The documents that have a label, by the label's slug. */
export type LabelIndex = ReadonlyMap<string, ArrayLike<DocumentNumber>>;

/** What the filters need to know of the documents of a catalogue. Documents are numbered by date, latest first. */
interface FilteredColumns {
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
  const { size, categories, occupations, stars } = columns;
  const { category, occupation, author, license, agent, scope } = filters;
  const { minStars, updatedAfter, updatedBefore, invocable } = filters;
  let mask: Uint8Array | undefined;
  const keep = (lists: readonly (ArrayLike<DocumentNumber> | undefined)[]): void => {
    mask = maskOf(size, lists, mask);
  };
  if (category !== undefined) keep([categories.get(category)]);
  if (occupation !== undefined) keep(occupationSlugs(occupations, occupation).map((slug) => occupations.get(slug)));
  if (author !== undefined) keep([columns.authors.get(authorKey(author))]);
  if (license !== undefined) keep([columns.licenses.get(licenseKey(license) ?? '')]);
  if (agent !== undefined || scope !== undefined) {
    const { installations } = columns;
    keep(installationsOf(installations, { agent, scope }).map((key) => installations.get(key)));
  }
  if (invocable === false) keep([columns.notInvocable]);
  // In most catalogues there is none. A search without a mask is faster.
  if (invocable === true && columns.notInvocable.length > 0) {
    mask ??= wholeMask(columns);
    for (const document of columns.notInvocable) mask[document] = 0;
  }
  if (updatedAfter !== undefined || updatedBefore !== undefined) {
    mask ??= wholeMask(columns);
    const [from, to] = updatedBetween(columns, updatedAfter, updatedBefore);
    mask.fill(0, 0, from);
    mask.fill(0, Math.max(from, to));
  }
  if (minStars !== undefined) {
    mask ??= wholeMask(columns);
    for (let document = 0; document < size; document++) if (stars[document]! < minStars) mask[document] = 0;
  }
  return mask;
}

/** @param within the mask of another filter, which must let a document pass as well */
function maskOf(
  size: number,
  lists: readonly (ArrayLike<DocumentNumber> | undefined)[],
  within: Uint8Array | undefined,
): Uint8Array {
  const mask = new Uint8Array(size);
  for (const documents of lists) {
    if (documents === undefined) continue;
    for (let i = 0; i < documents.length; i++) mask[documents[i]!] = within?.[documents[i]!] ?? 1;
  }
  return mask;
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
  return new Map(Array.from(accepted, ([slug, slugs]) => [slug, joined(slugs.map((one) => labels.get(one)!))]));
}

/** What an installation must be. */
export type InstallationFilter = Partial<Pick<ResolvedFilters, 'agent' | 'scope'>>;

/** The keys of the installations that fit both an agent and a scope, as far as these are given. */
function installationsOf(labels: LabelIndex, { agent, scope }: InstallationFilter): readonly string[] {
  return [...labels.keys()].filter((key) => {
    const has = partsOfInstallation(key);
    return (agent === undefined || has.agent === agent) && (scope === undefined || has.scope === scope);
  });
}

/**
 * The documents of each agent, or of each scope, each once.
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
    lists.set(value, [...(lists.get(value) ?? []), labels.get(key)!]);
  }
  return new Map(
    Array.from(lists, ([value, some]) => {
      if (some.length === 1) return [value, some[0]!];
      const all = Uint32Array.from(joined(some)).sort();
      return [value, all.filter((document, i) => document !== all[i - 1])];
    }),
  );
}

function joined(lists: readonly ArrayLike<DocumentNumber>[]): ArrayLike<DocumentNumber> {
  return lists.length === 1 ? lists[0]! : lists.flatMap((documents) => Array.from(documents));
}
