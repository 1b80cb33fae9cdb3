import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Answer } from './call.js';
import { ClientGone } from './errors.js';
import { SERVER_LIMITS } from './open-connections.js';

/** How much of a body is read. Both in bytes. */
export interface BodyLimits {
  /** A longer body is refused. */
  readonly bodyBytes: number;
  /**
   * Up to so many, a body that is refused is read to its end and thrown away: its sender reads the answer only then.
   */
  readonly skippedBytes: number;
}

/** Why a request is not answered as it asks. */
export interface Refusal {
  readonly status: number;
  /** Undefined where the code of JSON-RPC says all. */
  readonly code?: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of JSON-RPC, for a message of MCP. */
  readonly rpcCode?: number;
}

/** A request that is refused: it cannot be read, or is not for this server, or not in a way that it takes. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest' as const;
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** A body that arrives. */
export interface ArrivingBody {
  /** Rejects with {@link RefusedRequest} or {@link ClientGone}. */
  readonly whole: Promise<Buffer>;
  /** Gives up: the rest does not arrive, or is malformed. */
  refuse(refusal: Refusal): void;
}

/**
 * Reads the body of a request into memory.
 *
 * @param hold told of the bytes that are kept, as they arrive
 */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits,
  hold: (bytes: number) => void,
): ArrivingBody {
  const { bodyBytes, skippedBytes } = limits;
  let refuse = (_: Refusal): void => {};
  const whole = new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length <= bodyBytes) {
        chunks.push(chunk);
        hold(chunk.length);
        return;
      }
      chunks.length = 0;
      if (length > skippedBytes) end(() => reject(new RefusedRequest(tooLarge(bodyBytes))));
    };
    const onEnd = (): void => {
      if (length > bodyBytes) end(() => reject(new RefusedRequest(tooLarge(bodyBytes))));
      else end(() => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    };
    const onGone = (): void => end(() => reject(new ClientGone()));
    const end = (settle: () => void): void => {
      request.off('data', onData).off('end', onEnd);
      response.off('close', onGone);
      settle();
    };
    refuse = (refusal) => end(() => reject(new RefusedRequest(refusal)));
    // An error of a request is that its connection has ended. So the response ends as well.
    request.on('error', () => {});
    response.on('close', onGone);
    request.on('data', onData).on('end', onEnd);
  });
  return { whole, refuse: (refusal) => refuse(refusal) };
}

/** The body of a `Request`, for whoever has no socket. */
export async function readRequestBody(request: Request, limits: BodyLimits): Promise<Buffer> {
  const { bodyBytes, skippedBytes } = limits;
  if (request.body === null) return Buffer.alloc(0);
  if (request.bodyUsed) throw new RefusedRequest(MALFORMED);
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new ClientGone();
    });
    if (done) break;
    length += value.length;
    if (length <= bodyBytes) chunks.push(value);
    else chunks.length = 0;
    if (length > skippedBytes) {
      reader.cancel().catch(() => {});
      break;
    }
  }
  if (length > bodyBytes) throw new RefusedRequest(tooLarge(bodyBytes));
  return Buffer.concat(chunks);
}

export function tooLarge(bodyBytes: number): Refusal {
  return { status: 413, code: 'BODY_TOO_LARGE', message: `the body must have at most ${bodyBytes} bytes` };
}

export const MALFORMED: Refusal = {
  status: 400,
  code: 'MALFORMED_REQUEST',
  message: 'the request is not valid HTTP',
};

/** What is taken at all paths but that of MCP. */
export const READ_METHODS = 'GET, HEAD, OPTIONS';

export const UNKNOWN_METHOD: Refusal = {
  status: 405,
  code: 'METHOD_NOT_ALLOWED',
  message: `the method must be one of ${READ_METHODS}`,
  headers: { Allow: READ_METHODS },
};

export const TOO_MANY_REQUESTS: Refusal = {
  status: 429,
  code: 'RATE_LIMIT_EXCEEDED',
  message: 'too many requests of one address or connection; try again in 1 s',
  headers: { 'Retry-After': '1' },
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
  const bytes = Buffer.from(body as string);
  const all = [...headers, 'Content-Length', String(bytes.length), 'Connection', 'close'];
  const lines = all.map((part, i) => (i % 2 === 0 ? `${part}: ` : `${part}\r\n`));
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`;
  socket.end(Buffer.concat([Buffer.from(head), bytes]));
  // Destroying it now would drop the answer: with unread data the system resets the connection.
  setTimeout(() => socket.destroy(), LAST_WORDS).unref();
}
