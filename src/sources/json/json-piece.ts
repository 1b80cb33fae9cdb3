import type { Buffer } from 'node:buffer';

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
