import { Buffer } from 'node:buffer';
import { compareCodePoints, orUndefined, type SkillNumber, sha256Of } from '../../core/index.js';
import type { ContentFile, SkillContents } from '../../skill.js';
import { blobChecksum } from '../checksums.js';
import { damagedError, isCorrupt } from '../database.js';
import { type CatalogueFacts, COMPLETE_IDS, checksumOfIds } from '../notes.js';
import { unpackBlob } from '../packing.js';
import type { Connection, Statement } from '../sqlite.js';
import { blobsIn, type ContentRow, readContents, type StoredContents } from '../stored-skill.js';
import type { SkillRows, StoredFile, StoredRow } from './stored-row.js';

/** A skill whose row is as it was written. */
type KnownSkill = Pick<StoredRow, 'number' | 'id' | 'contents'>;

/** Reads the files of a skill with their texts, checked. */
type Texts = Pick<SkillRows, 'files' | 'file'>;

/** Reads what skills are made of. Of a skill without contents, the texts that are searched count as excerpts. */
export class ContentReader {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #facts: CatalogueFacts | undefined;
  readonly #texts: Texts;
  readonly #blobs: BlobRows;
  #complete: Statement<[after: string, limit: number], string> | undefined;

  constructor(connection: Connection, path: string, facts: CatalogueFacts | undefined, texts: Texts) {
    this.#connection = connection;
    this.#path = path;
    this.#facts = facts;
    this.#texts = texts;
    this.#blobs = new BlobRows(connection);
  }

  /** @throws {SkillSearchError} `DATABASE_DAMAGED` */
  contents(skill: KnownSkill): SkillContents {
    const stored = this.#stored(skill);
    if (stored === undefined)
      return {
        complete: false,
        files: this.#texts
          .files(skill.number)
          .map(excerpt)
          .sort((a, b) => compareCodePoints(a.path, b.path)),
      };
    const files = stored.files.map(({ path, size, sha256, executable, complete, isText }) => ({
      ...{ path, size, sha256, mediaType: mediaTypeOf(path, isText), executable, complete },
    }));
    return { complete: stored.complete, files };
  }

  /** @throws {SkillSearchError} `DATABASE_DAMAGED` */
  isComplete(skill: KnownSkill): boolean {
    return this.#stored(skill)?.complete === true;
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
    const isWhole = bytes !== undefined && sha256Of(bytes) === file.sha256;
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
    const isAsNoted = facts === undefined || checksumOfIds(statement.iterate('', -1)) === facts.completeIds;
    if (!isAsNoted) throw damagedError(this.#path, 'its index of complete skills is not as it was written');
    return statement;
  }

  #stored({ id, contents }: KnownSkill): StoredContents | undefined {
    const stored = contents === null ? undefined : readContents(contents);
    if (contents === null || stored !== undefined) return stored;
    throw damagedError(this.#path, `the contents of the skill ${id} are not as they were written`, id);
  }

  #text(skill: SkillNumber, path: string): Buffer | undefined {
    const file = this.#texts.file(skill, path);
    return file === undefined ? undefined : Buffer.from(file.text);
  }

  /** The bytes of a file; undefined if they are damaged. */
  #blob({ sha256, size }: ContentRow): Buffer | undefined {
    const digest = Buffer.from(sha256, 'hex');
    const blob = this.#blobs.blob(digest);
    if (blob === undefined || blob.size !== size || !isBlobWhole(digest, blob)) return undefined;
    return unpackBlob(blob.bytes, blob.packing, size);
  }
}

function excerpt({ filename, text }: StoredFile): ContentFile {
  const bytes = Buffer.from(text);
  return {
    path: filename,
    size: bytes.length,
    sha256: sha256Of(bytes),
    mediaType: mediaTypeOf(filename, true),
    executable: false,
    complete: false,
  };
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

export interface BlobRow {
  readonly size: number;
  readonly packing: string;
  readonly bytes: Buffer;
  readonly checksum: number | null;
}

/** Reads the bytes of files, and says whether they are as they were written. */
export class BlobRows {
  readonly #blob: Statement<[sha256: Buffer], BlobRow>;

  constructor(connection: Connection) {
    this.#blob = connection.prepare('SELECT size, packing, bytes, checksum FROM blob WHERE sha256 = ?');
  }

  blob(sha256: Buffer): BlobRow | undefined {
    return this.#blob.get(sha256);
  }

  /** Whether there are bytes with this digest, as they were written. */
  hasWhole(sha256: Buffer): boolean {
    const blob = orUndefined(() => this.#blob.get(sha256), isCorrupt);
    return blob !== undefined && isBlobWhole(sha256, blob);
  }
}

/**
 * What is wrong with the contents of a skill; undefined if they are as they were written, or there are none.
 *
 * @param contents of a row that is whole
 * @param isWhole whether the bytes with a digest are as they were written
 */
export function faultOfContents(contents: string | null, isWhole: (sha256: string) => boolean): string | undefined {
  const bad = blobsIn(contents).find(({ sha256 }) => !isWhole(sha256));
  return bad === undefined ? undefined : `the bytes of its file ${bad.path} are damaged or missing`;
}

/** Whether a blob is as it was written. */
export function isBlobWhole(sha256: Buffer, { size, packing, bytes, checksum }: BlobRow): boolean {
  return Buffer.isBuffer(bytes) && Buffer.isBuffer(sha256) && blobChecksum(sha256, size, packing, bytes) === checksum;
}
