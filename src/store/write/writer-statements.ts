import { Buffer } from 'node:buffer';
import type { SkillNumber } from '../../core/index.js';
import { blobChecksum, fileChecksum, rowChecksum } from '../checksums.js';
import { noteSignatureRules, signatureFor } from '../copies/text-signature.js';
import { type PackedBlob, packText, type StoredText } from '../packing.js';
import { BlobRows } from '../read/content-reader.js';
import { SkillRows, unpacked } from '../read/stored-row.js';
import { LAST_SKILL, type Superseding } from '../revisions.js';
import type { Connection, Statement } from '../sqlite.js';
import { blobsIn, type DerivedColumns, fieldsOf, type SkillColumns, type SkillToStore } from '../stored-skill.js';
import { VectorStatements } from './vectors.js';

/** What identifies the stored version of a skill. */
export interface StoredVersion {
  readonly number: SkillNumber;
  readonly hash: Buffer;
  readonly derived: string | null;
}

/** How many skills a load changed. */
export interface NetChanges {
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
}

export const NO_CHANGES: NetChanges = { added: 0, updated: 0, removed: 0 };

/** What is written of a skill besides its columns. */
export interface PartsToSave extends Pick<SkillToStore, 'files'> {
  readonly signature: Uint8Array;
  /** What a classifier found, see the column; absent if none has seen this version. */
  readonly derived?: string | undefined;
  /** Bytes of its contents that are not stored yet. */
  readonly blobs?: readonly PackedBlob[] | undefined;
}

type SavedColumns = SkillColumns & DerivedColumns & { readonly number: SkillNumber; readonly checksum: number };

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
  readonly claim: Statement<[SkillNumber, source: string, fingerprint: Buffer | null, hash: Buffer | null], unknown>;
  readonly deleteClaim: Statement<[source: string, skill: SkillNumber], unknown>;
  readonly claimedBy: Statement<
    [source: string],
    { readonly number: SkillNumber; readonly id: string; readonly place: string }
  >;
  readonly deleteClaims: Statement<[skill: SkillNumber], unknown>;
  readonly #deleteRevision: Statement<[skill: SkillNumber], unknown>;
  readonly #derive: Statement<[SavedColumns], unknown>;
  readonly #superseding: Superseding | undefined;
  #touch: Statement<[id: string, was: Buffer | null], unknown> | undefined;
  #saving: SavingStatements | undefined;
  #blobs: BlobRows | undefined;
  #rows: SkillRows | undefined;

  /** @param superseding keeps what is replaced or removed for readers of former states; absent in a staging file */
  constructor(connection: Connection, superseding?: Superseding) {
    this.connection = connection;
    this.#superseding = superseding;
    this.vectors = new VectorStatements(connection);
    this.find = connection.prepare('SELECT number, hash, derived FROM skill WHERE id = ?');
    this.placeOf = connection.prepare<[string], string>('SELECT place FROM skill WHERE id = ?').pluck();
    this.folderPlaces = connection
      .prepare<[string, string], [string, string]>('SELECT id, place FROM skill WHERE place >= ? AND place < ?')
      .raw();
    this.idOf = connection.prepare<[SkillNumber], string>('SELECT id FROM skill WHERE number = ?').pluck();
    this.insertSource = connection.prepare('INSERT OR IGNORE INTO source (name) VALUES (?)');
    const ofSource = 'source = (SELECT number FROM source WHERE name = ?)';
    this.hasClaim = connection.prepare(`SELECT 1 FROM claim WHERE ${ofSource} AND skill = ?`);
    this.anyClaim = connection.prepare('SELECT 1 FROM claim WHERE skill = ?');
    this.claim = connection.prepare(`
      INSERT INTO claim (skill, source, fingerprint, hash)
      VALUES (?, (SELECT number FROM source WHERE name = ?), ?, ?)
      ON CONFLICT (source, skill) DO UPDATE SET fingerprint = excluded.fingerprint, hash = excluded.hash`);
    this.deleteClaim = connection.prepare(`DELETE FROM claim WHERE ${ofSource} AND skill = ?`);
    this.deleteClaims = connection.prepare('DELETE FROM claim WHERE skill = ?');
    this.#deleteRevision = connection.prepare('DELETE FROM revision WHERE number = ?');
    this.#derive = connection.prepare(`
      UPDATE revision SET derived = :derived, signature = :signature, checksum = :checksum WHERE number = :number`);
    this.claimedBy = connection.prepare(`
      SELECT skill.number, skill.id, skill.place FROM claim JOIN skill ON skill.number = claim.skill WHERE ${ofSource}`);
  }

  /**
   * Writes a skill.
   *
   * @param skill its number; undefined for a skill that is not stored yet
   * @returns its number: another than before where readers go on reading what it was
   */
  save(columns: SkillColumns, parts: PartsToSave, skill: SkillNumber | undefined): SkillNumber {
    this.#saving ??= new SavingStatements(this.connection, this.#superseding?.before.lastSkill);
    if (skill === undefined || this.#superseding?.isSeen(skill) !== true)
      return this.#saving.save(columns, parts, skill);
    this.#superseding.leave(skill);
    const number = this.#saving.save(columns, parts, undefined);
    this.connection.prepare('UPDATE claim SET skill = ? WHERE skill = ?').run(number, skill);
    return number;
  }

  /** Whether the bytes with a digest are stored as they were written. */
  hasBlob(sha256: string): boolean {
    this.#blobs ??= new BlobRows(this.connection);
    return this.#blobs.hasWhole(Buffer.from(sha256, 'hex'));
  }

  /** Writes what is derived of a skill, unless it is damaged. */
  derive(skill: SkillNumber, derived: Partial<DerivedColumns>): void {
    this.#rows ??= new SkillRows(this.connection, '');
    const row = this.#rows.wholeRow(skill);
    if (row === undefined) return;
    const next = { ...row, ...derived };
    this.#derive.run({ ...next, checksum: rowChecksum(next) });
  }

  /** Deletes what classifiers found. */
  forgetDerived(): void {
    const labelled = this.connection.prepare<[], SkillNumber>('SELECT number FROM skill WHERE derived IS NOT NULL');
    for (const skill of labelled.pluck().all()) this.derive(skill, { derived: null });
  }

  /** Makes the signatures of all skills, by the present rules. */
  signAll(): void {
    this.#rows ??= new SkillRows(this.connection, '');
    for (const skill of this.connection.prepare<[], SkillNumber>('SELECT number FROM skill').pluck().all()) {
      const row = this.#rows.wholeRow(skill);
      if (row === undefined || !this.#rows.isWhole(skill)) continue;
      this.derive(skill, { signature: signatureFor(fieldsOf(row), unpacked(this.#rows.files(skill))) });
    }
    noteSignatureRules(this.connection);
  }

  /**
   * Deletes a skill with all that belongs to it, and notes what it was. Does nothing if there is no such skill.
   */
  remove(id: string): void {
    const stored = this.find.get(id);
    if (stored === undefined) return;
    this.touch(id, stored.hash);
    if (this.#superseding?.isSeen(stored.number) === true) {
      this.deleteClaims.run(stored.number);
      this.#superseding.leave(stored.number);
    } else {
      this.#deleteRevision.run(stored.number);
    }
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
    if (this.#touch === undefined) return NO_CHANGES;
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
   * Deletes bytes that no skill has any more. For the end of a load: to look at all takes a second for some hundred
   * thousand files.
   */
  deleteUnusedBlobs(): void {
    const used = new Set<string>();
    const contents = this.connection.prepare<[], unknown>(
      'SELECT contents FROM main.revision WHERE contents IS NOT NULL',
    );
    for (const text of contents.pluck().iterate()) for (const { sha256 } of blobsIn(String(text))) used.add(sha256);
    const remove = this.connection.prepare('DELETE FROM main.blob WHERE sha256 = ?');
    for (const digest of this.connection.prepare<[], Buffer>('SELECT sha256 FROM main.blob').pluck().all()) {
      if (!used.has(digest.toString('hex'))) remove.run(digest);
    }
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
  readonly #insertBlob: Statement<
    [sha256: Buffer, size: number, packing: string, bytes: Buffer, checksum: number],
    unknown
  >;
  readonly #deleteFiles: Statement<[SkillNumber], unknown>;
  readonly #isPacked: boolean;
  #last: SkillNumber;

  /** @param last highest number that was ever used, if that is known */
  constructor(connection: Connection, last = 0) {
    this.#isPacked = !connection.memory;
    this.#last = Math.max(last, connection.prepare<[], number>(LAST_SKILL).pluck().get()!);
    this.#insert = connection.prepare(`
      INSERT INTO revision
        (number, id, stars, updated_at, record, categories, occupations, tags, properties, copy_key, place, text_hash,
          hash, derived, signature, checksum, contents)
      VALUES
        (:number, :id, :stars, :updatedAt, :record, :categories, :occupations, :tags, :properties, :copyKey, :place,
          :textHash, :hash, :derived, :signature, :checksum, :contents)`);
    this.#update = connection.prepare(`
      UPDATE revision SET stars = :stars, updated_at = :updatedAt, record = :record, categories = :categories,
        occupations = :occupations, tags = :tags, properties = :properties, copy_key = :copyKey, place = :place,
        text_hash = :textHash, hash = :hash, derived = :derived, signature = :signature, checksum = :checksum,
        contents = :contents
      WHERE number = :number`);
    this.#insertFile = connection.prepare(
      'INSERT INTO file (skill, position, filename, text, checksum) VALUES (?, ?, ?, ?, ?)',
    );
    this.#insertBlob = connection.prepare(`
      INSERT INTO blob (sha256, size, packing, bytes, checksum) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (sha256) DO UPDATE
      SET size = excluded.size, packing = excluded.packing, bytes = excluded.bytes, checksum = excluded.checksum`);
    this.#deleteFiles = connection.prepare('DELETE FROM file WHERE skill = ?');
  }

  /** @param skill a skill that is written over; undefined for a new one */
  save(
    columns: SkillColumns,
    { files, blobs = [], ...parts }: PartsToSave,
    skill: SkillNumber | undefined,
  ): SkillNumber {
    // The number is chosen here, because checksums cover it.
    const number = skill ?? this.#last + 1;
    if (number > this.#last) this.#last = number;
    const row = { ...columns, derived: parts.derived ?? null, signature: parts.signature, number };
    (skill === undefined ? this.#insert : this.#update).run({ ...row, checksum: rowChecksum(row) });
    if (skill !== undefined) this.#deleteFiles.run(skill);
    for (const [position, { filename, text }] of files.entries()) {
      const stored = this.#isPacked ? packText(text, columns.record) : text;
      const checksum = fileChecksum(number, position, files.length, filename, stored);
      this.#insertFile.run(number, position, filename, stored, checksum);
    }
    for (const { sha256, size, packing, bytes } of blobs) {
      const digest = Buffer.from(sha256, 'hex');
      this.#insertBlob.run(digest, size, packing, bytes, blobChecksum(digest, size, packing, bytes));
    }
    return number;
  }
}
