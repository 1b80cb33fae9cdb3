import { authorKey } from '../author-key.js';
import type { ResolvedFilters } from '../filters.js';
import { licenseKey } from '../license-key.js';
import type { DocumentNumber } from '../numbers.js';

/** The documents that have a label, by the label's slug. */
export type LabelIndex = ReadonlyMap<string, ArrayLike<DocumentNumber>>;

/** What the documents of a catalogue can be filtered by. */
export interface CatalogueLabels {
  /** Number of documents. */
  readonly size: number;
  readonly categories: LabelIndex;
  readonly occupations: LabelIndex;
  /** By `authorKey`. Read only if a query names an author: it may be made at that moment. */
  readonly authors: LabelIndex;
  /** By `licenseKey`. Read only if a query names a licence. */
  readonly licenses: LabelIndex;
}

/** The filters by label of a query. */
export type LabelFilters = Partial<Pick<ResolvedFilters, 'category' | 'occupation' | 'author' | 'license'>>;

/**
 * The documents that pass the filters of a query by label.
 *
 * @returns one byte a document, 1 if it passes; undefined if there are no filters
 */
export function labelMask(
  labels: CatalogueLabels,
  { category, occupation, author, license }: LabelFilters,
): Uint8Array | undefined {
  const { size, categories, occupations } = labels;
  let mask: Uint8Array | undefined;
  if (category !== undefined) mask = maskOf(size, categories, [category], mask);
  if (occupation !== undefined) mask = maskOf(size, occupations, occupationSlugs(occupations, occupation), mask);
  if (author !== undefined) mask = maskOf(size, labels.authors, [authorKey(author)], mask);
  if (license !== undefined) mask = maskOf(size, labels.licenses, [licenseKey(license) ?? ''], mask);
  return mask;
}

const SOC_CODE = /-(\d{6})$/;
const MAJOR_GROUP = /^(\d\d)-0000$/;

/**
 * The occupation slugs that a filter accepts: the slug itself; the slug without its SOC code (`software-developers`
 * accepts `software-developers-151252`); for a SOC major group (`15-0000`) all slugs with a code of that group.
 */
export function occupationSlugs(labels: LabelIndex, slug: string): readonly string[] {
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
