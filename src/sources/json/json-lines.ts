import type { Buffer } from 'node:buffer';
import type { JsonPiece, JsonSplitter } from './json-piece.js';
import { MAX_ROW_BYTES } from './json-piece.js';
import { PieceBuffer, tooLong } from './piece-buffer.js';

const LINE_FEED = 0x0a;

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
