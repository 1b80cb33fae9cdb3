import { Buffer } from 'node:buffer';
import type { SkillNumber } from '../../core/index.js';
import type { PackedBlob } from '../blob-packing.js';
import { blobChecksum, type ContentRow, contentsChecksum } from '../checksums.js';
import type { Connection, Statement } from '../sqlite/connection.js';
import type { SkillContentsToStore } from '../stored-skill.js';

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
