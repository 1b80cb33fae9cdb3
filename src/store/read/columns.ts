import { ALL_IN_MEMORY, DamagedArrayFileError, type Pager } from '../../arrays/pager.js';
import { copyPreference } from '../../copies/copy-preference.js';
import { joinNearCopies } from '../../copies/near-copies.js';
import { SKETCH_BYTES } from '../../copies/text-signature.js';
import type { DocumentNumber, SkillNumber } from '../../numbers.js';
import type { Connection } from '../../sqlite/connection.js';
import { damagedError } from '../damaged.js';
import { DerivedLabels } from '../derived-labels.js';
import { DOCUMENT_ORDER } from '../document-order.js';
import { areDerivedLabelsThere, type CatalogueFacts } from '../facts.js';
import { readSignatures } from '../signature-table.js';
import { NOT_INVOCABLE, PROPERTY_LABELS, PROPERTY_LABELS_NAMES, type PropertyLabelsName } from './property-labels.js';
import { recordAuthor } from './record-author.js';
import { addAuthor, addLabel, addRowLabels, noRowLabels } from './row-labels.js';
import { StoredRows } from './stored-row.js';

/** Labels, and the documents that have each, as arrays. */
export interface PackedLabels {
  /** The slugs: a JSON array in UTF-8. */
  readonly slugs: Uint8Array;
  /** Where the documents of each slug begin. One more than there are slugs. */
  readonly starts: Uint32Array;
  /** Ascending within a slug. */
  readonly documents: Uint32Array;
  /**
   * Of authors: how the first document of each writes it, a JSON array in UTF-8; null where that is not known. Absent
   * from a file of an earlier version.
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
  /** By `authorKey`. Absent from a file of an earlier version. */
  readonly authors?: PackedLabels;
  /** By `licenseKey`. Absent from a file of an earlier version. */
  readonly licenses?: PackedLabels;
  /** By `installationKey`. Absent from a file of an earlier version. */
  readonly installations?: PackedLabels;
  /** Has the skills that no model may call, by `NOT_INVOCABLE`. Absent from a file of an earlier version. */
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
export const LATE_LABELS: readonly LateLabels[] = ['authors', ...PROPERTY_LABELS_NAMES];

/** How the columns of a file get their late labels. */
export interface LateSource {
  /** Reads the arrays of late labels, which nobody has read before. */
  readonly pager: Pager;
  /** Reads the labels of each document from the catalogue, where the file does not have them. */
  readonly read: Readonly<Record<LateLabels, () => PackedLabels>>;
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
    const labels = late.get(name) ?? unpackLate(packed[name], source) ?? unpackNamed(source.read[name]());
    late.set(name, labels);
    return labels;
  };
  const read = (name: LateLabels): ReadonlyMap<string, Uint32Array> => readLate(name).documents;
  return {
    size: packed.skillNumbers.length,
    ...arrays,
    // A file of an earlier version may lack it: its catalogue has no checksums.
    damaged: arrays.damaged ?? new Uint32Array(0),
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

/** Reads the authors of documents from their records. */
export function readAuthors(
  documents: Iterable<DocumentNumber>,
  recordOf: (document: DocumentNumber) => string | undefined,
): PackedLabels {
  const labels = { authors: new Map<string, DocumentNumber[]>(), authorNames: new Map<string, string>() };
  for (const document of documents) {
    const record = recordOf(document);
    if (record !== undefined) addAuthor(labels, recordAuthor(record), document);
  }
  return packLabels(labels.authors, labels.authorNames);
}

/** Reads labels of documents from their properties. */
export function readPropertyLabels(
  name: PropertyLabelsName,
  documents: Iterable<DocumentNumber>,
  propertiesOf: (document: DocumentNumber) => string | undefined,
): PackedLabels {
  const labels = new Map<string, DocumentNumber[]>();
  for (const document of documents) {
    for (const key of PROPERTY_LABELS[name].keysOf(propertiesOf(document) ?? '{}')) addLabel(labels, key, document);
  }
  return packLabels(labels);
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
  const expected = facts?.skills;
  const numbers = connection
    .prepare<[], SkillNumber>(`SELECT number FROM skill NOT INDEXED ORDER BY ${DOCUMENT_ORDER}`)
    .pluck()
    .all();
  const size = numbers.length;
  if (expected !== undefined && size !== expected) {
    throw damagedError(path, `it has ${size.toLocaleString('en')} skills, not ${expected.toLocaleString('en')}`);
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

/** @param names how labels are written, of labels of which that is kept */
export function packLabels(
  labels: ReadonlyMap<string, readonly DocumentNumber[]>,
  names?: ReadonlyMap<string, string>,
): PackedLabels {
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

export function unpackLabels({ slugs, starts, documents }: PackedLabels): ReadonlyMap<string, Uint32Array> {
  const names = readList(slugs);
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
