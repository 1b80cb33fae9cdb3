import {
  appendTo,
  authorKey,
  DamagedArrayFileError,
  type DocumentNumber,
  type FileRules,
  installationKey,
  licenseKey,
  madeOnce,
  orUndefined,
  type Pager,
  type SkillNumber,
  type StatedSizes,
} from '../../core/index.js';
import type { SkillInstallation } from '../../skill.js';
import { copyPreference } from '../copies/collapse-copies.js';
import { joinNearCopies, SignedDocuments } from '../copies/near-copies.js';
import { hasComparableSignatures } from '../copies/text-signature.js';
import { damagedError } from '../database.js';
import type { CatalogueFacts } from '../notes.js';
import { DOCUMENT_ORDER } from '../schema.js';
import type { Connection } from '../sqlite.js';
import { recordAuthor } from '../stored-skill.js';
import { SkillRows, type StoredRow } from './stored-row.js';

/**
 * Distinct categories of a catalogue that filters and counts know; likewise of occupations, of licenses, and of agents
 * with a scope: those of the most skills. Nobody chooses from more, and each count looks through them.
 */
const MAX_DISTINCT_LABELS = 20_000;

/** The labels that every search needs, and those that are read when a query first needs them. */
const EARLY_LABELS = ['categories', 'occupations'] as const;
const LATE_LABELS = ['authors', 'licenses', 'installations', 'invocable', 'derived'] as const;

export type LateLabels = (typeof LATE_LABELS)[number];
export type LabelsName = (typeof EARLY_LABELS)[number] | LateLabels;

/** Labels, and the documents that have each, as arrays. */
export interface PackedLabels {
  /** The slugs: a JSON array in UTF-8. */
  readonly slugs: Uint8Array;
  /** Where the documents of each slug begin. One more than there are slugs. */
  readonly starts: Uint32Array;
  /** Ascending within a slug. */
  readonly documents: Uint32Array;
}

/** Arrays with a value of every skill, by document number, but for the last. */
export interface ColumnArrays {
  /** Number of the skill in the database. */
  readonly skillNumbers: Float64Array;
  readonly stars: Float64Array;
  readonly updatedAt: Float64Array;
  /** Rank of the skill when all are sorted by id in code-point order. */
  readonly idRank: Uint32Array;
  /** Rank of the skill when all are sorted by stars, most first. Ties are in the order of documents. */
  readonly starRank: Uint32Array;
  /** The group of copies: the document number of one of them. */
  readonly copyGroup: Uint32Array;
  /** The documents that are damaged, ascending. No label and no word leads to them. */
  readonly damaged: Uint32Array;
}

/**
 * The columns of a catalogue as arrays only, as a derived file keeps them under these names. Labels that are read late
 * may be absent.
 */
export interface PackedColumns
  extends ColumnArrays,
    Readonly<Record<(typeof EARLY_LABELS)[number], PackedLabels>>,
    Readonly<Partial<Record<LateLabels, PackedLabels>>> {}

/** What is held in memory of every skill. */
export interface CatalogueColumns extends ColumnArrays {
  readonly size: number;
  readonly categories: ReadonlyMap<string, Uint32Array>;
  readonly occupations: ReadonlyMap<string, Uint32Array>;
  /** By `authorKey`. This and what follows is made when first read. */
  readonly authors: ReadonlyMap<string, Uint32Array>;
  /** By `licenseKey`. */
  readonly licenses: ReadonlyMap<string, Uint32Array>;
  /** By `installationKey`. */
  readonly installations: ReadonlyMap<string, Uint32Array>;
  /** The skills that no model may call, ascending. */
  readonly notInvocable: Uint32Array;
  /** Categories that a classifier found. */
  readonly derived: ReadonlyMap<string, Uint32Array>;
}

/** How the columns of a file get their late labels. */
export interface LateSource {
  /** Reads the arrays of late labels, which nobody has read before. */
  readonly pager: Pager;
  /** Reads labels where the file does not have them, or is damaged. */
  readonly read: (name: LateLabels) => PackedLabels;
}

/**
 * The columns of packed ones. The arrays are shared, not copied.
 *
 * @throws {DamagedArrayFileError} if the labels contradict the other arrays
 */
export function unpackColumns(packed: PackedColumns, { pager, read }: LateSource): CatalogueColumns {
  const { categories, occupations, ...arrays } = withoutLateLabels(packed);
  const late = new Map<LateLabels, ReadonlyMap<string, Uint32Array>>();
  const labelsOf = (name: LateLabels): ReadonlyMap<string, Uint32Array> =>
    madeOnce(late, name, () => {
      const inFile = orUndefined(() => packed[name] && unpackLabels(name, packed[name], pager), isOfFile);
      return inFile ?? unpackLabels(name, read(name));
    });
  return {
    size: packed.skillNumbers.length,
    ...arrays,
    categories: unpackLabels('categories', categories),
    occupations: unpackLabels('occupations', occupations),
    get authors() {
      return labelsOf('authors');
    },
    get licenses() {
      return labelsOf('licenses');
    },
    get installations() {
      return labelsOf('installations');
    },
    get notInvocable() {
      return labelsOf('invocable').get(NOT_INVOCABLE) ?? NONE;
    },
    get derived() {
      return labelsOf('derived');
    },
  };
}

const NONE = new Uint32Array(0);

/** The columns that every search needs. */
export function withoutLateLabels(packed: PackedColumns): Omit<PackedColumns, LateLabels> {
  const needed: PackedColumns & { [Name in LateLabels]?: PackedLabels } = { ...packed };
  for (const name of LATE_LABELS) delete needed[name];
  return needed;
}

/** Whether a derived file is at fault: without it labels are read from the catalogue. */
export function isOfFile(error: unknown): boolean {
  return error instanceof DamagedArrayFileError;
}

/**
 * Reads the columns of a finished catalogue, row by row: no index of SQLite is used. A row that is damaged keeps its
 * place, but has no labels and no copies.
 *
 * @param facts what the last load noted of the whole, if anything
 * @throws {SkillSearchError} `DATABASE_DAMAGED` if rows are missing
 */
export function readColumns(connection: Connection, path: string, facts: CatalogueFacts | undefined): PackedColumns {
  const rows = new SkillRows(connection, path);
  const numbers = connection
    .prepare<[], SkillNumber>(`SELECT number FROM skill ORDER BY ${DOCUMENT_ORDER}`)
    .pluck()
    .all();
  const size = numbers.length;
  if (facts !== undefined && size !== facts.skills) {
    throw damagedError(path, `it has ${size.toLocaleString('en')} skills, not ${facts.skills.toLocaleString('en')}`);
  }
  const skillNumbers = Float64Array.from(numbers);
  const stars = new Float64Array(size);
  const updatedAt = new Float64Array(size);
  const copyGroup = Uint32Array.from(numbers.keys());
  const labels = noRowLabels();
  const damaged: DocumentNumber[] = [];
  const documentOf = new Map<SkillNumber, DocumentNumber>();
  const groups = new Map<string, DocumentNumber>();
  const signed = hasComparableSignatures(connection) ? new SignedDocuments(size) : undefined;
  for (const [document, skill] of numbers.entries()) {
    documentOf.set(skill, document);
    const row = rows.wholeRow(skill);
    if (row === undefined) {
      damaged.push(document);
      continue;
    }
    stars[document] = row.stars;
    updatedAt[document] = row.updatedAt;
    addRowLabels(labels, row, document);
    const group = groups.get(row.copyKey) ?? document;
    groups.set(row.copyKey, group);
    copyGroup[document] = group;
    signed?.set(document, row.signature);
  }
  if (documentOf.size !== size) throw damagedError(path, 'two skills have the same number');
  const idRank = new Uint32Array(size);
  let rank = 0;
  // By the rows: an index may be damaged.
  const byId = connection.prepare<[], SkillNumber>('SELECT number FROM skill ORDER BY +id').pluck();
  for (const skill of byId.iterate()) idRank[documentOf.get(skill)!] = rank++;
  const preference = copyPreference({ stars, updatedAt, idRank });
  return {
    skillNumbers,
    stars,
    updatedAt,
    idRank,
    starRank: rankByStars(stars),
    copyGroup: signed === undefined ? copyGroup : joinNearCopies(copyGroup, preference, signed),
    damaged: Uint32Array.from(damaged),
    ...mapLabels((name) => packLabels(name, labels[name])),
  };
}

/** All labels, by their names. */
function mapLabels<T>(make: (name: LabelsName) => T): Record<LabelsName, T> {
  const entries = [...EARLY_LABELS, ...LATE_LABELS].map((name) => [name, make(name)] as const);
  return Object.fromEntries(entries) as Record<LabelsName, T>;
}

function rankByStars(stars: Float64Array): Uint32Array {
  const order = Uint32Array.from(stars.keys()).sort((a, b) => stars[b]! - stars[a]! || a - b);
  const ranks = new Uint32Array(order.length);
  for (let rank = 0; rank < order.length; rank++) ranks[order[rank]!] = rank;
  return ranks;
}

/** Of more labels than {@link MAX_DISTINCT_LABELS}, those of the most skills; but all authors. */
export function packLabels(name: LabelsName, all: ReadonlyMap<string, readonly DocumentNumber[]>): PackedLabels {
  const isWhole = name === 'authors' || all.size <= MAX_DISTINCT_LABELS;
  const labels = isWhole
    ? all
    : new Map([...all].sort(([, a], [, b]) => b.length - a.length).slice(0, MAX_DISTINCT_LABELS));
  const starts = new Uint32Array(labels.size + 1);
  let [label, at] = [0, 0];
  for (const documents of labels.values()) {
    at += documents.length;
    starts[++label] = at;
  }
  return {
    slugs: Buffer.from(JSON.stringify([...labels.keys()])),
    starts,
    documents: Uint32Array.from([...labels.values()].flat()),
  };
}

/** @throws {DamagedArrayFileError} if they are not as {@link packLabels} makes them */
export function unpackLabels(
  name: LabelsName,
  { slugs, starts, documents }: PackedLabels,
  pager?: Pager,
): Map<string, Uint32Array> {
  for (const array of [slugs, starts, documents]) pager?.need(array);
  const isAsPacked = name === 'authors' || starts.length <= MAX_DISTINCT_LABELS + 1;
  const names = isAsPacked ? readList(slugs) : undefined;
  if (names?.length !== starts.length - 1 || !names.every((name) => typeof name === 'string'))
    throw new DamagedArrayFileError('the labels are not those of the columns');
  return new Map(names.map((name, i) => [name, documents.subarray(starts[i], starts[i + 1])]));
}

/** @returns undefined if the bytes are no list */
function readList(bytes: Uint8Array): readonly unknown[] | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  const list: unknown = orUndefined(() => JSON.parse(text));
  return Array.isArray(list) ? list : undefined;
}

/**
 * What the arrays of `PackedColumns` in a file must keep to: as many values as there are documents, and no number of a
 * document beyond the last.
 *
 * @param prefix path of the columns in the file, with a dot behind it
 * @param size number of documents
 */
export function columnRules(prefix: string, { lengthOf }: StatedSizes, size: number): FileRules {
  const values = { type: 'Float64Array', length: size } as const;
  const documents = { type: 'Uint32Array', length: size, below: size } as const;
  return {
    numbers: [],
    arrays: {
      [`${prefix}skillNumbers`]: values,
      [`${prefix}stars`]: values,
      [`${prefix}updatedAt`]: values,
      [`${prefix}idRank`]: documents,
      [`${prefix}starRank`]: documents,
      [`${prefix}copyGroup`]: documents,
      [`${prefix}damaged`]: { type: 'Uint32Array', below: size },
      ...Object.assign({}, ...Object.values(mapLabels((name) => labelRules(`${prefix}${name}.`, lengthOf, size)))),
    },
  };
}

function labelRules(prefix: string, lengthOf: StatedSizes['lengthOf'], size: number): FileRules['arrays'] {
  return {
    [`${prefix}slugs`]: { type: 'Uint8Array' },
    [`${prefix}starts`]: { type: 'Uint32Array', risesTo: lengthOf(`${prefix}documents`) },
    [`${prefix}documents`]: { type: 'Uint32Array', below: size },
  };
}

/** The documents that have each label. */
export type DocumentsByLabel = Map<string, DocumentNumber[]>;

/** What filters and facets know of rows. */
export type RowLabels = Readonly<Record<LabelsName, DocumentsByLabel>>;

/** Labels that no document has yet. */
export function noRowLabels(): RowLabels {
  return mapLabels(() => new Map());
}

/** Adds the labels of a document. Documents must come in ascending order. Derived categories count if there are no others. */
export function addRowLabels(labels: RowLabels, row: StoredRow, document: DocumentNumber): void {
  const { categories, occupations, record, properties } = row;
  const derived = row.derived ?? '[]';
  addSlugs(labels.categories, categories === '[]' ? derived : categories, document);
  addSlugs(labels.derived, derived, document);
  addSlugs(labels.occupations, occupations, document);
  appendTo(labels.authors, authorKey(recordAuthor(record)), document);
  const license = licenseKey(storedLicense(properties) ?? '');
  if (license !== undefined && license !== '') appendTo(labels.licenses, license, document);
  const installations = storedInstallations(properties).map(({ agent, scope }) => installationKey(agent, scope));
  for (const key of new Set(installations)) appendTo(labels.installations, key, document);
  if (!storedInvocable(properties)) appendTo(labels.invocable, NOT_INVOCABLE, document);
}

/** @param list slugs, a JSON array */
function addSlugs(documents: DocumentsByLabel, list: string, document: DocumentNumber): void {
  if (list === '[]') return;
  for (const slug of JSON.parse(list) as string[]) appendTo(documents, slug, document);
}

/** The key of skills that no model may call, among the labels `invocable`. */
const NOT_INVOCABLE = 'false';

/**
 * The installations in the properties of a skill, with their paths; empty if there are none. Properties that have none
 * are not parsed: front matter may have many kilobytes.
 *
 * @param properties JSON of a skill's properties, as `toColumns` writes it
 */
export function storedInstallations(properties: string): readonly SkillInstallation[] {
  if (!properties.includes('"installations":[')) return [];
  // Its metadata may have a list of this name, too.
  const { installations } = JSON.parse(properties) as { readonly installations?: readonly SkillInstallation[] };
  return Array.isArray(installations) ? installations : [];
}

/** An installation as everybody may see it. */
export function withoutPath({ agent, scope, plugin }: SkillInstallation): SkillInstallation {
  return { agent, scope, ...(plugin !== undefined && { plugin }) };
}

/**
 * Whether a model may call a skill, by its properties.
 *
 * @param properties JSON of a skill's properties, as `toColumns` writes it
 */
function storedInvocable(properties: string): boolean {
  if (!properties.includes('"invocable":false')) return true;
  // Its metadata may say the same, which means nothing.
  return (JSON.parse(properties) as { readonly invocable?: unknown }).invocable !== false;
}

/** How the properties of a skill with a licence begin. */
const BEFORE_LICENSE = '{"license":"';

/**
 * The licence in the properties of a skill, read without the rest of them: front matter may have many kilobytes.
 *
 * @param properties JSON of a skill's properties, as `toColumns` writes it
 * @returns undefined if there is none
 */
export function storedLicense(properties: string): string | undefined {
  if (!properties.includes('"license":')) return undefined;
  const end = properties.startsWith(BEFORE_LICENSE) ? properties.indexOf('"', BEFORE_LICENSE.length) : -1;
  const license = properties.slice(BEFORE_LICENSE.length, end);
  if (end >= 0 && !license.includes('\\')) return license;
  const { license: value } = JSON.parse(properties) as { readonly license?: unknown };
  return typeof value === 'string' ? value : undefined;
}
