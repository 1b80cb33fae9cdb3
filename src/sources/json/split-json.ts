import { Buffer } from 'node:buffer';

/**
 * Largest row of a JSON source, in bytes. A larger one is skipped and reported: while it is read, a row takes up to
 * five times its size of memory. Twice what a skill of a folder may have.
 */
export const MAX_ROW_BYTES: number = 32 * 1024 * 1024;

/** The bytes of one JSON value. */
export interface JsonBytes {
  /** Line where it begins, counted from 1. */
  readonly line: number;
  readonly bytes: Buffer;
}

/** A part of a source without a readable value. */
export interface JsonFault {
  readonly line: number;
  readonly fault: string;
  /** Whether the source was cut off here. */
  readonly cutOff?: true;
}

export type JsonPiece = JsonBytes | JsonFault;

/** Cuts a stream of bytes into JSON values. */
export interface JsonSplitter {
  /** The line that is being read, counted from 1. */
  readonly line: number;
  /** Takes the next chunk. */
  push(chunk: Buffer): Iterable<JsonPiece>;
  /** Called once, after the last chunk. */
  end(): Iterable<JsonPiece>;
}

/** Cuts bytes at line feeds. Blank lines count, but are not pieces. A line may end in CRLF. */
export class JsonLines implements JsonSplitter {
  readonly #limit: number;
  readonly #pending: PieceBuffer;
  #line: number;

  /**
   * @param limit longest line, in bytes
   * @param firstLine number of the line that the first byte stands in
   */
  constructor(limit: number = MAX_ROW_BYTES, firstLine = 1) {
    this.#limit = limit;
    this.#line = firstLine;
    this.#pending = new PieceBuffer(limit);
  }

  get line(): number {
    return this.#line;
  }

  *push(chunk: Buffer): Generator<JsonPiece> {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, start);
      if (end === -1) break;
      this.#pending.add(chunk.subarray(start, end));
      yield* this.#finish();
      this.#line++;
      start = end + 1;
    }
    this.#pending.add(chunk.subarray(start));
  }

  *end(): Generator<JsonPiece> {
    yield* this.#finish();
  }

  *#finish(): Generator<JsonPiece> {
    if (this.#pending.isEmpty) return;
    const line = this.#line;
    const bytes = this.#pending.take();
    if (bytes === undefined) yield { line, fault: tooLong('the line', this.#limit) };
    else if (!isBlankBytes(bytes)) yield { line, bytes };
  }
}

function isBlankBytes(bytes: Buffer): boolean {
  for (const byte of bytes) {
    if (byte !== 0x20 && byte !== 0x0d && byte !== 0x09) return false;
  }
  return true;
}

/** Deepest nesting of a row of a JSON array. `JSON.parse` calls itself for each level. */
const MAX_JSON_DEPTH = 10_000;

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

/**
 * Cuts one JSON array into its elements without parsing them, whatever its size.
 *
 * ```
 * start --[--> gap --any byte--> element --,--> gap
 *               |                  |  \
 *               ]                  ]   cannot be JSON any more
 *               v                  v    v
 *              end <---------------+   lost --line beginning with { or ] as far left as the element--> element, end
 * ```
 *
 * Inside an element only strings and brackets are followed; the parser decides whether it is JSON. If the brackets or
 * quotes themselves are broken (`lost`), the next element is the next `{` that begins a line as far left as the broken
 * element did.
 */
export class JsonArray implements JsonSplitter {
  readonly #limit: number;
  readonly #element: PieceBuffer;

  #state: 'start' | 'gap' | 'element' | 'lost' | 'end' | 'ignore' = 'start';
  /** Closing brackets that the element still needs, outermost first. */
  #open: number[] = [];
  #inString = false;
  #escaped = false;
  /** Last byte of the element that was neither white space nor in a string. */
  #previous = 0;

  #line: number;
  #column = 0;
  /** Whether the line has nothing but white space so far. */
  #lineIsBlank = true;
  #elementLine = 1;
  #elementColumn = 0;
  /** Offset of the element's first byte in the present chunk; 0 if it began in an earlier one. */
  #elementStart = 0;

  /**
   * @param limit longest element, in bytes
   * @param firstLine number of the line that the first byte stands in
   */
  constructor(limit: number = MAX_ROW_BYTES, firstLine = 1) {
    this.#limit = limit;
    this.#line = firstLine;
    this.#element = new PieceBuffer(limit);
  }

  get line(): number {
    return this.#line;
  }

  *push(chunk: Buffer): Generator<JsonPiece> {
    if (this.#state === 'ignore') return;
    this.#elementStart = 0;
    for (let i = 0; i < chunk.length; i++, this.#column++) {
      if (this.#inString) {
        const end = this.#endOfString(chunk, i);
        this.#column += end - i;
        i = end;
        if (chunk[i] !== LINE_FEED) continue;
      }
      const byte = chunk[i]!;
      if (byte === LINE_FEED) {
        this.#startLine();
        if (this.#inString) yield this.#lose('a string goes over the end of the line');
      } else if (byte !== SPACE && byte !== TAB && byte !== CARRIAGE_RETURN) {
        const piece = this.#take(byte, chunk, i);
        if (piece !== undefined) yield piece;
      }
    }
    if (this.#state === 'element') this.#element.add(chunk.subarray(this.#elementStart));
  }

  *end(): Generator<JsonPiece> {
    if (this.#state === 'element' && this.#open.length === 0 && !this.#inString) yield this.#finish();
    if (this.#state === 'end' || this.#state === 'ignore') return;
    const line = this.#state === 'element' ? this.#elementLine : this.#line;
    yield { line, fault: 'the array ends without a closing bracket', cutOff: true };
  }

  /**
   * Takes a byte that is neither white space nor in a string. Returns the piece that it completes or spoils, if any.
   */
  #take(byte: number, chunk: Buffer, offset: number): JsonPiece | undefined {
    const isFirstOfLine = this.#lineIsBlank;
    this.#lineIsBlank = false;
    switch (this.#state) {
      case 'start':
        return this.#takeAtStart(byte);
      case 'gap':
        return this.#takeInGap(byte, offset);
      case 'element':
        return this.#takeInElement(byte, chunk, offset, isFirstOfLine);
      case 'lost':
        this.#takeWhileLost(byte, offset, isFirstOfLine);
        return undefined;
      case 'end':
        return this.#takeAfterEnd();
      case 'ignore':
        return undefined;
    }
  }

  #takeAtStart(byte: number): JsonPiece | undefined {
    this.#state = byte === OPEN_ARRAY ? 'gap' : 'ignore';
    return byte === OPEN_ARRAY ? undefined : { line: this.#line, fault: 'not a JSON array' };
  }

  #takeInGap(byte: number, offset: number): JsonPiece | undefined {
    if (byte === COMMA) return { line: this.#line, fault: 'a comma without a value before it' };
    if (byte === CLOSE_ARRAY) this.#state = 'end';
    else this.#begin(byte, offset);
    return undefined;
  }

  #takeInElement(byte: number, chunk: Buffer, offset: number, isFirstOfLine: boolean): JsonPiece | undefined {
    if (this.#open.length === 0 && (byte === COMMA || byte === CLOSE_ARRAY)) {
      this.#element.add(chunk.subarray(this.#elementStart, offset));
      const piece = this.#finish();
      if (byte === CLOSE_ARRAY) this.#state = 'end';
      return piece;
    }
    const fault = this.#follow(byte);
    if (fault === undefined) return undefined;
    const piece = this.#lose(fault);
    // The byte that shows the fault may begin the next element.
    this.#takeWhileLost(byte, offset, isFirstOfLine);
    return piece;
  }

  #takeWhileLost(byte: number, offset: number, isFirstOfLine: boolean): void {
    if (!isFirstOfLine || this.#column > this.#elementColumn) return;
    if (byte === OPEN_OBJECT) this.#begin(byte, offset);
    else if (byte === CLOSE_ARRAY) this.#state = 'end';
  }

  #takeAfterEnd(): JsonPiece {
    this.#state = 'ignore';
    return {
      line: this.#line,
      fault: 'text after the end of the array; what follows is not read',
    };
  }

  #startLine(): void {
    this.#line++;
    this.#column = -1; // the loop of push() adds 1 for the line feed
    this.#lineIsBlank = true;
  }

  /**
   * Offset of the byte that ends a string: its quote, or a line feed, which no string may contain.
   *
   * @returns the chunk's length if the string goes on in the next chunk
   */
  #endOfString(chunk: Buffer, from: number): number {
    for (let i = from; i < chunk.length; i++) {
      const byte = chunk[i]!;
      if (byte === LINE_FEED) return i;
      if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) {
        this.#inString = false;
        return i;
      }
    }
    return chunk.length;
  }

  /** Follows strings and brackets. Returns why the element cannot be JSON, if this byte shows that. */
  #follow(byte: number): string | undefined {
    const previous = this.#previous;
    this.#previous = byte;
    switch (byte) {
      case QUOTE:
        this.#inString = true;
        return undefined;
      case OPEN_OBJECT:
      case OPEN_ARRAY: {
        const inObject = this.#open.at(-1) === CLOSE_OBJECT;
        if (inObject && (previous === COMMA || previous === OPEN_OBJECT)) return 'a bracket is not closed';
        if (this.#open.length === MAX_JSON_DEPTH) return `nested more than ${MAX_JSON_DEPTH} deep`;
        this.#open.push(byte === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY);
        return undefined;
      }
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        // One closing bracket too many does no harm: the next comma still ends the element.
        if (this.#open.length > 0 && this.#open.pop() !== byte) return 'the brackets do not match';
        return undefined;
      default:
        return undefined;
    }
  }

  #begin(byte: number, offset: number): void {
    this.#state = 'element';
    this.#elementLine = this.#line;
    this.#elementColumn = this.#column;
    this.#elementStart = offset;
    this.#previous = 0;
    this.#follow(byte);
  }

  #finish(): JsonPiece {
    const line = this.#elementLine;
    const bytes = this.#element.take();
    this.#state = 'gap';
    return bytes === undefined ? { line, fault: tooLong('the element', this.#limit) } : { line, bytes };
  }

  #lose(fault: string): JsonPiece {
    this.#element.take();
    this.#open = [];
    this.#inString = false;
    this.#escaped = false;
    this.#state = 'lost';
    return { line: this.#elementLine, fault: `not JSON: ${fault}` };
  }
}

/** Collects the bytes of one row over several chunks. Past its limit it keeps no bytes, only the fact. */
export class PieceBuffer {
  readonly #limit: number;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  add(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#length += bytes.length;
    if (this.#length > this.#limit) this.#parts = [];
    else this.#parts.push(bytes);
  }

  /** The bytes collected since the last call; undefined if they were more than the limit. */
  take(): Buffer | undefined {
    const [first = Buffer.alloc(0)] = this.#parts;
    const whole = this.#parts.length < 2 ? first : Buffer.concat(this.#parts);
    const taken = this.#length > this.#limit ? undefined : whole;
    this.#parts = [];
    this.#length = 0;
    return taken;
  }
}

/** The fault of a row over its limit. */
function tooLong(what: string, limit: number): string {
  return limit >= 1024 * 1024 ? `${what} is over ${limit / 1024 / 1024} MiB` : `${what} is over ${limit} bytes`;
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
export function hasTooManyValues(row: Buffer, limit: number = MAX_ROW_VALUES): boolean {
  if (row.length <= FREE_BYTES) return false;
  let count = 0;
  for (let i = 0; i < row.length; i++) {
    const byte = row[i]!;
    if (byte === QUOTE) {
      const end = endOfString(row, i + 1);
      if (end === -1) return false;
      i = end;
    } else if (byte === COMMA || byte === COLON || byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      count++;
      if (count > limit) return true;
    }
  }
  return false;
}

/** Offset of the quote that ends a string; -1 if none does. */
function endOfString(row: Buffer, from: number): number {
  let at = row.indexOf(QUOTE, from);
  while (at !== -1) {
    let backslashes = 0;
    while (at - backslashes > from && row[at - backslashes - 1] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at;
    at = row.indexOf(QUOTE, at + 1);
  }
  return -1;
}
