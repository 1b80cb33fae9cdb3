import { randomUUID } from 'node:crypto';
import type { Client, Quota } from '../access/index.js';
import { ClientGone } from './errors.js';
import { addressOfClient, type TrustedHops } from './forwarded-address.js';
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

type Body = string | Uint8Array<ArrayBuffer>;

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

/** What one operation or page adds to an answer. */
export interface Content {
  /** @default 200 */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Body;
  readonly stream?: ReadableStream<Uint8Array> | undefined;
  /** Whether it gets an `ETag`: clients may keep it, and ask whether it is still the same. @default false */
  readonly tagged?: boolean;
  /** The SHA-256 of the body in hexadecimal digits, where it is known: of 16 MiB it takes some hundredths of a second. */
  readonly sha256?: string;
  /** Whether clients that take gzip get it so. @default false */
  readonly compressed?: boolean;
  /** For the log: the code of an error. */
  readonly code?: string | undefined;
  /** For the log: the method of a message for MCP, and the tool of a call. */
  readonly operation?: string | undefined;
}

export const JSON_TYPE = 'application/json; charset=utf-8';

/** A request while the service works on it. */
export interface Visit {
  readonly call: Call;
  readonly requestId: string;
  /** When the request arrived, by `performance.now()`. */
  readonly started: number;
  readonly path: string;
  /** The query string, without the question mark. */
  readonly query: string;
  /** Address of the client, as far as the proxies in between are trusted. */
  readonly address: string | undefined;
  /** Origin and path of links to pages of the service. */
  readonly publicUrl: string;
  /** Set once the client is identified. */
  client: Client | undefined;
  /** What the request is counted for; set with the client, or by a limit of its own. */
  quota: Quota | undefined;
}

/** What a request id may look like: nothing that could forge a line of a log, or a header. */
const REQUEST_ID = /^[\w.:=+/@-]{1,128}$/;

/** The id that a trusted proxy has given the request, so that its log and ours can be read side by side. */
function requestIdFrom(call: Call, isTrusted: TrustedHops): string | undefined {
  if (call.address === undefined || !isTrusted(call.address, 0)) return undefined;
  const id = call.header('x-request-id');
  return id !== undefined && REQUEST_ID.test(id) ? id : undefined;
}

export function beginVisit(call: Call, publicUrl: string | undefined, isTrusted: TrustedHops): Visit {
  const [, path = '', query = ''] = /^([^?#]*)\??([^#]*)/.exec(call.target) ?? [];
  return {
    call,
    requestId: requestIdFrom(call, isTrusted) ?? randomUUID(),
    started: call.arrived,
    ...{ path, query },
    address: addressOfClient(call, isTrusted),
    publicUrl: publicUrl ?? call.origin,
    client: undefined,
    quota: undefined,
  };
}

/**
 * Waits until it is the client's turn again.
 *
 * @throws {ClientGone} if nobody waits for the answer any more
 */
export async function clientTurn(call: Call): Promise<void> {
  await call.turn();
  if (call.signal?.aborted === true) throw new ClientGone();
}
