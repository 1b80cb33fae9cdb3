import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { textOf } from './body.js';
import type { Answer } from './call.js';
import { SERVER_LIMITS } from './server-limits.js';

/** Why a connection is ended before there is a request to answer. */
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

const BY_ERROR: Readonly<Record<string, Refusal>> = {
  HPE_INVALID_METHOD: UNKNOWN_METHOD,
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'INVALID_QUERY',
    message: `the request line and headers must have at most ${SERVER_LIMITS.headerBytes} bytes together`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'REQUEST_TIMEOUT', message: 'the request took too long to arrive' },
};

/** The refusal of what Node could not read; undefined where the other end does not wait for any. */
export function refusalOf({ code = '' }: NodeJS.ErrnoException): Refusal | undefined {
  // Gone, or still sending after it asked to close.
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'HPE_CLOSED_CONNECTION') return undefined;
  return BY_ERROR[code] ?? MALFORMED;
}

/** Milliseconds in which the other end can read why, while what it still sends is left lying. */
const LAST_WORDS = 500;

/** Sends an answer without the help of Node, which has no request for it, and ends the connection. */
export function sendRaw(socket: Socket, { status, headers, body }: Answer): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const text = textOf(body);
  const all = [...headers, 'Content-Length', String(Buffer.byteLength(text)), 'Connection', 'close'];
  const lines = all.map((part, i) => (i % 2 === 0 ? `${part}: ` : `${part}\r\n`));
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`);
  // At once, what was sent and not read would make the system drop the answer, too.
  setTimeout(() => socket.destroy(), LAST_WORDS).unref();
}
