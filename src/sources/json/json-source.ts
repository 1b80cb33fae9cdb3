import { Buffer } from 'node:buffer';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { giveWay } from '../../core/index.js';
import type { KnownRow, Origin, RawRow, ReadOptions, SourceItem, SourceKind, UnreadableRow } from '../rows/row.js';
import { fingerprintOf } from '../rows/skill-id.js';
import { toOneLine } from '../rows/texts.js';
import {
  hasTooManyValues,
  JsonArray,
  type JsonBytes,
  type JsonFault,
  JsonLines,
  type JsonPiece,
  type JsonSplitter,
  MAX_ROW_VALUES,
} from './split-json.js';

const CHUNK_BYTES = 256 * 1024;

/** A file with one JSON array, or one JSON object a line. */
export const JSON_FILE: SourceKind = {
  name: 'file',
  description: '.jsonl, .ndjson or .json (each also with .gz)',
  isPath: (path, found) => found.isFile() && /\.(?:jsonl|ndjson|json)(?:\.gz)?$/i.test(path),
  read: (source, options) => readJsonRows(source.name, readFile(source.path), options),
};

// Reads with a handle because a stream that fails drops what it had read ahead.
async function* readFile(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, 'r');
  try {
    for (;;) {
      const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES);
      if (bytesRead === 0) return;
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** Standard input, with the content of a JSON file. */
export const STANDARD_INPUT: SourceKind = {
  name: 'stdin',
  description: '- for standard input',
  isName: (name) => name === '-',
  read: (source, options) => {
    return readJsonRows(source.name, readStream(options.stdin ?? process.stdin, options.signal), options);
  },
};

async function* readStream(stream: Readable, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  // Destroying the stream also ends the wait for input that never comes.
  const stop = (): void => void stream.destroy();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of stream) {
      yield typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
  signal?.throwIfAborted();
}

/**
 * Parts of a JSON source that are not JSON. With more the rest is not read: it is a file of another kind, and each of
 * its lines would take the time of a row.
 */
export const MAX_UNREADABLE_ROWS = 100_000;

const LINE_FEED = 0x0a;

/** A row of more bytes is read in steps, with a turn of the event loop between them. */
const LARGE_ROW_BYTES = 1024 * 1024;

/**
 * The rows of a JSON source: one array if its first character is `[`, else one value a line. Memory holds one row and
 * one chunk at a time.
 *
 * @param name of the source, for reports
 * @throws Error that says what broke if the bytes end in a fault or too early, after all rows before it
 * @throws the signal's reason when aborted
 */
export async function* readJsonRows(
  name: string,
  raw: AsyncIterable<Buffer>,
  options: ReadOptions,
): AsyncGenerator<SourceItem> {
  const reader = new RowReader(name, options.isKnown);
  let splitter: JsonSplitter | undefined;
  let line = 1;

  try {
    for await (const chunk of plainBytes(raw, options)) {
      if (splitter === undefined) {
        const first = firstVisible(chunk);
        if (first === undefined) {
          // Nothing of a blank chunk is kept but the number of its lines.
          line += countLineFeeds(chunk);
          continue;
        }
        splitter = first === 0x5b ? new JsonArray(undefined, line) : new JsonLines(undefined, line);
      }
      for (const item of items(splitter.push(chunk), reader, options)) {
        if (item === undefined) await setImmediate();
        else yield item;
      }
    }
  } catch (cause) {
    options.signal?.throwIfAborted();
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error(cause instanceof SourceLimit ? `line ${splitter?.line ?? line}: ${message}` : message, { cause });
  }
  for (const item of items(splitter?.end() ?? [], reader, options)) {
    if (item === undefined) await setImmediate();
    else yield item;
  }
}

/** The items that pieces become, and undefined where the event loop should get a turn. */
function* items(
  pieces: Iterable<JsonPiece>,
  reader: RowReader,
  { signal }: ReadOptions,
): Generator<SourceItem | undefined> {
  for (const piece of pieces) {
    signal?.throwIfAborted();
    if ('fault' in piece) {
      if (piece.cutOff === true) throw new Error(`line ${piece.line}: ${piece.fault}`);
      yield reader.unreadable(piece);
      continue;
    }
    // Each step of a large row keeps the event loop for some time.
    const isLarge = piece.bytes.length > LARGE_ROW_BYTES;
    if (isLarge) yield undefined;
    const fingerprint = reader.fingerprint(piece);
    if (isLarge) yield undefined;
    yield reader.read(piece, fingerprint);
    if (isLarge) yield undefined;
  }
}

// Both are loops over bytes, because ten gigabytes may be blank.
function firstVisible(bytes: Buffer): number | undefined {
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i]! > 0x20) return bytes[i];
  }
  return undefined;
}

function countLineFeeds(bytes: Buffer): number {
  let count = 0;
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] === LINE_FEED) count++;
  }
  return count;
}

/** Turns pieces into rows. If the first one cannot be read, its reason says what a source must look like. */
class RowReader {
  readonly #source: string;
  readonly #isKnown: ReadOptions['isKnown'];
  #unreadable = 0;
  #hint = ' (expected one JSON array, or one JSON object a line)';

  constructor(source: string, isKnown: ReadOptions['isKnown']) {
    this.#source = source;
    this.#isKnown = isKnown;
  }

  /** @throws {SourceLimit} */
  unreadable({ line, fault }: JsonFault): UnreadableRow {
    this.#countUnreadable();
    return unreadableRow({ source: this.#source, line }, fault);
  }

  /** Undefined if nobody asks whether rows are known. */
  fingerprint(piece: JsonBytes): string | undefined {
    return this.#isKnown === undefined ? undefined : fingerprintOf(piece.bytes);
  }

  read(piece: JsonBytes, fingerprint: string | undefined): RawRow | KnownRow | UnreadableRow {
    const origin = { source: this.#source, line: piece.line };
    if (fingerprint !== undefined && this.#isKnown?.(fingerprint) === true) {
      this.#hint = '';
      return { kind: 'known', origin, fingerprint };
    }
    if (hasTooManyValues(piece.bytes)) {
      const reason = `more than ${MAX_ROW_VALUES.toLocaleString('en')} values in one row`;
      return unreadableRow(origin, reason);
    }
    try {
      const value: unknown = JSON.parse(piece.bytes.toString('utf8'));
      this.#hint = '';
      return fingerprint === undefined ? { kind: 'row', origin, value } : { kind: 'row', origin, value, fingerprint };
    } catch (error) {
      this.#countUnreadable();
      const reason = `not JSON: ${toOneLine(error instanceof Error ? error.message : String(error))}${this.#hint}`;
      this.#hint = '';
      return unreadableRow(origin, reason);
    }
  }

  #countUnreadable(): void {
    this.#unreadable += 1;
    if (this.#unreadable <= MAX_UNREADABLE_ROWS) return;
    const count = MAX_UNREADABLE_ROWS.toLocaleString('en');
    throw new SourceLimit(`more than ${count} rows that are not JSON, the rest is not read: is this a JSON source?`);
  }
}

/** Nobody can tell which skill it was. So nothing of the source may be pruned. */
function unreadableRow(origin: Origin, reason: string): UnreadableRow {
  return { kind: 'unreadable', origin, reason, hidesSkills: true };
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * The bytes of a source, uncompressed if they are gzip, and without a byte order mark. Gzip is recognised by its first
 * bytes, not by a file name.
 *
 * Yields everything that could be read, up to the limits of a source, before it throws an error. Throws the signal's
 * reason when aborted.
 */
async function* plainBytes(raw: AsyncIterable<Buffer>, options: ReadOptions): AsyncGenerator<Buffer> {
  let read = 0;
  const onBytes = (bytes: number): void => {
    read = bytes;
    options.onBytes?.(bytes);
  };
  const head = await withHead(countBytes(raw, onBytes, options.signal), 2);
  const packed = isGzip(head.bytes);
  const plain = packed ? gunzip(head.chunks) : head.chunks;
  yield* boundedBytes(withoutByteOrderMark(plain), packed ? () => read : undefined, options);
}

async function* countBytes(
  chunks: AsyncIterable<Buffer>,
  onBytes: (read: number) => void,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  let read = 0;
  signal?.throwIfAborted();
  for await (const chunk of chunks) {
    signal?.throwIfAborted();
    read += chunk.length;
    onBytes(read);
    yield chunk;
  }
}

/** The first bytes of a stream, fewer if it has fewer, and the whole stream, still to be read. */
async function withHead(
  chunks: AsyncGenerator<Buffer>,
  wanted: number,
): Promise<{ bytes: Buffer; chunks: AsyncGenerator<Buffer> }> {
  let bytes: Buffer = Buffer.alloc(0);
  while (bytes.length < wanted) {
    const next = await chunks.next();
    if (next.done) break;
    bytes = bytes.length === 0 ? next.value : Buffer.concat([bytes, next.value]);
  }

  async function* whole(): AsyncGenerator<Buffer> {
    try {
      if (bytes.length > 0) yield bytes;
      yield* chunks;
    } finally {
      await chunks.return(undefined);
    }
  }
  return { bytes, chunks: whole() };
}

async function* withoutByteOrderMark(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const head = await withHead(chunks, BYTE_ORDER_MARK.length);
  let isFirst = true;
  for await (const chunk of head.chunks) {
    const isMarked = isFirst && chunk.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    isFirst = false;
    yield isMarked ? chunk.subarray(BYTE_ORDER_MARK.length) : chunk;
  }
}

/**
 * Bytes that a file or standard input may have, after unpacking, by default. A hundred times the largest catalogue
 * known. More is a mistake or an attack: a stream without end, or a sparse file.
 */
const MAX_UNPACKED_BYTES: number = 32 * 1024 ** 3;

/**
 * How many times its compressed size a gzip source may have, by default. Catalogues have 3 to 5, those of one template
 * up to 30; gzip reaches 1,000.
 */
const MAX_RATIO = 100;

/** Unpacked bytes from which on the ratio counts: a small source cannot do harm, and may repeat itself. */
const FREE_UNPACKED_BYTES: number = 16 * 1024 * 1024;

/** A source has more than it may. */
class SourceLimit extends Error {
  override readonly name = 'SourceLimit' as const;
}

/**
 * Passes bytes on up to the limits of a source, and gives the event loop its turn.
 *
 * @param packedBytes how many packed bytes were read so far; undefined if the source is not packed
 * @throws {SourceLimit} that names the limit, after everything before it
 */
async function* boundedBytes(
  chunks: AsyncIterable<Buffer>,
  packedBytes: (() => number) | undefined,
  options: Pick<ReadOptions, 'maxUnpackedBytes' | 'maxRatio' | 'signal'>,
): AsyncGenerator<Buffer> {
  const most = orEndless(options.maxUnpackedBytes ?? MAX_UNPACKED_BYTES);
  const ratio = orEndless(options.maxRatio ?? MAX_RATIO);
  let total = 0;
  for await (const chunk of chunks) {
    total += chunk.length;
    if (total > most) {
      const rest = most - (total - chunk.length);
      if (rest > 0) yield chunk.subarray(0, rest);
      throw new SourceLimit(limitReached(`more than ${inGigabytes(most)}`, 'maxUnpackedBytes'));
    }
    if (packedBytes !== undefined && total > FREE_UNPACKED_BYTES && total > ratio * packedBytes()) {
      throw new SourceLimit(
        limitReached(`more than ${ratio.toLocaleString('en')} times its compressed size`, 'maxRatio'),
      );
    }
    yield chunk;
    await giveWay(options.signal);
  }
}

/** 0 means no limit. */
function orEndless(limit: number): number {
  return limit === 0 ? Number.POSITIVE_INFINITY : limit;
}

function limitReached(what: string, option: 'maxUnpackedBytes' | 'maxRatio'): string {
  return `the source has ${what}, the rest is not read: raise ${option} if you trust it`;
}

function inGigabytes(bytes: number): string {
  return bytes >= 1024 ** 3 ? `${(bytes / 1024 ** 3).toLocaleString('en')} GiB` : `${bytes.toLocaleString('en')} bytes`;
}

/**
 * Compressed bytes given to zlib at once. At the best ratio of gzip (1:1000) they become 16 MB: this bounds the memory.
 */
const SLICE_BYTES = 16 * 1024;

/** Whether bytes begin like gzip data. */
function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/**
 * Decompresses gzip data. Yields everything that could be decompressed before it throws for a fault in the data. A
 * plain pipe through zlib's stream would drop the chunks that it still held.
 */
async function* gunzip(compressed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const stream = createGunzip({ chunkSize: 128 * 1024 });
  let ready: Buffer[] = [];
  let failure: Error | undefined;
  let ended = false;
  // Resolves the wait below. A write that fails never calls back, and the data may end before the file does (padding).
  let proceed = (): void => {};
  stream.on('data', (chunk: Buffer) => ready.push(chunk));
  stream.on('end', () => {
    ended = true;
    proceed();
  });
  stream.on('error', (error) => {
    failure = error;
    proceed();
  });
  const takeReady = (): Buffer[] => {
    const taken = ready;
    ready = [];
    return taken;
  };
  const write = (part: Buffer): Promise<void> =>
    new Promise((resolve) => {
      proceed = resolve;
      stream.write(part, () => resolve());
    });
  const end = (): Promise<void> =>
    new Promise((resolve) => {
      proceed = resolve;
      stream.end();
    });

  try {
    let plain: Buffer[] = [];
    for await (const chunk of compressed) {
      for (let at = 0; at < chunk.length && failure === undefined && !ended; at += SLICE_BYTES) {
        const written = write(chunk.subarray(at, at + SLICE_BYTES));
        // zlib works on this slice in its own thread while the slice before is consumed here.
        yield* plain;
        await written;
        plain = takeReady();
      }
      if (failure !== undefined || ended) break;
    }
    yield* plain;
    if (failure === undefined && !ended) await end();
    yield* takeReady();
    if (failure !== undefined) throw gzipError(failure);
  } finally {
    stream.destroy();
  }
}

function gzipError(cause: Error): Error {
  const truncated = (cause as NodeJS.ErrnoException).code === 'Z_BUF_ERROR';
  const message = truncated
    ? 'the gzip data ends too early (was the file copied or downloaded completely?)'
    : `the gzip data is damaged (${cause.message})`;
  return new Error(message, { cause });
}
