import { Buffer } from 'node:buffer';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { giveWay } from '../../core/index.js';
import type { ReadOptions, SourceItem, SourceKind } from '../rows/row.js';
import { fingerprintOf } from '../rows/skill-id.js';
import { toOneLine } from '../rows/texts.js';

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
const MAX_UNREADABLE_ROWS = 100_000;

/** A row of more bytes is read in steps, with a turn of the event loop between them. */
const LARGE_ROW_BYTES = 1024 * 1024;

/** Bytes that can begin no value: a byte order mark. */
const BYTE_ORDER_MARK: ReadonlySet<number> = new Set([0xef, 0xbb, 0xbf]);

/**
 * The rows of a JSON source: one array if its first character is `[`, else one value a line. Memory holds one row and
 * one chunk at a time.
 *
 * @param name of the source, for reports
 * @throws Error that says what broke if the bytes end in a fault or too early, after all rows before it
 * @throws the signal's reason when aborted
 */
async function* readJsonRows(
  name: string,
  raw: AsyncIterable<Buffer>,
  options: ReadOptions,
): AsyncGenerator<SourceItem> {
  const { isKnown, signal } = options;
  let unreadable = 0;
  // If the first row cannot be read, its reason says what a source must look like.
  let hint = ' (expected one JSON array, or one JSON object a line)';
  for await (const { line, bytes, fault, isLast } of piecesOf(raw, options)) {
    signal?.throwIfAborted();
    if (isLast === true) throw new Error(`line ${line}: ${fault}`);
    const origin = { source: name, line };
    // Nobody can tell which skill it was. So nothing of the source may be pruned.
    const unreadableRow = (reason: string): SourceItem => ({ kind: 'unreadable', origin, reason, hidesSkills: true });
    const notJson = (reason: string): SourceItem => {
      unreadable += 1;
      if (unreadable <= MAX_UNREADABLE_ROWS) return unreadableRow(reason);
      const count = MAX_UNREADABLE_ROWS.toLocaleString('en');
      const message = `more than ${count} rows that are not JSON, the rest is not read: is this a JSON source?`;
      throw new Error(`line ${line}: ${message}`);
    };
    if (bytes === undefined) {
      yield notJson(fault ?? '');
      continue;
    }
    // Each step of a large row keeps the event loop for some time.
    const isLarge = bytes.length > LARGE_ROW_BYTES;
    if (isLarge) await setImmediate();
    const fingerprint = isKnown === undefined ? undefined : fingerprintOf(bytes);
    if (isLarge) await setImmediate();
    if (fingerprint !== undefined && isKnown?.(fingerprint) === true) {
      hint = '';
      yield { kind: 'known', origin, fingerprint };
    } else if (hasTooManyValues(bytes)) {
      yield unreadableRow(`more than ${MAX_ROW_VALUES.toLocaleString('en')} values in one row`);
    } else {
      const { value, reason } = parsed(bytes);
      yield reason === undefined
        ? { kind: 'row', origin, value, ...(fingerprint !== undefined && { fingerprint }) }
        : notJson(`not JSON: ${toOneLine(reason)}${hint}`);
      hint = '';
    }
    if (isLarge) await setImmediate();
  }
}

function parsed(bytes: Buffer): { readonly value?: unknown; readonly reason?: string } {
  try {
    return { value: JSON.parse(bytes.toString('utf8')) };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}

async function* piecesOf(raw: AsyncIterable<Buffer>, options: ReadOptions): AsyncGenerator<JsonPiece> {
  let splitter: JsonSplitter | undefined;
  let line = 1;
  try {
    for await (const chunk of plainBytes(raw, options)) {
      let at = 0;
      if (splitter === undefined) {
        // A loop over bytes, because ten gigabytes may be blank. Nothing of these is kept but the number of lines.
        for (; at < chunk.length && (chunk[at]! <= 0x20 || BYTE_ORDER_MARK.has(chunk[at]!)); at++) {
          if (chunk[at] === LINE_FEED) line++;
        }
        if (at === chunk.length) continue;
        splitter = chunk[at] === OPEN_ARRAY ? new JsonArray(line) : new JsonLines(line);
      }
      yield* splitter.push(chunk.subarray(at));
    }
  } catch (cause) {
    options.signal?.throwIfAborted();
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error(cause instanceof SourceLimit ? `line ${splitter?.line ?? line}: ${message}` : message, { cause });
  }
  yield* splitter?.end() ?? [];
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

  constructor(what: string, option: 'maxUnpackedBytes' | 'maxRatio') {
    super(`the source has more than ${what}, the rest is not read: raise ${option} if you trust it`);
  }
}

/**
 * The bytes of a source, uncompressed if they are gzip, which is recognised by its first bytes, not by a file name.
 * Gives the event loop its turn.
 *
 * @throws Error after everything that could be read: a {@link SourceLimit} that names the limit, or a fault of gzip
 * @throws the signal's reason when aborted
 */
async function* plainBytes(raw: AsyncIterable<Buffer>, options: ReadOptions): AsyncGenerator<Buffer> {
  const { signal, onBytes } = options;
  // 0 means no limit.
  const most = (options.maxUnpackedBytes ?? MAX_UNPACKED_BYTES) || Number.POSITIVE_INFINITY;
  const ratio = (options.maxRatio ?? MAX_RATIO) || Number.POSITIVE_INFINITY;
  let read = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    signal?.throwIfAborted();
    for await (const chunk of raw) {
      signal?.throwIfAborted();
      read += chunk.length;
      onBytes?.(read);
      yield chunk;
    }
  }
  const { isGzip, chunks } = await detectGzip(counted());
  let total = 0;
  for await (const chunk of isGzip ? gunzip(chunks) : chunks) {
    const room = most - total;
    total += chunk.length;
    if (total > most) {
      yield chunk.subarray(0, room);
      const isRound = most >= 1024 ** 3;
      throw new SourceLimit(
        `${(isRound ? most / 1024 ** 3 : most).toLocaleString('en')} ${isRound ? 'GiB' : 'bytes'}`,
        'maxUnpackedBytes',
      );
    }
    if (isGzip && total > FREE_UNPACKED_BYTES && total > ratio * read) {
      throw new SourceLimit(`${ratio.toLocaleString('en')} times its compressed size`, 'maxRatio');
    }
    yield chunk;
    await giveWay(signal);
  }
}

/** Whether bytes begin like gzip data, and all of these bytes. */
async function detectGzip(
  source: AsyncGenerator<Buffer>,
): Promise<{ readonly isGzip: boolean; readonly chunks: AsyncGenerator<Buffer> }> {
  let head: Buffer = Buffer.alloc(0);
  while (head.length < 2) {
    const next = await source.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  async function* chunks(): AsyncGenerator<Buffer> {
    try {
      yield head;
      yield* source;
    } finally {
      await source.return(undefined);
    }
  }
  return { isGzip: head[0] === 0x1f && head[1] === 0x8b, chunks: chunks() };
}

/**
 * Compressed bytes given to zlib at once. At the best ratio of gzip (1:1000) they become 16 MB: this bounds the memory.
 */
const SLICE_BYTES = 16 * 1024;

/**
 * Decompresses gzip data. Yields everything that could be decompressed before it throws for a fault in the data. A
 * plain pipe through zlib's stream would drop the chunks that it still held.
 */
async function* gunzip(compressed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const stream = createGunzip({ chunkSize: 128 * 1024 });
  let ready: Buffer[] = [];
  let failure: NodeJS.ErrnoException | undefined;
  let hasEnded = false;
  // Resolves the wait below. A write that fails never calls back, and the data may end before the file does (padding).
  let proceed = (): void => {};
  stream.on('data', (chunk: Buffer) => ready.push(chunk));
  stream.on('end', () => {
    hasEnded = true;
    proceed();
  });
  stream.on('error', (error) => {
    failure = error;
    proceed();
  });
  const isOver = (): boolean => failure !== undefined || hasEnded;
  const until = (begin: (done: () => void) => unknown): Promise<void> =>
    new Promise((resolve) => {
      proceed = resolve;
      begin(resolve);
    });

  try {
    let plain: Buffer[] = [];
    for await (const chunk of compressed) {
      for (let at = 0; at < chunk.length && !isOver(); at += SLICE_BYTES) {
        const written = until((done) => stream.write(chunk.subarray(at, at + SLICE_BYTES), () => done()));
        // zlib works on this slice in its own thread while the slice before is consumed here.
        yield* plain;
        await written;
        [plain, ready] = [ready, []];
      }
      if (isOver()) break;
    }
    yield* plain;
    if (!isOver()) await until(() => stream.end());
    yield* ready;
    if (failure === undefined) return;
    const { code, message } = failure;
    const isCut = code === 'Z_BUF_ERROR';
    const fault = isCut ? 'ends too early (was the file copied or downloaded completely?)' : `is damaged (${message})`;
    throw new Error(`the gzip data ${fault}`, { cause: failure });
  } finally {
    stream.destroy();
  }
}

/**
 * Largest row of a JSON source, in bytes. A larger one is skipped and reported: while it is read, a row takes up to
 * five times its size of memory. Twice what a skill of a folder may have.
 */
const MAX_ROW_BYTES: number = 32 * 1024 * 1024;

/** One JSON value, not parsed yet, or a part of a source without a readable value. */
interface JsonPiece {
  /** Line where it begins, counted from 1. */
  readonly line: number;
  readonly bytes?: Buffer;
  readonly fault?: string;
  /** Whether nothing can be read behind it. */
  readonly isLast?: true;
}

/** Cuts a stream of bytes into JSON values. */
interface JsonSplitter {
  /** The line that is being read, counted from 1. */
  readonly line: number;
  /** Takes the next chunk. */
  push(chunk: Buffer): Iterable<JsonPiece>;
  /** Called once, after the last chunk. */
  end(): Iterable<JsonPiece>;
}

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

function isBlank(byte: number): boolean {
  return byte === SPACE || byte === CARRIAGE_RETURN || byte === TAB || byte === LINE_FEED;
}

/** Collects the bytes of one row over several chunks. Past its limit it keeps no bytes, only the fact. */
class PieceBuffer {
  #parts: Buffer[] = [];
  #length = 0;

  add(bytes: Buffer): void {
    this.#length += bytes.length;
    if (this.#length > MAX_ROW_BYTES) this.#parts = [];
    else if (bytes.length > 0) this.#parts.push(bytes);
  }

  /** The row of the bytes since the last call. */
  take(line: number, what: string): JsonPiece {
    const [parts, length] = [this.#parts, this.#length];
    this.#parts = [];
    this.#length = 0;
    if (length > MAX_ROW_BYTES) return { line, fault: `${what} is over ${MAX_ROW_BYTES / 1024 / 1024} MiB` };
    return { line, bytes: parts.length === 1 ? parts[0]! : Buffer.concat(parts) };
  }
}

/** Cuts bytes at line feeds. Blank lines count, but are not pieces. A line may end in CRLF. */
class JsonLines implements JsonSplitter {
  line: number;
  readonly #pending = new PieceBuffer();

  /** @param firstLine number of the line that the first byte stands in */
  constructor(firstLine: number) {
    this.line = firstLine;
  }

  *push(chunk: Buffer): Generator<JsonPiece> {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      this.#pending.add(chunk.subarray(start, end));
      yield* this.end();
      this.line++;
      start = end + 1;
    }
    this.#pending.add(chunk.subarray(start));
  }

  *end(): Generator<JsonPiece> {
    const piece = this.#pending.take(this.line, 'the line');
    if (piece.bytes?.every(isBlank) !== true) yield piece;
  }
}

/**
 * Cuts one JSON array into its elements without parsing them, whatever its size. Only strings and brackets are followed;
 * the parser decides whether an element is JSON. A string that goes over the end of its line ends all: nobody knows any
 * more what is inside a string.
 */
class JsonArray implements JsonSplitter {
  line: number;
  readonly #element = new PieceBuffer();
  #state: 'start' | 'gap' | 'element' | 'end' = 'start';
  #elementLine = 1;
  /** Brackets that are open in the element. */
  #depth = 0;
  #inString = false;
  #isEscaped = false;

  /** See {@link JsonLines}. */
  constructor(firstLine: number) {
    this.line = firstLine;
  }

  *push(chunk: Buffer): Generator<JsonPiece> {
    let start = 0;
    for (let i = 0; i < chunk.length; i++) {
      if (this.#inString) {
        i = this.#endOfString(chunk, i);
        if (chunk[i] === LINE_FEED) {
          this.#state = 'end';
          yield { line: this.#elementLine, fault: 'not JSON: a string goes over the end of the line', isLast: true };
          return;
        }
        continue;
      }
      const byte = chunk[i]!;
      if (byte === LINE_FEED) this.line++;
      if (isBlank(byte)) continue;
      if (this.#state === 'element') {
        if (this.#depth > 0 || (byte !== COMMA && byte !== CLOSE_ARRAY)) {
          this.#follow(byte);
          continue;
        }
        this.#element.add(chunk.subarray(start, i));
        yield this.#element.take(this.#elementLine, 'the element');
        this.#state = byte === COMMA ? 'gap' : 'end';
      } else if (this.#state === 'gap') {
        if (byte === CLOSE_ARRAY) this.#state = 'end';
        else if (byte === COMMA) yield { line: this.line, fault: 'a comma without a value before it' };
        else {
          this.#state = 'element';
          this.#elementLine = this.line;
          start = i;
          this.#follow(byte);
        }
      } else if (this.#state === 'start') this.#state = 'gap';
      else {
        yield { line: this.line, fault: 'text after the end of the array; what follows is not read', isLast: true };
        return;
      }
    }
    if (this.#state === 'element') this.#element.add(chunk.subarray(start));
  }

  *end(): Generator<JsonPiece> {
    const isWhole = this.#state === 'element' && this.#depth === 0 && !this.#inString;
    if (isWhole) yield this.#element.take(this.#elementLine, 'the element');
    if (this.#state === 'end') return;
    const line = this.#state === 'element' && !isWhole ? this.#elementLine : this.line;
    yield { line, fault: 'the array ends without a closing bracket', isLast: true };
  }

  /**
   * Offset of the byte that ends a string: its quote, or a line feed, which no string may contain; the chunk's length
   * if the string goes on in the next chunk.
   */
  #endOfString(chunk: Buffer, from: number): number {
    for (let i = from; i < chunk.length; i++) {
      const byte = chunk[i]!;
      if (byte === LINE_FEED) return i;
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) {
        this.#inString = false;
        return i;
      }
    }
    return chunk.length;
  }

  #follow(byte: number): void {
    if (byte === QUOTE) this.#inString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#depth += 1;
    // One closing bracket too many does no harm: the next comma still ends the element.
    else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && this.#depth > 0) this.#depth -= 1;
  }
}

/**
 * Values in a row of a JSON source: commas, colons and opening brackets. A row with more is rejected before it is
 * parsed. A skill with a thousand files has some 5,000; parsed, a byte of brackets takes up to 40 bytes.
 */
const MAX_ROW_VALUES = 100_000;

/** A row of fewer bytes cannot do harm, whatever is in it: it is not looked at. */
const FREE_BYTES = 256 * 1024;

/**
 * Whether parsing a row would make more values than a row may have: of 64 MiB of brackets `JSON.parse` makes some
 * gigabytes. Counts commas, colons and opening brackets outside strings, in one pass.
 */
function hasTooManyValues(row: Buffer): boolean {
  if (row.length <= FREE_BYTES) return false;
  let count = 0;
  let isInString = false;
  for (let i = 0; i < row.length; i++) {
    const byte = row[i]!;
    if (byte === QUOTE) isInString = !isInString;
    else if (isInString) {
      if (byte === BACKSLASH) i++;
    } else if (byte === COMMA || byte === COLON || byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      count++;
      if (count > MAX_ROW_VALUES) return true;
    }
  }
  return false;
}
