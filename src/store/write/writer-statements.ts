import { Buffer } from 'node:buffer';
import type { SkillNumber } from '../../core/index.js';
import { blobChecksum, type ContentRow, contentsChecksum, fileChecksum, rowChecksum } from '../checksums.js';
import type { PackedBlob } from '../packing.js';
import { packText, type StoredText } from '../packing.js';
import { ContentRows } from '../read/content-reader.js';
import type { Superseding } from '../revisions.js';
import type { Connection, Statement } from '../sqlite.js';
import type { SkillColumns, SkillContentsToStore, SkillToStore } from '../stored-skill.js';
import { LabelStatements } from './labels.js';
import { VectorStatements } from './vectors.js';

/** What identifies the stored version of a skill. */
export interface StoredVersion {
  readonly number: SkillNumber;
  readonly hash: Buffer;
}

/** How many skills a load changed. */
export interface NetChanges {
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
}

/** The SQL of a load, prepared once for each connection. */
export class WriterStatements {
  readonly connection: Connection;
  readonly vectors: VectorStatements;
  readonly find: Statement<[id: string], StoredVersion>;
  readonly placeOf: Statement<[id: string], string>;
  readonly folderPlaces: Statement<[from: string, before: string], [id: string, place: string]>;
  readonly idOf: Statement<[skill: SkillNumber], string>;
  readonly insertSource: Statement<[name: string], unknown>;
  readonly hasClaim: Statement<[source: string, skill: SkillNumber], unknown>;
  readonly anyClaim: Statement<[skill: SkillNumber], unknown>;
  readonly insertClaim: Statement<[skill: SkillNumber, source: string], unknown>;
  readonly deleteClaim: Statement<[source: string, skill: SkillNumber], unknown>;
  readonly claimedBy: Statement<
    [source: string],
    { readonly number: SkillNumber; readonly id: string; readonly place: string }
  >;
  #touch: Statement<[id: string, was: Buffer | null], unknown> | undefined;
  #noteRow: Statement<[source: string, skill: SkillNumber, fingerprint: Buffer, hash: Buffer], unknown> | undefined;
  #saving: SavingStatements | undefined;
  #contents: ContentStatements | undefined;
  #contentRows: ContentRows | undefined;
  #labels: LabelStatements | undefined;
  readonly #deleteFiles: Statement<[skill: SkillNumber], unknown>;
  readonly #deleteClaims: Statement<[skill: SkillNumber], unknown>;
  readonly #deleteSkill: Statement<[skill: SkillNumber], unknown>;
  readonly #superseding: Superseding | undefined;

  /** @param superseding keeps what is replaced or removed for readers of former states; absent in a working copy */
  constructor(connection: Connection, superseding?: Superseding) {
    this.connection = connection;
    this.#superseding = superseding;
    this.vectors = new VectorStatements(connection);
    this.find = connection.prepare('SELECT number, hash FROM skill WHERE id = ?');
    this.placeOf = connection.prepare<[string], string>('SELECT place FROM skill WHERE id = ?').pluck();
    this.folderPlaces = connection
      .prepare<[string, string], [string, string]>('SELECT id, place FROM skill WHERE place >= ? AND place < ?')
      .raw();
    this.idOf = connection.prepare<[SkillNumber], string>('SELECT id FROM skill WHERE number = ?').pluck();
    this.insertSource = connection.prepare('INSERT OR IGNORE INTO source (name) VALUES (?)');
    this.hasClaim = connection.prepare(
      'SELECT 1 FROM claim WHERE source = (SELECT number FROM source WHERE name = ?) AND skill = ?',
    );
    this.anyClaim = connection.prepare('SELECT 1 FROM claim WHERE skill = ?');
    this.insertClaim = connection.prepare(
      'INSERT OR IGNORE INTO claim (skill, source) VALUES (?, (SELECT number FROM source WHERE name = ?))',
    );
    this.deleteClaim = connection.prepare(
      'DELETE FROM claim WHERE source = (SELECT number FROM source WHERE name = ?) AND skill = ?',
    );
    this.claimedBy = connection.prepare(`
      SELECT skill.number, skill.id, skill.place FROM claim JOIN skill ON skill.number = claim.skill
      WHERE claim.source = (SELECT number FROM source WHERE name = ?)`);
    this.#deleteFiles = connection.prepare('DELETE FROM file WHERE skill = ?');
    this.#deleteClaims = connection.prepare('DELETE FROM claim WHERE skill = ?');
    this.#deleteSkill = connection.prepare('DELETE FROM skill WHERE number = ?');
  }

  /**
   * Writes a skill.
   *
   * @param skill its number; undefined for a skill that is not stored yet
   * @param blobs bytes of its contents that are not stored yet; see {@link hasBlob}
   * @returns its number: another than before where readers go on reading what it was
   */
  save(
    columns: SkillColumns,
    { files, contents }: Pick<SkillToStore, 'files' | 'contents'>,
    skill: SkillNumber | undefined,
    blobs: readonly PackedBlob[] = [],
  ): SkillNumber {
    this.#saving ??= new SavingStatements(this.connection, this.#superseding?.before.lastSkill);
    if (skill !== undefined && this.#superseding?.isSeen(skill) === true) {
      this.#superseding.move(skill);
      const number = this.save(columns, { files, contents }, undefined, blobs);
      this.renumber(skill, number);
      return number;
    }
    if (skill !== undefined) this.#deleteFiles.run(skill);
    const number = this.#saving.save(columns, files, skill);
    if (skill !== undefined) this.contents.delete(number);
    if (contents !== undefined) this.contents.save(number, columns.id, columns.hash, contents, blobs);
    return number;
  }

  /** What skills are made of. */
  get contents(): ContentStatements {
    this.#contents ??= new ContentStatements(this.connection);
    return this.#contents;
  }

  /** Derived labels. */
  get labels(): LabelStatements {
    this.#labels ??= new LabelStatements(this.connection);
    return this.#labels;
  }

  /** Whether a skill has contents, void or not. */
  hasContents(skill: SkillNumber): boolean {
    return this.#rowsOfContents().contents(skill) !== undefined;
  }

  /** Whether the bytes with a digest are stored as they were written. */
  hasBlob(sha256: Buffer): boolean {
    return this.#rowsOfContents().hasWholeBlob(sha256);
  }

  #rowsOfContents(): ContentRows {
    this.#contentRows ??= new ContentRows(this.connection);
    return this.#contentRows;
  }

  /** Deletes signatures. Those of skills that have none are made at the end of a load. */
  forgetSignatures(skills: readonly SkillNumber[]): void {
    const forget = this.connection.prepare('DELETE FROM text_signature WHERE skill = ?');
    for (const skill of skills) forget.run(skill);
  }

  /**
   * Deletes a skill with its files, contents and claims, and notes what it was. Does nothing if there is no such skill.
   */
  remove(id: string): void {
    const stored = this.find.get(id);
    if (stored === undefined) return;
    this.touch(id, stored.hash);
    this.erase(stored.number);
  }

  /** Gives the claims of a skill, and what its rows became, to its new number. */
  renumber(from: SkillNumber, to: SkillNumber): void {
    this.connection.prepare('UPDATE claim SET skill = ? WHERE skill = ?').run(to, from);
    // No index has the skill first, and sources are few.
    const notes = 'UPDATE known_row SET skill = ? WHERE source IN (SELECT number FROM source) AND skill = ?';
    this.connection.prepare(notes).run(to, from);
  }

  /** Deletes a skill with its files, contents, derived labels and claims, without a note of what it was. */
  erase(skill: SkillNumber): void {
    if (this.#superseding !== undefined) {
      this.#deleteClaims.run(skill);
      this.#superseding.move(skill);
      return;
    }
    this.#deleteFiles.run(skill);
    this.#deleteClaims.run(skill);
    this.#deleteSkill.run(skill);
    this.contents.delete(skill);
    this.labels.forget([skill]);
  }

  /** The changes of the first load into a catalogue, which notes nothing: every skill is new. */
  countAllAsAdded(): NetChanges {
    const added = this.connection.prepare<[], number>('SELECT count(*) FROM main.skill').pluck().get()!;
    return { added, updated: 0, removed: 0 };
  }

  /** Notes what a skill was before the load: its hash, or null. Only the first note of a load counts. */
  touch(id: string, was: Buffer | null): void {
    if (this.#touch === undefined) {
      this.connection.exec('CREATE TEMP TABLE IF NOT EXISTS touched (id TEXT PRIMARY KEY, was BLOB) WITHOUT ROWID');
      this.#touch = this.connection.prepare('INSERT OR IGNORE INTO temp.touched (id, was) VALUES (?, ?)');
    }
    this.#touch.run(id, was);
  }

  /** The changes of a load into an existing catalogue, net: a skill that is as it was before does not count. */
  countChanges(): NetChanges {
    if (this.#touch === undefined) return { added: 0, updated: 0, removed: 0 };
    return this.connection
      .prepare<[], NetChanges>(`
        SELECT
          count(*) FILTER (WHERE was IS NULL AND hash IS NOT NULL) AS added,
          count(*) FILTER (WHERE was <> hash) AS updated,
          count(*) FILTER (WHERE was IS NOT NULL AND hash IS NULL) AS removed
        FROM temp.touched LEFT JOIN main.skill ON skill.id = touched.id`)
      .get()!;
  }

  /**
   * Notes what a row became, for the `KnownRows` of the next load: a row with this fingerprint makes a skill with this
   * hash. The source must have been claimed.
   */
  noteRow(source: string, skill: SkillNumber, fingerprint: string, hash: Buffer): void {
    this.#noteRow ??= this.connection.prepare(`
      INSERT OR REPLACE INTO known_row (source, skill, fingerprint, hash)
      VALUES ((SELECT number FROM source WHERE name = ?), ?, ?, ?)`);
    this.#noteRow.run(source, skill, Buffer.from(fingerprint, 'latin1'), hash);
  }

  /** Deletes the notes of rows whose source no longer claims the skill. */
  forgetUnclaimedRows(): void {
    this.connection.exec(`
      DELETE FROM known_row WHERE NOT EXISTS (
        SELECT 1 FROM claim WHERE claim.source = known_row.source AND claim.skill = known_row.skill)`);
  }

  /** Closes the connection of the statements. */
  close(): void {
    this.connection.close();
  }
}

/** The SQL that writes a skill, packed where it is written into a file. */
class SavingStatements {
  readonly #insert: Statement<[SavedColumns], unknown>;
  readonly #update: Statement<[SavedColumns], unknown>;
  readonly #insertFile: Statement<
    [skill: SkillNumber, position: number, filename: string, stored: StoredText, checksum: number],
    unknown
  >;
  readonly #isPacked: boolean;
  #last: SkillNumber;

  /** @param last highest number that was ever used, if that is known */
  constructor(connection: Connection, last = 0) {
    this.#isPacked = !connection.memory;
    this.#last = connection
      .prepare<[], number>(`
        SELECT max(ifnull((SELECT max(number) FROM skill), 0), ifnull((SELECT max(skill) FROM contents), 0),
          ifnull((SELECT max(skill) FROM content_file), 0))`)
      .pluck()
      .get()!;
    if (last > this.#last) this.#last = last;
    this.#insert = connection.prepare(`
      INSERT INTO skill
        (number, id, stars, updated_at, record, categories, occupations, tags, properties, copy_key, place, text_hash,
          hash, checksum)
      VALUES
        (:number, :id, :stars, :updatedAt, :record, :categories, :occupations, :tags, :properties, :copyKey, :place,
          :textHash, :hash, :checksum)`);
    this.#update = connection.prepare(`
      UPDATE skill SET stars = :stars, updated_at = :updatedAt, record = :record, categories = :categories,
        occupations = :occupations, tags = :tags, properties = :properties, copy_key = :copyKey, place = :place,
        text_hash = :textHash, hash = :hash, checksum = :checksum
      WHERE number = :number`);
    this.#insertFile = connection.prepare(
      'INSERT INTO file (skill, position, filename, text, checksum) VALUES (?, ?, ?, ?, ?)',
    );
  }

  /** Writes a skill that has no files by now. */
  save(columns: SkillColumns, files: SkillToStore['files'], skill: SkillNumber | undefined): SkillNumber {
    // The number is chosen here, because checksums cover it.
    const number = skill ?? this.#last + 1;
    if (number > this.#last) this.#last = number;
    const { record } = columns;
    const numbered = { ...columns, number };
    const values = { ...numbered, checksum: rowChecksum(numbered) };
    (skill === undefined ? this.#insert : this.#update).run(values);
    for (const [position, { filename, text }] of files.entries()) {
      const stored = this.#isPacked ? packText(text, record) : text;
      const checksum = fileChecksum(number, position, files.length, filename, stored);
      this.#insertFile.run(number, position, filename, stored, checksum);
    }
    return number;
  }
}

type SavedColumns = SkillColumns & {
  readonly number: SkillNumber;
  readonly checksum: number;
};

/** Digests of deleted contents that are noted at most. With more it is as fast to look at all bytes. */
const MAX_FREED = 20_000;

/** The SQL that writes what skills are made of. */
export class ContentStatements {
  readonly #insert: Statement<[skill: SkillNumber, hash: Buffer, completeId: string | null, checksum: number], unknown>;
  readonly #insertFile: Statement<
    [SkillNumber, path: string, size: number, Buffer, executable: number, complete: number, number, kept: string],
    unknown
  >;
  readonly #insertBlob: Statement<
    [sha256: Buffer, size: number, packing: string, bytes: Buffer, checksum: number],
    unknown
  >;
  readonly #connection: Connection;
  readonly #noteFreed: Statement<[SkillNumber], unknown>;
  readonly #delete: Statement<[SkillNumber], unknown>;
  readonly #deleteFiles: Statement<[SkillNumber], unknown>;
  /** Digests that are noted because contents with them were deleted. */
  #freed = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
    connection.exec('CREATE TEMP TABLE IF NOT EXISTS freed (sha256 BLOB PRIMARY KEY) WITHOUT ROWID');
    this.#insert = connection.prepare(
      'INSERT OR REPLACE INTO main.contents (skill, hash, complete_id, checksum) VALUES (?, ?, ?, ?)',
    );
    this.#insertFile = connection.prepare(`
      INSERT INTO main.content_file (skill, path, size, sha256, executable, complete, is_text, kept)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
    this.#insertBlob = connection.prepare(`
      INSERT INTO main.blob (sha256, size, packing, bytes, checksum) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (sha256) DO UPDATE
      SET size = excluded.size, packing = excluded.packing, bytes = excluded.bytes, checksum = excluded.checksum`);
    this.#noteFreed = connection.prepare(`
      INSERT OR IGNORE INTO temp.freed SELECT sha256 FROM main.content_file WHERE skill = ? AND kept = 'blob'`);
    this.#delete = connection.prepare('DELETE FROM main.contents WHERE skill = ?');
    this.#deleteFiles = connection.prepare('DELETE FROM main.content_file WHERE skill = ?');
  }

  /**
   * Writes the contents of a skill that has none by now.
   *
   * @param blobs bytes that are not stored yet
   */
  save(
    skill: SkillNumber,
    id: string,
    hash: Buffer,
    { complete, files }: SkillContentsToStore,
    blobs: readonly PackedBlob[],
  ): void {
    const rows = files.map(({ path, size, sha256, executable, complete, isText, bytes }) => ({
      path,
      size,
      sha256: Buffer.from(sha256, 'hex'),
      executable: Number(executable),
      complete: Number(complete),
      isText: Number(isText),
      kept: bytes === undefined ? 'none' : bytes === 'text' ? 'text' : 'blob',
    }));
    this.write(skill, hash, complete ? id : null, rows);
    for (const { sha256, size, packing, bytes } of blobs) {
      const digest = Buffer.from(sha256, 'hex');
      this.#insertBlob.run(digest, size, packing, bytes, blobChecksum(digest, size, packing, bytes));
    }
  }

  /** @param files in code-point order of their paths */
  write(skill: SkillNumber, hash: Buffer, completeId: string | null, files: readonly ContentRow[]): void {
    this.#insert.run(skill, hash, completeId, contentsChecksum(skill, hash, completeId, files));
    for (const { path, size, sha256, executable, complete, isText, kept } of files) {
      this.#insertFile.run(skill, path, size, sha256, executable, complete, isText, kept);
    }
  }

  delete(skill: SkillNumber): void {
    if (this.#freed <= MAX_FREED) this.#freed += this.#noteFreed.run(skill).changes;
    this.#delete.run(skill);
    this.#deleteFiles.run(skill);
  }

  /**
   * Deletes contents of skills that are gone, and bytes that no skill has any more. For the end of a load.
   *
   * @param ofAll false looks only at the bytes of contents that were deleted with these statements, unless some others
   *   were left: to look at all takes a second for some hundred thousand files
   */
  deleteUnused(ofAll: boolean): void {
    const connection = this.#connection;
    const { changes } = connection
      .prepare('DELETE FROM main.contents WHERE skill NOT IN (SELECT number FROM main.skill)')
      .run();
    const files = connection
      .prepare('DELETE FROM main.content_file WHERE skill NOT IN (SELECT skill FROM main.contents)')
      .run();
    const isAll = ofAll || changes + files.changes > 0 || this.#freed > MAX_FREED;
    const used = "SELECT sha256 FROM main.content_file WHERE kept = 'blob'";
    if (isAll) deleteBlobs(connection, `SELECT sha256 FROM main.blob EXCEPT ${used}`);
    else if (this.#freed > 0) {
      const freed = 'SELECT sha256 FROM temp.freed';
      deleteBlobs(connection, `${freed} EXCEPT ${used} AND sha256 IN (${freed})`);
    }
  }
}

/** @param digests as SQL */
function deleteBlobs(connection: Connection, digests: string): void {
  connection.exec(`DELETE FROM main.blob WHERE sha256 IN (${digests})`);
}
