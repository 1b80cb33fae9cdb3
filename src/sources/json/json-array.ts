import type { Buffer } from 'node:buffer';
import { MAX_ROW_BYTES } from '../rows/limits.js';
import type { JsonPiece, JsonSplitter } from './json-piece.js';
import { PieceBuffer, tooLong } from './piece-buffer.js';

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const MAX_DEPTH = 10_000;

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
 * Inside an element only strings and brackets are followed; whether it is JSON is for the parser to say. Where the
 * brackets or quotes themselves are broken (`lost`), the next element is found by its place at the beginning of a line.
 */
export class JsonArray implements JsonSplitter {
  readonly #limit: number;
  readonly #element: PieceBuffer;

  #state: 'start' | 'gap' | 'element' | 'lost' | 'end' | 'ignore' = 'start';
  /** Closing brackets that the element still needs, outermost first. */
  #open: number[] = [];
  #inString = false;
  #escaped = false;
  /** Last byte of the element outside strings that was no white space. */
  #previous = 0;

  #line = 1;
  #column = 0;
  /** Whether the line held nothing but white space so far. */
  #blankSoFar = true;
  #elementLine = 1;
  #elementColumn = 0;

  /** `limit`: longest element, in bytes. */
  constructor(limit: number = MAX_ROW_BYTES) {
    this.#limit = limit;
    this.#element = new PieceBuffer(limit);
  }

  *push(chunk: Buffer): Generator<JsonPiece> {
    let start = 0; // of what belongs to the element in this chunk

    for (let i = 0; i < chunk.length; i++, this.#column++) {
      if (this.#inString) {
        const end = this.#skipString(chunk, i);
        this.#column += end - i;
        i = end;
        if (chunk[i] !== LINE_FEED) continue;
      }

      const byte = chunk[i]!;
      if (byte === LINE_FEED) {
        this.#line++;
        this.#column = -1;
        this.#blankSoFar = true;
        if (this.#inString) yield this.#lose('a string goes over the end of the line');
        continue;
      }
      if (byte === SPACE || byte === TAB || byte === CARRIAGE_RETURN) continue;
      const firstOfLine = this.#blankSoFar;
      this.#blankSoFar = false;

      if (this.#state === 'element') {
        if (this.#open.length === 0 && (byte === COMMA || byte === CLOSE_ARRAY)) {
          this.#element.add(chunk.subarray(start, i));
          yield this.#finish();
          this.#state = byte === COMMA ? 'gap' : 'end';
          continue;
        }
        const fault = this.#follow(byte);
        if (fault === undefined) continue;
        yield this.#lose(fault); // and look at this byte as lost()
      }

      switch (this.#state) {
        case 'start':
          this.#state = byte === OPEN_ARRAY ? 'gap' : 'ignore';
          if (byte !== OPEN_ARRAY) yield { line: this.#line, fault: 'not a JSON array' };
          break;
        case 'gap':
          if (byte === CLOSE_ARRAY) this.#state = 'end';
          else if (byte === COMMA) yield { line: this.#line, fault: 'a comma without a value before it' };
          else start = this.#begin(byte, i);
          break;
        case 'lost':
          if (!firstOfLine || this.#column > this.#elementColumn) break;
          if (byte === OPEN_OBJECT) start = this.#begin(byte, i);
          else if (byte === CLOSE_ARRAY) this.#state = 'end';
          break;
        case 'end':
          this.#state = 'ignore';
          yield {
            line: this.#line,
            fault: 'text after the end of the array; what follows is not read',
            hidesValues: true,
          };
          break;
        default:
          return;
      }
    }
    if (this.#state === 'element') this.#element.add(chunk.subarray(start));
  }

  *end(): Generator<JsonPiece> {
    if (this.#state === 'element' && this.#open.length === 0 && !this.#inString) yield this.#finish();
    if (this.#state === 'end' || this.#state === 'ignore') return;
    const line = this.#state === 'element' ? this.#elementLine : this.#line;
    yield { line, fault: 'the array ends without a closing bracket', cutOff: true };
  }

  /** Offset of the byte that ends the string (or of a line feed, which none may hold); the chunk's length if none does. */
  #skipString(chunk: Buffer, from: number): number {
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

  /** Takes a byte of an element into account; says why the element cannot be JSON if the byte shows that. */
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
        if (this.#open.length === MAX_DEPTH) return `nested more than ${MAX_DEPTH} deep`;
        this.#open.push(byte === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY);
        return undefined;
      }
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        // A closing bracket too many is no reason to get lost: the next comma still ends the element.
        if (this.#open.length > 0 && this.#open.pop() !== byte) return 'the brackets do not match';
        return undefined;
      default:
        return undefined;
    }
  }

  #begin(byte: number, offset: number): number {
    this.#state = 'element';
    this.#elementLine = this.#line;
    this.#elementColumn = this.#column;
    this.#previous = 0;
    this.#follow(byte);
    return offset;
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
    return { line: this.#elementLine, fault: `not JSON: ${fault}`, hidesValues: true };
  }
}
