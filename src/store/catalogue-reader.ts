import type { Skill, SkillDetails, SkillFile, SkillProperties } from '../skill.js';
import type { Connection, Statement } from '../sqlite/connection.js';
import { openForReading, storeError } from './database.js';
import { VectorReader } from './vector-reader.js';
import { readMeta } from './working-copy.js';

/**
 * The stamp of a catalogue, without reading what a {@link CatalogueReader} holds of it.
 *
 * @throws {SkillSearchError} where there is no catalogue that can be read
 */
export function readStamp(path: string): string {
  const connection = openForReading(path);
  try {
    return stampIn(connection);
  } catch (error) {
    throw storeError(error, path, 'read');
  } finally {
    connection.close();
  }
}

function stampIn(connection: Connection): string {
  return readMeta(connection, 'stamp') ?? '';
}

/** What is held in memory of every skill; all arrays are by document number. */
export interface CatalogueColumns {
  readonly size: number;
  readonly stars: Float64Array;
  readonly updatedAt: Float64Array;
  /** Place of the skill when all are sorted by id in code-point order. */
  readonly idRank: Uint32Array;
  /** Equal for copies. */
  readonly copyGroup: Uint32Array;
  readonly categories: ReadonlyMap<string, readonly number[]>;
  readonly occupations: ReadonlyMap<string, readonly number[]>;
}

/** Stands for "no vector" among places of vectors. */
export const NO_VECTOR = -1;

interface SkillRow {
  readonly number: number;
  readonly record: string;
  readonly categories: string;
  readonly occupations: string;
  readonly properties: string;
}

interface FileRow {
  readonly filename: string;
  readonly text: string;
}

/**
 * A finished catalogue, read-only. Skills are numbered from 0 in the order of their last update, latest first (then by
 * id): these document numbers are what everything else works with; a record is read for the page that is shown.
 */
export class CatalogueReader {
  readonly stamp: string;
  readonly columns: CatalogueColumns;
  /** Those of a catalogue in memory come when they are first needed. */
  readonly vectors: VectorReader;
  readonly #connection: Connection;
  readonly #path: string;
  /** Number in the database, by document number. */
  readonly #rows: Float64Array;
  readonly #byNumber: Statement<[number: number], SkillRow>;
  readonly #byId: Statement<[id: string], SkillRow>;
  readonly #files: Statement<[skill: number], FileRow>;
  readonly #filenames: Statement<[skill: number], string>;
  readonly #file: Statement<[skill: number, filename: string], FileRow>;
  readonly #fileCount: Statement<[], number>;
  readonly #first: Statement<[], SkillRow>;
  readonly #ids: Statement<[], string>;

  /** @throws {SkillSearchError} where there is no catalogue that can be read */
  static open(path: string): CatalogueReader {
    const connection = openForReading(path);
    try {
      return new CatalogueReader(connection, path);
    } catch (error) {
      connection.close();
      throw storeError(error, path, 'read');
    }
  }

  constructor(connection: Connection, path = 'the catalogue in memory') {
    this.#connection = connection;
    this.#path = path;
    const row = 'SELECT number, record, categories, occupations, properties FROM skill';
    this.#byNumber = connection.prepare(`${row} WHERE number = ?`);
    this.#byId = connection.prepare(`${row} WHERE id = ?`);
    this.#files = connection.prepare('SELECT filename, text FROM file WHERE skill = ? ORDER BY position');
    this.#filenames = connection
      .prepare<[number], string>('SELECT filename FROM file WHERE skill = ? ORDER BY position')
      .pluck();
    this.#file = connection.prepare('SELECT filename, text FROM file WHERE skill = ? AND filename = ?');
    this.#fileCount = connection.prepare<[], number>('SELECT count(*) FROM file').pluck();
    this.#first = connection.prepare(`${row} LIMIT 1`);
    this.#ids = connection.prepare<[], string>('SELECT id FROM skill ORDER BY id').pluck();
    this.stamp = stampIn(connection);
    this.vectors = new VectorReader(connection, path);
    const { rows, columns } = readColumns(connection);
    this.#rows = rows;
    this.columns = columns;
  }

  /** The skill of a document number. */
  skill(number: number): Skill {
    return this.#guard(() => toSkill(this.#row(number)));
  }

  /** The JSON text of a skill's eight fields, as stored. */
  record(number: number): string {
    return this.#guard(() => this.#row(number).record);
  }

  /** The text of a skill's files, in order. */
  texts(number: number): FileRow[] {
    return this.#guard(() => this.#files.all(this.#rows[number] as number));
  }

  get(id: string): SkillDetails | undefined {
    return this.#guard(() => {
      const row = this.#byId.get(id);
      if (row === undefined) return undefined;
      return { ...toSkill(row), ...(JSON.parse(row.properties) as SkillProperties) };
    });
  }

  files(id: string): SkillFile[] {
    return this.#guard(() => {
      const row = this.#byId.get(id);
      const files = row === undefined ? [] : this.#files.all(row.number);
      return files.map((file) => ({ fileId: `${id}/${file.filename}`, ...file }));
    });
  }

  filenames(id: string): string[] {
    return this.#guard(() => {
      const row = this.#byId.get(id);
      return row === undefined ? [] : this.#filenames.all(row.number);
    });
  }

  file(id: string, filename: string): SkillFile | undefined {
    return this.#guard(() => {
      const row = this.#byId.get(id);
      const file = row === undefined ? undefined : this.#file.get(row.number, filename);
      return file === undefined ? undefined : { fileId: `${id}/${filename}`, ...file };
    });
  }

  /**
   * For each document the place of its vector in an ascending list of vector numbers, or {@link NO_VECTOR}. Gives way
   * to the event loop now and then.
   */
  async vectorPlaces(keys: Float64Array, signal?: AbortSignal): Promise<Int32Array> {
    const placeOf = new Map<number, number>();
    for (const [place, key] of keys.entries()) placeOf.set(key, place);
    const documentOf = new Map<number, number>();
    for (const [document, number] of this.#rows.entries()) documentOf.set(number, document);
    const places = new Int32Array(this.columns.size).fill(NO_VECTOR);
    for await (const [skill, vector] of this.vectors.ofSkills(signal)) {
      places[documentOf.get(skill) as number] = placeOf.get(vector) ?? NO_VECTOR;
    }
    return places;
  }

  /** Does work that reads several records under one lock of the file: for one each that takes longer than the reading. */
  reading<T>(work: () => T): T {
    return this.#guard(() => this.#connection.transaction(work)());
  }

  /** All ids, in code-point order. */
  ids(): string[] {
    return this.#guard(() => this.#ids.all());
  }

  countFiles(): number {
    return this.#guard(() => this.#fileCount.get() as number);
  }

  /** Asks for a skill; returns if the file answers, also where there is none. */
  check(): void {
    this.#guard(() => this.#first.get());
  }

  close(): void {
    this.#connection.close();
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw storeError(error, this.#path, 'read');
    }
  }

  #row(number: number): SkillRow {
    return this.#byNumber.get(this.#rows[number] as number) as SkillRow;
  }
}

function toSkill({ record, categories, occupations }: SkillRow): Skill {
  return { ...JSON.parse(record), categories: JSON.parse(categories), occupations: JSON.parse(occupations) };
}

function readColumns(connection: Connection): { rows: Float64Array; columns: CatalogueColumns } {
  const size = connection.prepare<[], number>('SELECT count(*) FROM skill').pluck().get() as number;
  const rows = new Float64Array(size);
  const stars = new Float64Array(size);
  const updatedAt = new Float64Array(size);
  const idRank = new Uint32Array(size);
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
  let rank = 0;
  for (const number of connection.prepare<[], number>('SELECT number FROM skill ORDER BY id').pluck().iterate()) {
    idRank[documentOf.get(number) as number] = rank++;
  }
  return { rows, columns: { size, stars, updatedAt, idRank, copyGroup, categories, occupations } };
}

function addLabels(labels: Map<string, number[]>, list: string, document: number): void {
  if (list === '[]') return;
  for (const slug of JSON.parse(list) as string[]) {
    const documents = labels.get(slug);
    if (documents === undefined) labels.set(slug, [document]);
    else documents.push(document);
  }
}
