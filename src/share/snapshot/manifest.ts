import type { FileHandle } from 'node:fs/promises';
import { SkillSearchError } from '../../core/index.js';
import { derivedFiles } from '../../store/index.js';

/**
 * Largest manifest of a snapshot, in bytes: that of as many chunks as a snapshot may have. That of 94,254 skills with
 * vectors has 50 kB. Reading the largest keeps others waiting for some hundredths of a second.
 */
export const MAX_MANIFEST_BYTES: number = 5 * 1024 * 1024;

/** Largest chunk of a snapshot, in bytes. Some of them are held in memory at a time. */
const MAX_CHUNK_BYTES: number = 16 * 1024 * 1024;

/**
 * Bytes of all files of a snapshot together: some sixty times those of 94,254 skills with vectors. They are added up
 * before the first chunk is fetched.
 */
const MAX_SNAPSHOT_BYTES: number = 64 * 1024 ** 3;

/**
 * Bytes of a snapshot that may repeat chunks, beyond those that its different chunks have: else a server that sends
 * little could fill a disk.
 */
const MAX_REPEATED_BYTES: number = 64 * 1024 * 1024;

/** What a snapshot calls its catalogue. The derived files are named after it. */
export const CATALOGUE_NAME = 'skills.db';

/** Names that the files of a snapshot may have. */
export const FILE_NAMES: readonly string[] = [CATALOGUE_NAME, ...derivedFiles(CATALOGUE_NAME)];

/**
 * Bytes of a chunk that is written. A small change of a catalogue changes some of its pages, so smaller chunks mean
 * less to fetch, in more requests.
 */
export const CHUNK_BYTES: number = 1024 * 1024;

const KIND = 'skill-discovery snapshot';
const FORMAT = 1;
const DIGEST = /^[0-9a-f]{64}$/;

/** Lists and objects of a manifest, about: one of millions would take a second to parse, and hundreds of megabytes. */
const MOST_LISTS = 100;

/** One file of a catalogue, in chunks. */
export interface SnapshotFile {
  readonly name: string;
  readonly bytes: number;
  /** The SHA-256 of each chunk, in hex. All have `chunkBytes` but the last. */
  readonly chunks: readonly string[];
}

/** Which chunks make the files of a catalogue. The same state always has the same manifest. */
export interface Manifest {
  /** The state of the catalogue. */
  readonly stamp: string;
  /** When the catalogue was written, as an ISO date. */
  readonly written: string;
  readonly chunkBytes: number;
  /** The catalogue first, then those of its derived files that there are. */
  readonly files: readonly SnapshotFile[];
}

export function manifestText({ stamp, written, chunkBytes, files }: Manifest): string {
  return `${JSON.stringify({ kind: KIND, format: FORMAT, stamp, written, chunkBytes, files })}\n`;
}

/**
 * Where the chunk with a digest lies, from the manifest on. Two characters of it name a folder: some file systems and
 * web servers are slow with many files in one.
 */
export function chunkPath(digest: string): string {
  return `chunks/${digest.slice(0, 2)}/${digest}`;
}

/** How many bytes a chunk of a file has. */
export function bytesOfChunk({ bytes }: SnapshotFile, chunkBytes: number, index: number): number {
  return Math.min(chunkBytes, bytes - index * chunkBytes);
}

/**
 * Reads a manifest. Nothing of it is believed: names, numbers and digests must be what a snapshot can have.
 *
 * @param from where it lies, for messages
 * @throws {SkillSearchError} `INVALID_SNAPSHOT`
 */
export function readManifest(text: string, from: string): Manifest {
  const refuse = (reason: string): SkillSearchError =>
    new SkillSearchError('INVALID_SNAPSHOT', `${from} is not the manifest of a snapshot: ${reason}`);
  if (text.length > MAX_MANIFEST_BYTES) throw refuse(`it has more than ${MAX_MANIFEST_BYTES} bytes`);
  if (text.split(/[[{]/, MOST_LISTS + 1).length > MOST_LISTS) throw refuse('it has more lists than a manifest');
  let parsed: Readonly<Record<string, unknown>>;
  try {
    parsed = JSON.parse(text) as typeof parsed;
  } catch {
    throw refuse('it is not JSON');
  }
  if (parsed === null || typeof parsed !== 'object' || parsed['kind'] !== KIND)
    throw refuse(`its kind is not "${KIND}"`);
  const { format, stamp, written, chunkBytes, files } = parsed;
  if (format !== FORMAT) {
    throw refuse(`this version reads format ${FORMAT}, and this is format ${String(format).slice(0, 20)}`);
  }
  if (typeof stamp !== 'string' || !/^[\w-]{1,100}$/.test(stamp)) throw refuse('its stamp is not a short text');
  if (typeof written !== 'string' || Number.isNaN(Date.parse(written))) throw refuse('`written` is not a date');
  if (!isCount(chunkBytes) || chunkBytes === 0 || chunkBytes > MAX_CHUNK_BYTES) {
    throw refuse(`\`chunkBytes\` is not a number from 1 to ${MAX_CHUNK_BYTES}`);
  }
  if (!Array.isArray(files)) throw refuse('`files` is not a list');
  const read = files.map((file: unknown) => readFile(file, chunkBytes, refuse));
  const names = read.map(({ name }) => name);
  if (names[0] !== CATALOGUE_NAME) throw refuse(`its first file is not ${CATALOGUE_NAME}`);
  if (new Set(names).size !== names.length) throw refuse('a file stands in it twice');
  const manifest = { stamp, written, chunkBytes, files: read };
  checkSizes(manifest, refuse);
  return manifest;
}

/** Adds the sizes up: of all files, and of what has to be fetched for them. */
function checkSizes({ chunkBytes, files }: Manifest, refuse: (reason: string) => SkillSearchError): void {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total > MAX_SNAPSHOT_BYTES) throw refuse(`its files have ${total} bytes, more than ${MAX_SNAPSHOT_BYTES}`);
  const sizes = new Map<string, number>();
  let different = 0;
  for (const file of files) {
    for (const [i, digest] of file.chunks.entries()) {
      const bytes = bytesOfChunk(file, chunkBytes, i);
      const known = sizes.get(digest);
      if (known === undefined) {
        sizes.set(digest, bytes);
        different += bytes;
      } else if (known !== bytes) {
        throw refuse(`the chunk ${digest.slice(0, 12)} has ${known} bytes in one place and ${bytes} in another`);
      }
    }
  }
  const most = 2 * different + MAX_REPEATED_BYTES;
  if (total <= most) return;
  throw refuse(
    `its files have ${total} bytes, and its ${sizes.size} different chunks ${different}: at most ${most} fit`,
  );
}

function readFile(file: unknown, chunkBytes: number, refuse: (reason: string) => SkillSearchError): SnapshotFile {
  const { name, bytes, chunks } = (file ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof name !== 'string' || !FILE_NAMES.includes(name)) throw refuse('a file has a name that none can have');
  if (!isCount(bytes)) throw refuse(`the bytes of ${name} are not a number`);
  if (!Array.isArray(chunks) || chunks.length !== Math.ceil(bytes / chunkBytes)) {
    throw refuse(`the chunks of ${name} are not as many as its ${bytes} bytes need`);
  }
  const isDigest = (chunk: unknown): chunk is string => typeof chunk === 'string' && DIGEST.test(chunk);
  if (!chunks.every(isDigest)) throw refuse(`a chunk of ${name} is not a SHA-256`);
  return { name, bytes, chunks };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/**
 * Reads until the buffer is full or the file ends.
 *
 * @returns how many bytes were read
 */
export async function readChunk(file: FileHandle, buffer: Buffer, from: number): Promise<number> {
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, from + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length;
}
