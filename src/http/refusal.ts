import type { Socket } from 'node:net';
import { errorBody } from './error-content.js';
import { SERVER_LIMITS } from './server-limits.js';

/** Why a connection is ended before there is a request to answer. */
export type Refusal = readonly [status: string, code: string, message: string];

export const MALFORMED: Refusal = ['400 Bad Request', 'MALFORMED_REQUEST', 'this is not a request that HTTP knows'];
export const NO_TUNNEL: Refusal = ['405 Method Not Allowed', 'METHOD_NOT_ALLOWED', 'this is no proxy'];

const BY_ERROR: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'INVALID_QUERY',
    `the address and the headers of a request may have ${SERVER_LIMITS.headerBytes} bytes together`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'REQUEST_TIMEOUT', 'the request took too long to come'],
};

/** The refusal of what Node could not read; undefined where the other end does not wait for any. */
export function refusalOf({ code = '' }: NodeJS.ErrnoException): Refusal | undefined {
  // Gone, or still sending after it asked to close.
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'HPE_CLOSED_CONNECTION') return undefined;
  return BY_ERROR[code] ?? MALFORMED;
}

/** Tells in as few words as will do, and ends the connection. */
export function refuse(socket: Socket, [status, code, message]: Refusal): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = errorBody(code, message);
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n`;
  socket.end(head + body, () => socket.destroy());
}
