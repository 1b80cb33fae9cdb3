import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { SkillNumber, SkillSearchError } from '../../core/index.js';
import type { ContentFile, SkillContents } from '../../skill.js';
import { blobChecksum, type ContentRow, contentsChecksum } from '../checksums.js';
import { corruptAsMissing, damagedError } from '../database.js';
import { areContentsThere, type CatalogueFacts, COMPLETE_IDS, checksumOfIds } from '../notes.js';
import { unpackBlob } from '../packing.js';
import type { Connection, Statement } from '../sqlite.js';
import { saysContents } from '../stored-skill.js';
import type { SkillRows, StoredFile } from './stored-row.js';

/** A skill whose row is as it was written. */
interface KnownSkill {
  readonly number: SkillNumber;
  readonly id: string;
  readonly hash: Buffer;
}

/** Reads the files of a skill with their texts, checked. */
type Texts = Pick<SkillRows, 'files' | 'file'>;

/** Reads what skills are made of. Of a skill without contents, the texts that are searched count as excerpts. */
export class ContentReader {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #facts: CatalogueFacts | undefined;
  readonly #texts: Texts;
  readonly #rows: ContentRows;
  #complete: Statement<[after: string, limit: number], string> | undefined;

  constructor(connection: Connection, path: string, facts: CatalogueFacts | undefined, texts: Texts) {
    this.#connection = connection;
    this.#path = path;
    this.#facts = facts;
    this.#texts = texts;
    this.#rows = new ContentRows(connection);
  }

  /** @throws {SkillSearchError} `DATABASE_DAMAGED` */
  contents(skill: KnownSkill): SkillContents {
    const stored = this.#stored(skill);
    if (stored === undefined)
      return { complete: false, files: this.#texts.files(skill.number).map(excerpt).sort(byPath) };
    const files = stored.files.map(({ path, size, sha256, executable, complete, isText }) => ({
      path,
      size,
      sha256: sha256.toString('hex'),
      mediaType: mediaTypeOf(path, isText === 1),
      executable: executable === 1,
      complete: complete === 1,
    }));
    return { complete: stored.isComplete, files };
  }

  /** @throws {SkillSearchError} `DATABASE_DAMAGED` */
  isComplete(skill: KnownSkill): boolean {
    return this.#stored(skill)?.isComplete === true;
  }

  /**
   * The bytes of a file; undefined if there is no such file, or its bytes are not kept.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  read(skill: KnownSkill, path: string): Uint8Array | undefined {
    const stored = this.#stored(skill);
    if (stored === undefined) return this.#text(skill.number, path);
    const file = stored.files.find((candidate) => candidate.path === path);
    if (file === undefined || file.kept === 'none') return undefined;
    const bytes = file.kept === 'text' ? this.#text(skill.number, path) : this.#blob(file);
    const isWhole = bytes !== undefined && createHash('sha256').update(bytes).digest().equals(file.sha256);
    if (isWhole) return bytes;
    throw damagedError(this.#path, `the file ${path} of the skill ${skill.id} is not as it was written`, skill.id);
  }

  /**
   * Ids of skills with complete contents, in code-point order.
   *
   * @throws {SkillSearchError} `DATABASE_DAMAGED`
   */
  completeIds(after: string, limit: number): string[] {
    this.#complete ??= this.#checkedCompleteIds();
    return this.#complete.all(after, limit);
  }

  /** Checks the index once: it must lack no id. */
  #checkedCompleteIds(): Statement<[after: string, limit: number], string> {
    const facts = this.#facts;
    const statement = this.#connection.prepare<[string, number], string>(COMPLETE_IDS).pluck();
    // A load that noted the index may have found a skill without the contents that it had.
    const isAsNoted =
      facts === undefined ||
      (checksumOfIds(statement.iterate('', -1)) === facts.completeIds && areContentsThere(this.#connection, facts));
    if (!isAsNoted) throw damagedError(this.#path, 'its index of complete skills is not as it was written');
    return statement;
  }

  /** Undefined if there are none for this state of the skill. */
  #stored({ number, id, hash }: KnownSkill): { files: readonly ContentRow[]; isComplete: boolean } | undefined {
    const found = this.#rows.find(number, hash);
    if (found === undefined) return undefined;
    if ('fault' in found) throw this.#damaged(id);
    return { files: found.files, isComplete: found.contents.completeId !== null };
  }

  #damaged(id: string): SkillSearchError {
    return damagedError(this.#path, `the contents of the skill ${id} are not as they were written`, id);
  }

  #text(skill: SkillNumber, path: string): Buffer | undefined {
    const file = this.#texts.file(skill, path);
    return file === undefined ? undefined : Buffer.from(file.text);
  }

  /** The bytes of a file; undefined if they are damaged. */
  #blob({ sha256, size }: ContentRow): Buffer | undefined {
    const blob = this.#rows.blob(sha256);
    if (blob === undefined || blob.size !== size || !isBlobWhole(sha256, blob)) return undefined;
    return unpackBlob(blob.bytes, blob.packing, size);
  }
}

function excerpt({ filename, text }: StoredFile): ContentFile {
  const bytes = Buffer.from(text);
  return {
    path: filename,
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    mediaType: mediaTypeOf(filename, true),
    executable: false,
    complete: false,
  };
}

function byPath(a: ContentFile, b: ContentFile): number {
  return Buffer.compare(Buffer.from(a.path), Buffer.from(b.path));
}

/** Extensions by media type, of texts and of anything else: each counts only for its own. */
const TEXTS = extensionsOf({
  'application/json': 'json',
  'application/jsonl': 'jsonl',
  'application/sql': 'sql',
  'application/toml': 'toml',
  'application/x-ipynb+json': 'ipynb',
  'application/xml': 'xml xsd',
  'application/yaml': 'yaml yml',
  'image/svg+xml': 'svg',
  'text/css': 'css',
  'text/csv': 'csv',
  'text/html': 'htm html',
  'text/javascript': 'js jsx mjs',
  'text/markdown': 'md markdown',
  'text/tab-separated-values': 'tsv',
  'text/x-c': 'c cpp h',
  'text/x-java-source': 'java',
  'text/x-lua': 'lua',
  'text/x-php': 'php',
  'text/x-python': 'py',
  'text/x-shellscript': 'sh',
  'text/x-tex': 'tex',
  'text/x-typescript': 'ts tsx',
});
const OTHERS = extensionsOf({
  'application/gzip': 'gz',
  'application/pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/wasm': 'wasm',
  'application/x-7z-compressed': '7z',
  'application/x-tar': 'tar',
  'application/zip': 'zip',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'font/otf': 'otf',
  'font/ttf': 'ttf',
  'font/woff': 'woff',
  'font/woff2': 'woff2',
  'image/avif': 'avif',
  'image/gif': 'gif',
  'image/jpeg': 'jpeg jpg',
  'image/png': 'png',
  'image/vnd.microsoft.icon': 'ico',
  'image/webp': 'webp',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
});

function extensionsOf(types: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(types).flatMap(([type, list]) => list.split(' ').map((end) => [end, type] as const)));
}

/**
 * The media type of a file, by its extension if that fits its content.
 *
 * @param isText whether the content is a text
 */
function mediaTypeOf(path: string, isText: boolean): string {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return (isText ? TEXTS : OTHERS).get(extension) ?? (isText ? 'text/plain' : 'application/octet-stream');
}

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

  constructor(connection: Connection) {
    this.#contents = connection.prepare(
      'SELECT hash, complete_id AS completeId, checksum FROM contents WHERE skill = ?',
    );
    this.#files = connection.prepare(`
      SELECT path, size, sha256, executable, complete, is_text AS isText, kept
      FROM content_file WHERE skill = ? ORDER BY path`);
    this.#hasBlob = connection.prepare('SELECT 1 FROM blob WHERE sha256 = ?');
    this.#blob = connection.prepare('SELECT size, packing, bytes, checksum FROM blob WHERE sha256 = ?');
  }

  /** @returns undefined if there are none */
  contents(skill: SkillNumber): ContentsRow | undefined {
    return this.#contents.get(skill);
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
    const files = this.#files.all(skill);
    const { completeId, checksum } = contents;
    const isTyped = Buffer.isBuffer(contents.hash) && files.every(({ sha256 }) => Buffer.isBuffer(sha256));
    const isWhole =
      isTyped && contents.hash.equals(hash) && contentsChecksum(skill, hash, completeId, files) === checksum;
    return isWhole ? { contents, files } : { fault: 'its contents do not fit their checksum' };
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
