import type { Body } from './body.js';
import type { BodyLimits } from './request-body.js';

/** The parts of a request that the service needs, from any kind of server. */
export interface Call {
  readonly method: string;
  /** Path and query as sent: neither decoded nor normalised. */
  readonly target: string;
  /** Scheme and host by which the client reached the service: `http://127.0.0.1:8787`. */
  readonly origin: string;
  /** Address of the other end of the connection; undefined if it is unknown. */
  readonly address: string | undefined;
  /** A header by its name in lower case. Several headers of one name are joined by `, `. */
  header(name: string): string | undefined;
  /** When the request arrived, by `performance.now()`. */
  readonly arrived: number;
  /** Since when it waits for others only, not for earlier requests of its own connection, by `performance.now()`. */
  readonly ready: number;
  /** Aborted when the client closes the connection. */
  readonly signal: AbortSignal | undefined;
  /**
   * Reads the body. Call it once at most.
   *
   * @throws {RefusedBody} if it is too long, or does not arrive
   * @throws {ClientGone}
   */
  body(limits: BodyLimits): Promise<Buffer>;
  /** Waits until it is the client's turn again: what was read meanwhile took time. */
  turn(): Promise<void>;
}

/** A complete answer. */
export interface Answer {
  readonly status: number;
  /** Names and values in turn, without `Content-Length`: the form that `writeHead` takes. */
  readonly headers: readonly string[];
  /** For HEAD the same as for GET. The sender of the answer leaves it out. */
  readonly body: Body;
  /** In the place of a body: it is sent as it comes, for as long as it takes. */
  readonly stream?: ReadableStream<Uint8Array> | undefined;
}

/** What one operation adds to an answer. */
export interface Content {
  readonly status?: number;
  /** Whether it gets an `ETag`: clients may keep it, and ask whether it is still the same. @default false */
  readonly tagged?: boolean;
  /** The SHA-256 of the body in hexadecimal digits, where it is known: of 16 MiB it takes some hundredths of a second. */
  readonly sha256?: string;
  /** The code of an error that is told without being thrown, for the log. */
  readonly code?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Body;
  /** Makes the body shorter, for clients that take it so. Absent where it is always sent as it is. */
  readonly gzip?: () => Promise<Uint8Array<ArrayBuffer>>;
  readonly stream?: ReadableStream<Uint8Array> | undefined;
}

export const JSON_TYPE = 'application/json; charset=utf-8';
