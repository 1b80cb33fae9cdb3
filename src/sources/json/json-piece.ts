import type { Buffer } from 'node:buffer';

/** One JSON value of a source, still bytes. */
interface JsonBytes {
  /** Line where it begins, counted from 1. */
  readonly line: number;
  readonly bytes: Buffer;
  /** Whether the source ends with it though more was to be expected: if it is no JSON, the source was cut off. */
  readonly atEnd?: true;
}

/** A stretch of a source that holds no readable value. */
interface JsonFault {
  readonly line: number;
  readonly fault: string;
  /** Whether any number of values may be behind it. */
  readonly hidesValues?: true;
  /** Whether the source was cut off here. */
  readonly cutOff?: true;
}

export type JsonPiece = JsonBytes | JsonFault;

/** Cuts a stream of bytes into JSON values. Fed chunk by chunk, then ended once. */
export interface JsonSplitter {
  push(chunk: Buffer): Iterable<JsonPiece>;
  end(): Iterable<JsonPiece>;
}
