import { copyPreference } from '../../copies/copy-preference.js';
import { joinNearCopies } from '../../copies/near-copies.js';
import { SKETCH_BYTES } from '../../copies/text-signature.js';
import type { Connection } from '../../sqlite/connection.js';
import { readSignatures } from '../signature-table.js';

/** Labels, and which documents have each, as arrays. */
interface PackedLabels {
  /** The slugs, a JSON array in UTF-8. */
  readonly slugs: Uint8Array;
  /** Where the documents of each begin; one more than there are slugs. */
  readonly starts: Uint32Array;
  /** Ascending within a slug. */
  readonly documents: Uint32Array;
}

/** The columns of a catalogue as arrays only: what can be kept in a file. */
export interface PackedColumns {
  /** Number in the database, by document number. */
  readonly rows: Float64Array;
  readonly stars: Float64Array;
  readonly updatedAt: Float64Array;
  readonly idRank: Uint32Array;
  readonly starRank: Uint32Array;
  readonly copyGroup: Uint32Array;
  readonly categories: PackedLabels;
  readonly occupations: PackedLabels;
}

/** What is held in memory of every skill; all arrays are by document number. */
export interface CatalogueColumns {
  readonly size: number;
  /** Number in the database. */
  readonly rows: Float64Array;
  readonly stars: Float64Array;
  readonly updatedAt: Float64Array;
  /** Place of the skill when all are sorted by id in code-point order. */
  readonly idRank: Uint32Array;
  /** Place of the skill when all are sorted by stars, most first; equal ones by their numbers. */
  readonly starRank: Uint32Array;
  /** Equal for copies, of the same name and description or of nearly the same text: the number of one of them. */
  readonly copyGroup: Uint32Array;
  readonly categories: ReadonlyMap<string, Uint32Array>;
  readonly occupations: ReadonlyMap<string, Uint32Array>;
}

/** The columns over packed ones: the same arrays. */
export function unpackColumns(packed: PackedColumns): CatalogueColumns {
  const { categories, occupations, ...arrays } = packed;
  return {
    size: packed.rows.length,
    ...arrays,
    categories: unpackLabels(categories),
    occupations: unpackLabels(occupations),
  };
}

/** Reads the columns of a finished catalogue. Documents are numbered by their last update, latest first, then by id. */
export function readColumns(connection: Connection): PackedColumns {
  const size = connection.prepare<[], number>('SELECT count(*) FROM skill').pluck().get() as number;
  const rows = new Float64Array(size);
  const stars = new Float64Array(size);
  const updatedAt = new Float64Array(size);
  const copyGroup = new Uint32Array(size);
  const categories = new Map<string, number[]>();
  const occupations = new Map<string, number[]>();

  // SQLite compares text by its UTF-8 bytes, which is code-point order.
  const byUpdate = connection.prepare<[], [number, number, number, string, string, string]>(
    'SELECT number, stars, updated_at, categories, occupations, copy_key FROM skill ORDER BY updated_at DESC, id',
  );
  const documentOf = new Map<number, number>();
  const groups = new Map<string, number>();
  let document = 0;
  for (const [number, starCount, updated, categoryList, occupationList, copyKey] of byUpdate.raw().iterate()) {
    rows[document] = number;
    stars[document] = starCount;
    updatedAt[document] = updated;
    documentOf.set(number, document);
    addLabels(categories, categoryList, document);
    addLabels(occupations, occupationList, document);
    const group = groups.get(copyKey) ?? document;
    groups.set(copyKey, group);
    copyGroup[document] = group;
    document += 1;
  }
  const idRank = new Uint32Array(size);
  let rank = 0;
  for (const number of connection.prepare<[], number>('SELECT number FROM skill ORDER BY id').pluck().iterate()) {
    idRank[documentOf.get(number) as number] = rank++;
  }
  return {
    rows,
    stars,
    updatedAt,
    idRank,
    starRank: rankByStars(stars),
    copyGroup: withNearCopies(connection, { rows, stars, updatedAt, idRank, copyGroup }, documentOf),
    categories: packLabels(categories),
    occupations: packLabels(occupations),
  };
}

/** The groups of copies, those put together that have nearly the same text. */
function withNearCopies(
  connection: Connection,
  {
    rows,
    stars,
    updatedAt,
    idRank,
    copyGroup,
  }: Pick<PackedColumns, 'rows' | 'stars' | 'updatedAt' | 'idRank' | 'copyGroup'>,
  documentOf: ReadonlyMap<number, number>,
): Uint32Array {
  const names = new Uint32Array(rows.length);
  const texts = new Float64Array(rows.length);
  const words = new Float64Array(rows.length).fill(-1);
  const sketches = new Uint8Array(rows.length * SKETCH_BYTES);
  for (const [skill, name, text, count, sketch] of readSignatures(connection)) {
    const document = documentOf.get(skill) as number;
    names[document] = name;
    texts[document] = text;
    words[document] = count;
    sketches.set(sketch, document * SKETCH_BYTES);
  }
  const preference = copyPreference({ stars, updatedAt, idRank });
  return joinNearCopies(copyGroup, preference, { names, texts, words, sketches });
}

function rankByStars(stars: Float64Array): Uint32Array {
  const order = Uint32Array.from(stars.keys()).sort((a, b) => stars[b]! - stars[a]! || a - b);
  const ranks = new Uint32Array(order.length);
  for (let place = 0; place < order.length; place++) ranks[order[place]!] = place;
  return ranks;
}

function addLabels(labels: Map<string, number[]>, list: string, document: number): void {
  if (list === '[]') return;
  for (const slug of JSON.parse(list) as string[]) {
    const documents = labels.get(slug);
    if (documents === undefined) labels.set(slug, [document]);
    else documents.push(document);
  }
}

function packLabels(labels: ReadonlyMap<string, readonly number[]>): PackedLabels {
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

function unpackLabels({ slugs, starts, documents }: PackedLabels): ReadonlyMap<string, Uint32Array> {
  const names = JSON.parse(Buffer.from(slugs).toString()) as string[];
  return new Map(names.map((name, i) => [name, documents.subarray(starts[i], starts[i + 1])]));
}
