import { Buffer } from 'node:buffer';
import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib';
import type { SkillNumber } from '../core/index.js';
import { blobChecksum, type ContentRow, contentsChecksum } from './checksums.js';
import { corruptAsMissing } from './database.js';
import type { Connection, Statement } from './sqlite.js';
import { saysContents } from './stored-skill.js';

/** What is stored of the contents of a skill, its files aside. */
export interface ContentsRow {
  /** Hash of the skill that they belong to. */
  readonly hash: Buffer;
  readonly completeId: string | null;
  readonly checksum: number | null;
}

export interface BlobRow {
  readonly size: number;
  readonly packing: string;
  readonly bytes: Buffer;
  readonly checksum: number | null;
}

/** The contents of a skill as they were written, the bytes of their files aside. */
export interface FoundContents {
  readonly contents: ContentsRow;
  /** In code-point order of their paths. */
  readonly files: readonly ContentRow[];
}

/** Reads what is stored of the contents of skills, and says whether it is as it was written. */
export class ContentRows {
  readonly #contents: Statement<[SkillNumber], ContentsRow>;
  readonly #files: Statement<[SkillNumber], ContentRow>;
  readonly #hasBlob: Statement<[sha256: Buffer], unknown>;
  readonly #blob: Statement<[sha256: Buffer], BlobRow>;

  /** @param schema of the database to read from, if several are attached */
  constructor(connection: Connection, schema: 'main' | 'base' = 'main') {
    // A view of the connection may stand for a table of the file; see `OpenedState`.
    const from = schema === 'main' ? '' : `${schema}.`;
    this.#contents = connection.prepare(
      `SELECT hash, complete_id AS completeId, checksum FROM ${from}contents WHERE skill = ?`,
    );
    this.#files = connection.prepare(`
      SELECT path, size, sha256, executable, complete, is_text AS isText, kept
      FROM ${from}content_file WHERE skill = ? ORDER BY path`);
    this.#hasBlob = connection.prepare(`SELECT 1 FROM ${from}blob WHERE sha256 = ?`);
    this.#blob = connection.prepare(`SELECT size, packing, bytes, checksum FROM ${from}blob WHERE sha256 = ?`);
  }

  /** @returns undefined if there are none */
  contents(skill: SkillNumber): ContentsRow | undefined {
    return this.#contents.get(skill);
  }

  /** In code-point order of their paths. */
  files(skill: SkillNumber): ContentRow[] {
    return this.#files.all(skill);
  }

  blob(sha256: Buffer): BlobRow | undefined {
    return this.#blob.get(sha256);
  }

  /** Whether there are bytes with this digest. */
  hasBlob(sha256: Buffer): boolean {
    return this.#hasBlob.get(sha256) !== undefined;
  }

  /** Whether there are bytes with this digest, as they were written. */
  hasWholeBlob(sha256: Buffer): boolean {
    const blob = corruptAsMissing(() => this.#blob.get(sha256));
    return blob !== undefined && isBlobWhole(sha256, blob);
  }

  /** Whether contents are as they were written, the bytes of their files aside. */
  isWhole(skill: SkillNumber, contents: ContentsRow, files: readonly ContentRow[]): boolean {
    const { hash, completeId, checksum } = contents;
    const isTyped = Buffer.isBuffer(hash) && files.every(({ sha256 }) => Buffer.isBuffer(sha256));
    return isTyped && contentsChecksum(skill, hash, completeId, files) === checksum;
  }

  /**
   * The contents of a skill in its present state, the bytes of their files aside; undefined if it has none.
   *
   * @param hash of the skill
   * @returns also what is wrong with them, as a sentence without a full stop
   */
  find(skill: SkillNumber, hash: Buffer): FoundContents | { readonly fault: string } | undefined {
    if (!saysContents(hash)) return undefined;
    const contents = this.contents(skill);
    if (contents === undefined) return { fault: 'its contents are missing' };
    const files = this.files(skill);
    const isPresent = Buffer.isBuffer(contents.hash) && contents.hash.equals(hash);
    if (isPresent && this.isWhole(skill, contents, files)) return { contents, files };
    return { fault: 'its contents do not fit their checksum' };
  }

  /**
   * What is wrong with the contents of a skill; undefined if they are as they were written, or there are none.
   *
   * @param hash of the skill
   * @param hasBlob whether the bytes with a digest are as they were written
   */
  faultOf(
    skill: SkillNumber,
    hash: Buffer,
    hasBlob: (sha256: Buffer) => boolean = (sha256) => this.hasWholeBlob(sha256),
  ): string | undefined {
    const found = this.find(skill, hash);
    if (found === undefined || 'fault' in found) return found?.fault;
    const bad = found.files.find(({ kept, sha256 }) => kept === 'blob' && !hasBlob(sha256));
    return bad === undefined ? undefined : `the bytes of its file ${bad.path} are damaged or missing`;
  }
}

/** Whether a blob is as it was written. */
export function isBlobWhole(sha256: Buffer, { size, packing, bytes, checksum }: BlobRow): boolean {
  return Buffer.isBuffer(bytes) && Buffer.isBuffer(sha256) && blobChecksum(sha256, size, packing, bytes) === checksum;
}

const deflate = promisify(deflateRaw);

/** How bytes are stored. */
type Packing = 'deflate' | 'raw';

/** Bytes ready to be stored. */
export interface PackedBlob {
  /** Of the bytes before they were packed: 64 hexadecimal digits. */
  readonly sha256: string;
  /** Before they were packed. */
  readonly size: number;
  readonly packing: Packing;
  readonly bytes: Buffer;
}

/** Bytes that are not worth a compression. */
const SMALL = 64;

/** Bytes from which on a sample says whether they are worth it, and another thread compresses them. */
const LARGE = 16 * 1024;

/** Bytes of a part of the sample. */
const SAMPLE = 2048;

/** Bytes that are unpacked at once. */
const UNPACKED_AT_ONCE = 1024 * 1024;

/** What must be left of the sample at most. */
const WORTHWHILE = 0.95;

/**
 * Compresses bytes. What does not shrink stays as it is. Few bytes are compressed in this thread: for 2 kB that takes
 * 50 µs, and handing them to another thread 300 µs of both.
 */
export async function packBlob(sha256: string, bytes: Uint8Array): Promise<PackedBlob> {
  const size = bytes.length;
  const packed = size <= LARGE ? packFew(bytes) : (await shrinks(bytes)) ? await deflate(bytes) : undefined;
  if (packed !== undefined && packed.length < size) return { sha256, size, packing: 'deflate', bytes: packed };
  return { sha256, size, packing: 'raw', bytes: Buffer.from(bytes.buffer, bytes.byteOffset, size) };
}

function packFew(bytes: Uint8Array): Buffer | undefined {
  return bytes.length <= SMALL ? undefined : deflateRawSync(bytes);
}

/** Whether compression helps a little, by three parts of the bytes. Most large files are compressed already. */
async function shrinks(bytes: Uint8Array): Promise<boolean> {
  const starts = [0, (bytes.length - SAMPLE) >> 1, bytes.length - SAMPLE];
  const sample = Buffer.concat(starts.map((start) => bytes.subarray(start, start + SAMPLE)));
  return (await deflate(sample)).length < sample.length * WORTHWHILE;
}

/**
 * @param size of the bytes before they were packed: no more are unpacked
 * @throws if they were not packed like this
 */
export function unpackBlob(bytes: Buffer, packing: string, size: number): Buffer {
  // A limit of 0 is none. Larger parts than usual: each is a call and a buffer, 16 MiB would take half as long again.
  const options = { maxOutputLength: Math.max(1, size), chunkSize: Math.min(Math.max(64, size), UNPACKED_AT_ONCE) };
  return packing === 'deflate' ? inflateRawSync(bytes, options) : bytes;
}
