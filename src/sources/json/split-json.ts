import { Buffer } from 'node:buffer';

/**
 * Largest row of a JSON source, in bytes. A larger one is skipped and reported: while it is read, a row takes up to
 * five times its size of memory. Twice what a skill of a folder may have.
 */
const MAX_ROW_BYTES: number = 32 * 1024 * 1024;

/** One JSON value, not parsed yet, or a part of a source without a readable value. */
export interface JsonPiece {
  /** Line where it begins, counted from 1. */
  readonly line: number;
  readonly bytes?: Buffer;
  readonly fault?: string;
  /** Whether nothing can be read behind it. */
  readonly isLast?: true;
}

/** Cuts a stream of bytes into JSON values. */
export interface JsonSplitter {
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
export const OPEN_ARRAY = 0x5b;
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
export class JsonLines implements JsonSplitter {
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
export class JsonArray implements JsonSplitter {
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
export const MAX_ROW_VALUES = 100_000;

/** A row of fewer bytes cannot do harm, whatever is in it: it is not looked at. */
const FREE_BYTES = 256 * 1024;

/**
 * Whether parsing a row would make more values than a row may have: of 64 MiB of brackets `JSON.parse` makes some
 * gigabytes. Counts commas, colons and opening brackets outside strings, in one pass.
 */
export function hasTooManyValues(row: Buffer): boolean {
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
