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
import type { SkillStatements, StoredFile } from './stored-row.js';

/** A skill whose row is as it was written. */
interface KnownSkill {
  readonly number: SkillNumber;
  readonly id: string;
  readonly hash: Buffer;
}

/** Reads the files of a skill with their texts, checked. */
type Texts = Pick<SkillStatements, 'files' | 'file'>;

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
    const all = this.#connection.prepare<[], string>(COMPLETE_IDS).pluck();
    const isAsNoted = facts === undefined || checksumOfIds(all.iterate()) === facts.completeIds;
    // A load that noted the index may have found a skill without the contents that it had.
    if (!isAsNoted || (facts !== undefined && !areContentsThere(this.#connection, facts))) {
      throw damagedError(this.#path, 'its index of complete skills is not as it was written');
    }
    return this.#connection
      .prepare<[string, number], string>(
        'SELECT complete_id FROM contents WHERE complete_id > ? ORDER BY complete_id LIMIT ?',
      )
      .pluck();
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

/** Media types by extension. Those of texts count for texts only, the others for anything else. */
const TEXTS: Readonly<Record<string, string>> = {
  bat: 'text/plain',
  c: 'text/x-c',
  cfg: 'text/plain',
  cpp: 'text/x-c',
  cs: 'text/plain',
  css: 'text/css',
  csv: 'text/csv',
  go: 'text/plain',
  h: 'text/x-c',
  htm: 'text/html',
  html: 'text/html',
  ini: 'text/plain',
  ipynb: 'application/x-ipynb+json',
  java: 'text/x-java-source',
  js: 'text/javascript',
  json: 'application/json',
  jsonl: 'application/jsonl',
  jsx: 'text/javascript',
  lua: 'text/x-lua',
  md: 'text/markdown',
  markdown: 'text/markdown',
  mjs: 'text/javascript',
  php: 'text/x-php',
  ps1: 'text/plain',
  py: 'text/x-python',
  r: 'text/plain',
  rb: 'text/x-ruby',
  rs: 'text/plain',
  sh: 'text/x-shellscript',
  sql: 'application/sql',
  svg: 'image/svg+xml',
  tex: 'text/x-tex',
  toml: 'application/toml',
  ts: 'text/x-typescript',
  tsv: 'text/tab-separated-values',
  tsx: 'text/x-typescript',
  txt: 'text/plain',
  xml: 'application/xml',
  xsd: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
};

const OTHERS: Readonly<Record<string, string>> = {
  '7z': 'application/x-7z-compressed',
  avif: 'image/avif',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  gif: 'image/gif',
  gz: 'application/gzip',
  ico: 'image/vnd.microsoft.icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  otf: 'font/otf',
  pdf: 'application/pdf',
  png: 'image/png',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  tar: 'application/x-tar',
  ttf: 'font/ttf',
  wasm: 'application/wasm',
  wav: 'audio/wav',
  webm: 'video/webm',
  webp: 'image/webp',
  woff: 'font/woff',
  woff2: 'font/woff2',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  zip: 'application/zip',
};

/**
 * The media type of a file, by its extension if that fits its content.
 *
 * @param isText whether the content is a text
 */
function mediaTypeOf(path: string, isText: boolean): string {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  const types = isText ? TEXTS : OTHERS;
  if (Object.hasOwn(types, extension)) return types[extension]!;
  return isText ? 'text/plain' : 'application/octet-stream';
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
