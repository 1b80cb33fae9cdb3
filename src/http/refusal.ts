import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { wholeOf } from './body.js';
import type { Answer } from './call.js';
import { SERVER_LIMITS } from './open-connections.js';

/** The answer to a request that Node could not read. The connection is closed after it. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export const MALFORMED: Refusal = {
  status: 400,
  code: 'MALFORMED_REQUEST',
  message: 'the request is not valid HTTP',
};

export const UNKNOWN_METHOD: Refusal = {
  status: 405,
  code: 'METHOD_NOT_ALLOWED',
  message: 'the method must be one of GET, HEAD, OPTIONS',
};

export const TOO_MANY_REQUESTS: Refusal = {
  status: 429,
  code: 'RATE_LIMIT_EXCEEDED',
  message: 'too many requests of one address or connection; try again in 1 s',
};

const BY_ERROR: Readonly<Record<string, Refusal>> = {
  HPE_INVALID_METHOD: UNKNOWN_METHOD,
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'INVALID_QUERY',
    message: `the request line and headers must have at most ${SERVER_LIMITS.headerBytes} bytes together`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'REQUEST_TIMEOUT', message: 'the request took too long to arrive' },
};

/** The refusal for an error of Node's parser; undefined if the client does not wait for an answer. */
export function refusalOf({ code = '' }: NodeJS.ErrnoException | { readonly code: string }): Refusal | undefined {
  // The client has left, or sends more after `Connection: close`.
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'HPE_CLOSED_CONNECTION') return undefined;
  return BY_ERROR[code] ?? MALFORMED;
}

/** Milliseconds that the client gets to read the answer. What it sends meanwhile is not read. */
const LAST_WORDS = 500;

/** Writes an answer to the socket, and closes it. `node:http` has no response object without a request. */
export function sendRaw(socket: Socket, { status, headers, body }: Answer): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const bytes = Buffer.from(wholeOf(body) as string);
  const all = [...headers, 'Content-Length', String(bytes.length), 'Connection', 'close'];
  const lines = all.map((part, i) => (i % 2 === 0 ? `${part}: ` : `${part}\r\n`));
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`;
  socket.end(Buffer.concat([Buffer.from(head), bytes]));
  // Destroying it now would drop the answer: with unread data the system resets the connection.
  setTimeout(() => socket.destroy(), LAST_WORDS).unref();
}
