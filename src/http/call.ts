import type { Body } from './body.js';

/** A request, as little of it as the service looks at. */
export interface Call {
  readonly method: string;
  /** Path and query as they were sent: not decoded, not normalised. */
  readonly target: string;
  /** Scheme and host under which the client reached the service: `http://127.0.0.1:8787`. */
  readonly origin: string;
  /** Address of the other end of the connection; undefined where nobody knows. */
  readonly address: string | undefined;
  /** A header by its name in lower case; several of one name joined by `, `. */
  header(name: string): string | undefined;
  /** When it had come, of `performance.now()`. */
  readonly arrived: number;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal | undefined;
}

/** What is sent back. */
export interface Answer {
  readonly status: number;
  /** Names and values in turn, without `Content-Length`. */
  readonly headers: readonly string[];
  /** Of a HEAD request what a GET would get: whoever sends the answer leaves it out. */
  readonly body: Body;
}

/** An answer in the making: what an operation itself has to say. */
export interface Content {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Body;
}

export const JSON_TYPE = 'application/json; charset=utf-8';
export const HTML_TYPE = 'text/html; charset=utf-8';
