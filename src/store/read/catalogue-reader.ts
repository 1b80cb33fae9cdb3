import { statSync } from 'node:fs';
import {
  ALL_IN_MEMORY,
  type DocumentNumber,
  loopTurn,
  orUndefined,
  type Pager,
  type SkillNumber,
} from '../../core/index.js';
import type { Skill, SkillContents, SkillDetails, SkillFile, SkillProperties } from '../../skill.js';
import { damagedError, guarded, whileOpen } from '../database.js';
import { type CatalogueFacts, checksumOfIds, readFacts, readMeta } from '../notes.js';
import { folderAt } from '../places.js';
import { OpenedState, readHistory } from '../revisions.js';
import type { Connection, Statement } from '../sqlite.js';
import { fieldsOf, recordAuthor } from '../stored-skill.js';
import { type ChangedColumns, changedColumns } from './changed-columns.js';
import {
  addRowLabels,
  type CatalogueColumns,
  isOfFile,
  type LateLabels,
  noRowLabels,
  type PackedColumns,
  type PackedLabels,
  packLabels,
  readColumns,
  storedInstallations,
  storedLicense,
  unpackColumns,
  withoutPath,
} from './columns.js';
import { ContentReader } from './content-reader.js';
import { openState, SkillRows, type StoredFile, type StoredRow, toSkill } from './stored-row.js';
import { VectorReader } from './stored-vectors.js';

/**
 * Reads the stamp of a catalogue, and nothing else of it.
 *
 * @throws {SkillSearchError} if there is no catalogue that can be read
 */
export function readStamp(path: string): string {
  return whileOpen(path, (connection) => readMeta(connection, 'stamp') ?? '');
}

/** Marks a document without a vector. */
export const NO_VECTOR = -1;

/** Documents that are put into a table in one turn of the event loop: some milliseconds. */
const NUMBERED_A_TURN = 20_000;

/**
 * A finished catalogue, read-only. Everything works with document numbers; a record is read only for the page that is
 * shown. All that is read is checked: what is damaged throws `DATABASE_DAMAGED`.
 */
export class CatalogueReader {
  readonly stamp: string;
  /** When the file was last written, in Unix seconds; undefined for a catalogue in memory. */
  readonly writtenAt: number | undefined;
  /** A catalogue in memory has none until they are first needed. */
  readonly vectors: VectorReader;
  readonly #connection: Connection;
  readonly #path: string;
  /** What the last load noted of the whole; undefined in memory. */
  readonly #facts: CatalogueFacts | undefined;
  #packed: PackedColumns | undefined;
  /** Reads the arrays of {@link #packed} that are not in memory yet. */
  #pager: Pager = ALL_IN_MEMORY;
  #readLate: ChangedColumns['readLate'] | undefined;
  #columns: CatalogueColumns | undefined;
  #damagedDocuments: ReadonlySet<DocumentNumber> | undefined;
  #records: KeptDocuments<string> | undefined;
  /** Never handed out: whoever asks gets a copy, and may change that. */
  #skills: KeptDocuments<Skill> | undefined;
  #hasAllIds = false;
  readonly #contents: ContentReader;
  readonly #opened: OpenedState;
  readonly #rows: SkillRows;
  readonly #numberOf: Statement<[id: string], SkillNumber>;
  readonly #ids: Statement<[], string>;

  /** @throws {SkillSearchError} if there is no catalogue that can be read */
  static open(path: string): CatalogueReader {
    return openState(
      path,
      (connection) => new CatalogueReader(connection, path, Math.floor(statSync(path).mtimeMs / 1000)),
    );
  }

  constructor(connection: Connection, path = 'the catalogue in memory', writtenAt?: number) {
    this.writtenAt = writtenAt;
    this.#connection = connection;
    this.#path = path;
    this.#rows = new SkillRows(connection, path);
    this.#numberOf = connection.prepare<[string], SkillNumber>('SELECT number FROM skill WHERE id = ?').pluck();
    this.#ids = connection.prepare<[], string>('SELECT id FROM skill ORDER BY id').pluck();
    this.stamp = readMeta(connection, 'stamp') ?? '';
    this.#facts = readFacts(connection);
    this.#opened = new OpenedState(connection, path, this.stamp);
    this.vectors = new VectorReader(connection, path, this.#facts, this.#opened);
    this.#contents = new ContentReader(connection, path, this.#facts, this.#rows);
  }

  /** Read on first use, unless {@link useColumns} was called before. */
  get columns(): CatalogueColumns {
    if (this.#columns === undefined) this.useColumns(this.packedColumns);
    return this.#columns!;
  }

  get packedColumns(): PackedColumns {
    this.#packed ??= this.reading(() => readColumns(this.#connection, this.#path, this.#facts));
    return this.#packed;
  }

  /** Whether small changes made this state from the state with a stamp. */
  hasFormerState(former: string): boolean {
    return this.reading(() => readHistory(this.#connection, this.stamp).some(({ stamp }) => stamp === former));
  }

  /**
   * Puts the columns together from those of a former state, where small changes made this state from it.
   *
   * @param former stamp of that state
   * @param columns of it; all arrays but those of late labels must be in memory
   * @param pager reads late labels
   * @returns undefined if there is no such state
   * @throws {DamagedArrayFileError} if they are not the columns of that state; they are not taken then
   */
  useFormerColumns(
    former: string,
    columns: PackedColumns,
    pager: Pager,
  ): Pick<ChangedColumns, 'numbers' | 'came'> | undefined {
    return this.reading(() => {
      const history = readHistory(this.#connection, this.stamp);
      const since = history.find(({ stamp }) => stamp === former);
      const until = history.at(-1);
      if (since === undefined || until === undefined) return undefined;
      const changed = changedColumns(this.#connection, columns, pager, since, until);
      this.useColumns(changed.columns, ALL_IN_MEMORY, changed.readLate);
      return changed;
    });
  }

  /** The documents that are known to be damaged: nothing leads to them. */
  get damaged(): ReadonlySet<DocumentNumber> {
    this.#damagedDocuments ??= new Set(this.columns.damaged);
    return this.#damagedDocuments;
  }

  /** Notes documents of which nothing could be indexed. */
  noteDamaged(documents: Iterable<DocumentNumber>): void {
    const all = new Set([...this.damaged, ...documents]);
    if (all.size === this.damaged.size) return;
    const damaged = Uint32Array.from(all).sort();
    this.useColumns({ ...this.packedColumns, damaged }, this.#pager, this.#readLate);
  }

  /**
   * Takes the columns from a derived file of the same state of the catalogue.
   *
   * @param pager reads the labels that are late; all other arrays must be in memory
   * @param readLate gives late labels that the columns lack; those that it does not know are read from the catalogue
   * @throws {DamagedArrayFileError} if they contradict each other; they are not taken then
   */
  useColumns(columns: PackedColumns, pager: Pager = ALL_IN_MEMORY, readLate?: ChangedColumns['readLate']): void {
    const read = (name: LateLabels): PackedLabels =>
      orUndefined(() => readLate?.(name), isOfFile) ?? this.#readLabels(name);
    this.#columns = unpackColumns(columns, { pager, read });
    this.#packed = columns;
    this.#pager = pager;
    this.#readLate = readLate;
    this.#damagedDocuments = undefined;
  }

  /** @throws {SkillSearchError} `DATABASE_DAMAGED` */
  skill(document: DocumentNumber): Skill {
    return copyOf(this.#keptSkill(document));
  }

  /**
   * The name of a skill. It is kept with all that a hit shows: the skills of such a name are mostly shown next.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  nameOf(document: DocumentNumber): string {
    const record = this.keptRecord(document);
    return record === undefined ? this.#keptSkill(document).name : (JSON.parse(record) as Skill).name;
  }

  #keptSkill(document: DocumentNumber): Skill {
    const kept = this.#skills?.get(document);
    if (kept !== undefined) return kept;
    const skill = toSkill(this.#row(document));
    this.#skills ??= new KeptDocuments();
    this.#skills.keep(document, skill, lengthOf(skill));
    return skill;
  }

  /**
   * The JSON text of a skill's eight fields, ready to be sent.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  record(document: DocumentNumber): string {
    const kept = this.keptRecord(document);
    if (kept !== undefined) return kept;
    const record = JSON.stringify(fieldsOf(this.#row(document)));
    this.#records ??= new KeptDocuments();
    this.#records.keep(document, record, record.length);
    return record;
  }

  /** The record of a document if it was read and checked lately. */
  keptRecord(document: DocumentNumber): string | undefined {
    return this.#records?.get(document);
  }

  /**
   * The files of a skill with their texts, in order.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  texts(document: DocumentNumber): StoredFile[] {
    return this.reading(() => this.#rows.files(this.#skillNumber(document)));
  }

  /**
   * All that is stored of a skill but its files, and without the paths of its installations.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  get(id: string): SkillDetails | undefined {
    return this.#about(id, (row) => {
      const { installations: _, ...properties } = JSON.parse(row.properties) as SkillProperties &
        Pick<Skill, 'installations'>;
      const installations = storedInstallations(row.properties).map(withoutPath);
      return { ...toSkill(row), ...properties, ...(installations.length > 0 && { installations }) };
    });
  }

  /**
   * Where a skill lies on this machine: the folder that it was loaded from, absolute, and its installations with their
   * paths. Each is absent if there is none.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  localPathsOf(id: string): Pick<Skill, 'localPath' | 'installations'> {
    const paths = this.#about(id, ({ place, properties }) => {
      const localPath = folderAt(place, this.#path);
      const installations = storedInstallations(properties);
      return { ...(localPath !== undefined && { localPath }), ...(installations.length > 0 && { installations }) };
    });
    return paths ?? {};
  }

  /** @throws {SkillSearchError} `DATABASE_DAMAGED` */
  files(id: string): SkillFile[] {
    const files = this.#about(id, ({ number }) => this.#rows.files(number));
    return (files ?? []).map((file) => ({ fileId: `${id}/${file.filename}`, ...file }));
  }

  /** @throws {SkillSearchError} `DATABASE_DAMAGED` */
  filenames(id: string): string[] {
    return (this.#about(id, ({ number }) => this.#rows.files(number)) ?? []).map(({ filename }) => filename);
  }

  /** @throws {SkillSearchError} `DATABASE_DAMAGED` */
  file(id: string, filename: string): SkillFile | undefined {
    return this.#about(id, ({ number }) => {
      const file = this.#rows.file(number, filename);
      return file && { fileId: `${id}/${filename}`, filename, text: file.text };
    });
  }

  /**
   * What a skill is made of; undefined if there is no such skill.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  contents(id: string): SkillContents | undefined {
    return this.#about(id, (row) => this.#contents.contents(row));
  }

  /**
   * The bytes of a file of a skill; undefined if there is no such file, or its bytes are not kept.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  read(id: string, path: string): Uint8Array | undefined {
    return this.#about(id, (row) => this.#contents.read(row, path));
  }

  /**
   * Whether a skill has complete contents; false if there is no such skill.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  isComplete(id: string): boolean {
    return this.#about(id, (row) => this.#contents.isComplete(row)) === true;
  }

  /**
   * Ids of skills with complete contents, in code-point order.
   *
   * @param after only ids behind it
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  completeIds(after: string, limit: number): string[] {
    return this.reading(() => this.#contents.completeIds(after, limit));
  }

  /** For each document, the number of its vector, or {@link NO_VECTOR}. Yields to the event loop now and then. */
  async vectorNumbers(signal?: AbortSignal): Promise<Float64Array> {
    const { skillNumbers, size } = this.columns;
    const documentOf = new Map<SkillNumber, DocumentNumber>();
    for (let document = 0; document < size; document++) {
      documentOf.set(skillNumbers[document]!, document);
      if (document % NUMBERED_A_TURN !== NUMBERED_A_TURN - 1) continue;
      await loopTurn(signal);
    }
    const numbers = new Float64Array(size).fill(NO_VECTOR);
    for await (const some of this.vectors.ofSkills(signal)) {
      for (const [skill, vector] of some) if (vector !== null) numbers[documentOf.get(skill)!] = vector;
    }
    return numbers;
  }

  /**
   * Runs work that reads the opened state, under one lock of the file. A lock for each record would take longer than
   * reading.
   */
  reading<T>(work: () => T): T {
    if (this.#connection.inTransaction) return work();
    return guarded(this.#path, 'read', () => this.#opened.reading(work));
  }

  /** Does not read the columns. */
  countSkills(): number {
    return this.#columns?.size ?? this.#facts?.skills ?? this.#count('skill');
  }

  /**
   * The document of a skill; undefined if there is no such skill.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  documentOf(id: string): DocumentNumber | undefined {
    return this.#about(id, ({ number }) => this.columns.skillNumbers.indexOf(number));
  }

  /** @throws {SkillSearchError} `DATABASE_DAMAGED` */
  idsOf(documents: readonly DocumentNumber[]): string[] {
    return this.reading(() => documents.map((document) => this.#row(document).id));
  }

  /**
   * All ids, in code-point order.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  ids(): string[] {
    return this.reading(() => {
      const ids = this.#ids.all();
      this.#checkIds(ids);
      return ids;
    });
  }

  /** How many skills got each category from a classifier. */
  derivedCounts(): ReadonlyMap<string, number> {
    return new Map([...this.columns.derived].map(([slug, documents]) => [slug, documents.length]));
  }

  countFiles(): number {
    return this.#facts?.files ?? this.#count('file');
  }

  #count(table: string): number {
    return this.reading(() => this.#connection.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get()!);
  }

  /** The id of a document, if it is certain. Does not fail. */
  idOrUndefined(document: DocumentNumber): string | undefined {
    return this.reading(() => this.#rows.idOf(this.#skillNumber(document)));
  }

  /** The author of a document as its record has it, if that is certain. Does not fail. */
  authorOf(document: DocumentNumber): string | undefined {
    const row = this.reading(() => this.#rows.wholeRow(this.#skillNumber(document)));
    return row === undefined ? undefined : recordAuthor(row.record);
  }

  /** The licence of a document as its properties have it, if it has one and that is certain. Does not fail. */
  licenseOf(document: DocumentNumber): string | undefined {
    const row = this.reading(() => this.#rows.wholeRow(this.#skillNumber(document)));
    return row === undefined ? undefined : storedLicense(row.properties);
  }

  /** Reads something. Returns if the file can be read, even if the catalogue is empty. */
  check(): void {
    this.reading(() => this.#connection.prepare('SELECT record FROM skill LIMIT 1').get());
  }

  close(): void {
    this.#connection.close();
    // They may be views of the memory of a whole index.
    this.#packed = undefined;
    this.#columns = undefined;
    this.#pager = ALL_IN_MEMORY;
    this.#readLate = undefined;
    this.#records = undefined;
    this.#skills = undefined;
  }

  /** Late labels of a file that is damaged, read from the rows of all skills. */
  #readLabels(name: LateLabels): PackedLabels {
    return this.reading(() => {
      const labels = noRowLabels();
      for (const document of this.columns.stars.keys()) {
        const row = this.damaged.has(document) ? undefined : this.#rows.wholeRow(this.#skillNumber(document));
        if (row !== undefined) addRowLabels(labels, row, document);
      }
      return packLabels(name, labels[name]);
    });
  }

  #skillNumber(document: DocumentNumber): SkillNumber {
    return this.columns.skillNumbers[document]!;
  }

  /** @throws {SkillSearchError} `DATABASE_DAMAGED` */
  #row(document: DocumentNumber): StoredRow {
    return this.reading(() => this.#rows.known(this.#skillNumber(document)));
  }

  /** Reads something of a skill; undefined if there is no such skill. */
  #about<T>(id: string, read: (row: StoredRow) => T): T | undefined {
    return this.reading(() => {
      const row = this.#find(id);
      return row && read(row);
    });
  }

  /**
   * The row of a skill; undefined if there is none.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  #find(id: string): StoredRow | undefined {
    const number = this.#numberOf.get(id);
    if (number === undefined) {
      // Damage of the index must not make a skill disappear. Read once: a tenth of a second for a large catalogue.
      if (!this.#hasAllIds) this.#checkIds();
      return undefined;
    }
    const row = this.#rows.wholeRow(number);
    if (row?.id === id) return row;
    // The index leads to a damaged row: whatever that row says of its id now.
    throw damagedError(this.#path, `what is stored of the skill ${id} is not as it was written`, id);
  }

  /** @throws {SkillSearchError} `DATABASE_DAMAGED` if the index of SQLite lacks an id */
  #checkIds(ids?: readonly string[]): void {
    if (this.#facts !== undefined && checksumOfIds(ids ?? this.#ids.iterate()) !== this.#facts.ids) {
      throw damagedError(this.#path, 'its index of ids is not as it was written');
    }
    this.#hasAllIds = true;
  }
}

/** Characters of the texts of a skill. */
function lengthOf(skill: Skill): number {
  const { id, name, author, description, codehostUrl, skillUrl, categories, occupations, tags } = skill;
  let length = id.length + name.length + author.length + description.length + codehostUrl.length + skillUrl.length;
  for (const labels of [categories, occupations, tags]) for (const label of labels) length += label.length;
  return length;
}

function copyOf(skill: Skill): Skill {
  const { categories, occupations, tags, derivedCategories } = skill;
  const copy = { ...skill, categories: [...categories], occupations: [...occupations], tags: [...tags] };
  return derivedCategories === undefined ? copy : { ...copy, derivedCategories: [...derivedCategories] };
}

/** Documents of which something is kept: with 8,192 of 600 bytes some 5 MB. A power of two. */
const SLOTS = 8192;

/** What takes more characters than this is not kept, so that all together take 32 MB at most. */
const LONGEST = 2048;

/**
 * What was read of documents and checked lately. Questions of a day have many of their skills in common, and checking a
 * record takes as long as reading it. Each document has one slot, which the latest of its documents takes.
 */
export class KeptDocuments<Value> {
  readonly #documents = new Int32Array(SLOTS).fill(-1);
  readonly #values: (Value | undefined)[] = new Array(SLOTS).fill(undefined);

  get(document: DocumentNumber): Value | undefined {
    const slot = document & (SLOTS - 1);
    return this.#documents[slot] === document ? this.#values[slot] : undefined;
  }

  /** @param length of its texts in characters */
  keep(document: DocumentNumber, value: Value, length: number): void {
    if (length > LONGEST) return;
    const slot = document & (SLOTS - 1);
    this.#documents[slot] = document;
    this.#values[slot] = value;
  }
}
