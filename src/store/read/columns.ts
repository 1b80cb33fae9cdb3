import {
  ALL_IN_MEMORY,
  authorKey,
  DamagedArrayFileError,
  type DocumentNumber,
  type FileRules,
  installationKey,
  licenseKey,
  type Pager,
  type SkillNumber,
  type StatedSizes,
} from '../../core/index.js';
import type { SkillInstallation } from '../../skill.js';
import { DerivedLabels } from '../checksums.js';
import { copyPreference } from '../copies/collapse-copies.js';
import { joinNearCopies } from '../copies/near-copies.js';
import { readSignatures, SKETCH_BYTES } from '../copies/text-signature.js';
import { damagedError } from '../database.js';
import { areDerivedLabelsThere, type CatalogueFacts } from '../notes.js';
import { DOCUMENT_ORDER } from '../schema.js';
import type { Connection } from '../sqlite.js';
import { type StoredRow, StoredRows } from './stored-row.js';

/**
 * Distinct categories of a catalogue that filters and counts know; likewise of occupations, of licenses, and of agents
 * with a scope: those of the most skills. Nobody chooses from more, and each count looks through them.
 */
const MAX_DISTINCT_LABELS = 20_000;

/** The labels of the columns that are read from properties. */
const PROPERTY_LABELS_NAMES = ['licenses', 'installations', 'invocable'] as const;
type PropertyLabelsName = (typeof PROPERTY_LABELS_NAMES)[number];

/** Labels, and the documents that have each, as arrays. */
export interface PackedLabels {
  /** The slugs: a JSON array in UTF-8. */
  readonly slugs: Uint8Array;
  /** Where the documents of each slug begin. One more than there are slugs. */
  readonly starts: Uint32Array;
  /** Ascending within a slug. */
  readonly documents: Uint32Array;
  /**
   * Of authors only: how the first document of each writes it, a JSON array in UTF-8; null where that is not known.
   */
  readonly names?: Uint8Array;
}

/** Arrays with a value of every skill, by document number, but for the last. */
interface ColumnArrays {
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

/** The columns of a catalogue as arrays only, as a derived file keeps them under these names. */
export interface PackedColumns extends ColumnArrays {
  readonly categories: PackedLabels;
  readonly occupations: PackedLabels;
  /** By `authorKey`. This and what follows is absent where it is read late. */
  readonly authors?: PackedLabels;
  /** By `licenseKey`. */
  readonly licenses?: PackedLabels;
  /** By `installationKey`. */
  readonly installations?: PackedLabels;
  /** Has the skills that no model may call, by `NOT_INVOCABLE`. */
  readonly invocable?: PackedLabels;
}

/** What is held in memory of every skill. */
export interface CatalogueColumns extends ColumnArrays {
  readonly size: number;
  readonly categories: ReadonlyMap<string, Uint32Array>;
  readonly occupations: ReadonlyMap<string, Uint32Array>;
  /** By `authorKey`; made when first read, since few queries name an author. */
  readonly authors: ReadonlyMap<string, Uint32Array>;
  /**
   * How the skill of each author that was updated last writes it, by `authorKey`, where that is known. Made anew each
   * time.
   */
  readonly authorNames: ReadonlyMap<string, string>;
  /** By `licenseKey`; made when first read. */
  readonly licenses: ReadonlyMap<string, Uint32Array>;
  /** By `installationKey`; made when first read. */
  readonly installations: ReadonlyMap<string, Uint32Array>;
  /** The skills that no model may call, ascending; made when first read. */
  readonly notInvocable: Uint32Array;
}

export type LateLabels = 'authors' | PropertyLabelsName;

/** The labels that are read when a query first needs them. */
const LATE_LABELS: readonly LateLabels[] = ['authors', ...PROPERTY_LABELS_NAMES];

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
export function unpackColumns(packed: PackedColumns, source: LateSource): CatalogueColumns {
  const { categories, occupations, ...arrays } = withoutLateLabels(packed);
  const late = new Map<LateLabels, UnpackedLabels>();
  const readLate = (name: LateLabels): UnpackedLabels => {
    const labels = late.get(name) ?? unpackLate(packed[name], source) ?? unpackNamed(source.read(name));
    late.set(name, labels);
    return labels;
  };
  const read = (name: LateLabels): ReadonlyMap<string, Uint32Array> => readLate(name).documents;
  return {
    size: packed.skillNumbers.length,
    ...arrays,
    categories: unpackLabels(categories),
    occupations: unpackLabels(occupations),
    get authors() {
      return read('authors');
    },
    get authorNames() {
      return readLate('authors').names();
    },
    get licenses() {
      return read('licenses');
    },
    get installations() {
      return read('installations');
    },
    get notInvocable() {
      return read('invocable').get(NOT_INVOCABLE) ?? NONE;
    },
  };
}

const NONE = new Uint32Array(0);

/** The columns that every search needs. */
export function withoutLateLabels(packed: PackedColumns): Omit<PackedColumns, LateLabels> {
  const { authors: _, licenses: __, installations: ___, invocable: ____, ...needed } = packed;
  return needed;
}

/** Labels that are read when they are needed. */
interface UnpackedLabels {
  readonly documents: ReadonlyMap<string, Uint32Array>;
  /** Reads how some of the labels are written, by label. */
  readonly names: () => ReadonlyMap<string, string>;
}

/** @returns undefined if the file does not have these labels, or they are damaged */
function unpackLate(labels: PackedLabels | undefined, { pager }: LateSource): UnpackedLabels | undefined {
  if (labels === undefined) return undefined;
  return lateOrUndefined(() => {
    for (const array of [labels.slugs, labels.starts, labels.documents]) pager.need(array);
    return unpackNamed(labels, pager);
  });
}

function unpackNamed(labels: PackedLabels, pager: Pager = ALL_IN_MEMORY): UnpackedLabels {
  const documents = unpackLabels(labels);
  return { documents, names: () => namesIn(labels, [...documents.keys()], pager) };
}

/**
 * How labels are written, as far as that is known: where the file is damaged, of none.
 *
 * @param labels the slugs, in their order
 */
export function namesIn({ names }: PackedLabels, labels: readonly string[], pager: Pager): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  if (names === undefined) return known;
  const written =
    lateOrUndefined(() => {
      pager.need(names);
      return readList(names);
    }) ?? [];
  for (const [i, label] of labels.entries()) {
    const name = written[i];
    if (typeof name === 'string') known.set(label, name);
  }
  return known;
}

/** What work on a derived file returns; undefined if the file is damaged. */
export function lateOrUndefined<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof DamagedArrayFileError) return undefined;
    throw error;
  }
}

/**
 * Reads the columns of a finished catalogue, row by row: no index of SQLite is used. A row that is damaged keeps its
 * place, but has no labels and no copies.
 *
 * @param facts what the last load noted of the whole, if anything
 * @throws {SkillSearchError} `DATABASE_DAMAGED` if rows are missing
 */
export function readColumns(connection: Connection, path: string, facts: CatalogueFacts | undefined): PackedColumns {
  const rows = new StoredRows(connection);
  const numbers = connection
    .prepare<[], SkillNumber>(`SELECT number FROM skill NOT INDEXED ORDER BY ${DOCUMENT_ORDER}`)
    .pluck()
    .all();
  const size = numbers.length;
  if (facts !== undefined && size !== facts.skills) {
    throw damagedError(path, `it has ${size.toLocaleString('en')} skills, not ${facts.skills.toLocaleString('en')}`);
  }
  const skillNumbers = new Float64Array(size);
  const stars = new Float64Array(size);
  const updatedAt = new Float64Array(size);
  const copyGroup = new Uint32Array(size);
  const labels = noRowLabels();
  const damaged: DocumentNumber[] = [];
  const derivedLabels = DerivedLabels.in(connection);
  if (!areDerivedLabelsThere(connection, facts)) throw damagedError(path, 'some of its derived labels are missing');

  const documentOf = new Map<SkillNumber, DocumentNumber>();
  const groups = new Map<string, DocumentNumber>();
  for (const [document, skill] of numbers.entries()) {
    skillNumbers[document] = skill;
    documentOf.set(skill, document);
    copyGroup[document] = document;
    const row = rows.wholeRow(skill);
    const derived = row === undefined || derivedLabels === undefined ? '[]' : derivedLabels.of(skill, row.hash);
    if (row === undefined || derived === undefined) {
      damaged.push(document);
      continue;
    }
    stars[document] = row.stars;
    updatedAt[document] = row.updatedAt;
    addRowLabels(labels, row, derived, document);
    const group = groups.get(row.copyKey) ?? document;
    groups.set(row.copyKey, group);
    copyGroup[document] = group;
  }
  if (documentOf.size !== size) throw damagedError(path, 'two skills have the same number');
  const idRank = new Uint32Array(size);
  let rank = 0;
  const byId = connection.prepare<[], SkillNumber>('SELECT number FROM skill NOT INDEXED ORDER BY id').pluck();
  for (const skill of byId.iterate()) idRank[documentOf.get(skill)!] = rank++;
  const isDamaged = new Set(damaged);
  return {
    skillNumbers,
    stars,
    updatedAt,
    idRank,
    starRank: rankByStars(stars),
    copyGroup: withNearCopies(connection, { skillNumbers, stars, updatedAt, idRank, copyGroup }, (skill) => {
      const document = documentOf.get(skill);
      return document === undefined || isDamaged.has(document) ? undefined : document;
    }),
    damaged: Uint32Array.from(damaged),
    categories: packLabels(labels.categories),
    occupations: packLabels(labels.occupations),
    ...Object.fromEntries(PROPERTY_LABELS_NAMES.map((name) => [name, packLabels(labels[name])])),
    authors: packLabels(labels.authors, labels.authorNames),
  };
}

/** Joins the groups of copies that have nearly the same text. */
function withNearCopies(
  connection: Connection,
  {
    skillNumbers,
    stars,
    updatedAt,
    idRank,
    copyGroup,
  }: Pick<PackedColumns, 'skillNumbers' | 'stars' | 'updatedAt' | 'idRank' | 'copyGroup'>,
  documentOf: (skill: SkillNumber) => DocumentNumber | undefined,
): Uint32Array {
  const names = new Uint32Array(skillNumbers.length);
  const texts = new Float64Array(skillNumbers.length);
  const words = new Float64Array(skillNumbers.length).fill(-1);
  const sketches = new Uint8Array(skillNumbers.length * SKETCH_BYTES);
  readSignatures(connection, skillNumbers, (skill, name, text, count, sketch) => {
    const document = documentOf(skill);
    if (document === undefined) return;
    names[document] = name;
    texts[document] = text;
    words[document] = count;
    sketches.set(sketch, document * SKETCH_BYTES);
  });
  const preference = copyPreference({ stars, updatedAt, idRank });
  return joinNearCopies(copyGroup, preference, { names, texts, words, sketches });
}

function rankByStars(stars: Float64Array): Uint32Array {
  const order = Uint32Array.from(stars.keys()).sort((a, b) => stars[b]! - stars[a]! || a - b);
  const ranks = new Uint32Array(order.length);
  for (let rank = 0; rank < order.length; rank++) ranks[order[rank]!] = rank;
  return ranks;
}

/** @param names of authors: how they are written. Of other labels no more are packed than are known at a time. */
export function packLabels(
  all: ReadonlyMap<string, readonly DocumentNumber[]>,
  names?: ReadonlyMap<string, string>,
): PackedLabels {
  const isWhole = names !== undefined || all.size <= MAX_DISTINCT_LABELS;
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
    ...(names !== undefined && { names: Buffer.from(JSON.stringify([...labels.keys()].map((key) => names.get(key)))) }),
  };
}

/** @throws {DamagedArrayFileError} if they are not as {@link packLabels} makes them */
export function unpackLabels({ slugs, starts, documents, ...named }: PackedLabels): ReadonlyMap<string, Uint32Array> {
  const isAsPacked = named.names !== undefined || starts.length <= MAX_DISTINCT_LABELS + 1;
  const names = isAsPacked ? readList(slugs) : undefined;
  if (names?.length !== starts.length - 1 || !names.every(isText))
    throw new DamagedArrayFileError('the labels are not those of the columns');
  return new Map(names.map((name, i) => [name, documents.subarray(starts[i], starts[i + 1])]));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** @returns undefined if the bytes are no list */
function readList(bytes: Uint8Array): readonly unknown[] | undefined {
  try {
    const list: unknown = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
    return Array.isArray(list) ? list : undefined;
  } catch {
    return undefined;
  }
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
      ...labelRules(`${prefix}categories.`, lengthOf, size),
      ...labelRules(`${prefix}occupations.`, lengthOf, size),
      ...Object.assign({}, ...LATE_LABELS.map((name) => labelRules(`${prefix}${name}.`, lengthOf, size))),
      [`${prefix}authors.names`]: { type: 'Uint8Array' },
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

export type RowLabelsName = 'categories' | 'occupations' | 'authors' | PropertyLabelsName;

/** What filters and facets know of rows, by the name of the labels. */
export interface RowLabels extends Readonly<Record<RowLabelsName, DocumentsByLabel>> {
  /** How the first document of each author writes it, by its label. */
  readonly authorNames: Map<string, string>;
}

/** Labels that no document has yet. */
export function noRowLabels(): RowLabels {
  const labels = Object.fromEntries(NAMES.map((name) => [name, new Map()])) as unknown as RowLabels;
  return { ...labels, authorNames: new Map() };
}

/**
 * Adds the labels of a document. Documents must come in ascending order.
 *
 * @param derived its derived categories, a JSON array: they count if its source gives none
 */
export function addRowLabels(labels: RowLabels, row: StoredRow, derived: string, document: DocumentNumber): void {
  addSlugs(labels.categories, row.categories === '[]' ? derived : row.categories, document);
  addSlugs(labels.occupations, row.occupations, document);
  const author = recordAuthor(row.record);
  const key = authorKey(author);
  if (!labels.authors.has(key)) labels.authorNames.set(key, author);
  addLabel(labels.authors, key, document);
  for (const name of PROPERTY_LABELS_NAMES) {
    for (const label of PROPERTY_LABELS[name](row.properties)) addLabel(labels[name], label, document);
  }
}

function addLabel(documents: DocumentsByLabel, label: string, document: DocumentNumber): void {
  const known = documents.get(label);
  if (known === undefined) documents.set(label, [document]);
  else known.push(document);
}

/** @param list slugs, a JSON array */
function addSlugs(documents: DocumentsByLabel, list: string, document: DocumentNumber): void {
  if (list === '[]') return;
  for (const slug of JSON.parse(list) as string[]) addLabel(documents, slug, document);
}

/** The key of skills that no model may call, among the labels `invocable`. */
const NOT_INVOCABLE = 'false';

const NAMES: readonly RowLabelsName[] = ['categories', 'occupations', 'authors', ...PROPERTY_LABELS_NAMES];

/** The labels that follow from the properties of a skill: JSON, as `toColumns` writes it. */
const PROPERTY_LABELS: Readonly<Record<PropertyLabelsName, (properties: string) => readonly string[]>> = {
  licenses: (properties) => {
    const key = licenseKey(storedLicense(properties) ?? '');
    return key === undefined || key === '' ? [] : [key];
  },
  installations: (properties) => {
    const keys = storedInstallations(properties).map(({ agent, scope }) => installationKey(agent, scope));
    return [...new Set(keys)];
  },
  invocable: (properties) => (storedInvocable(properties) ? [] : [NOT_INVOCABLE]),
};

/**
 * Stands in a record before the author. Quotation marks inside a text have a backslash, so this stands nowhere else.
 */
const BEFORE_AUTHOR = '"author":"';

/**
 * The author in a record, read without the rest of it: parsing the records of a large catalogue takes half a second.
 *
 * @param record JSON of a skill, as `toColumns` writes it
 */
export function recordAuthor(record: string): string {
  const start = record.indexOf(BEFORE_AUTHOR) + BEFORE_AUTHOR.length;
  const author = start < BEFORE_AUTHOR.length ? '\\' : record.slice(start, record.indexOf('"', start));
  return author.includes('\\') ? (JSON.parse(record) as { readonly author: string }).author : author;
}

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
