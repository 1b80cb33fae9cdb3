import type { Buffer } from 'node:buffer';

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
