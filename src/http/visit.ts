import { randomUUID } from 'node:crypto';
import type { Client, Quota } from '../access/index.js';
import type { Call } from './call.js';
import { addressOfClient, type TrustedHops } from './forwarded-address.js';

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
  const fragment = call.target.indexOf('#');
  const target = fragment === -1 ? call.target : call.target.slice(0, fragment);
  const at = target.indexOf('?');
  return {
    call,
    requestId: requestIdFrom(call, isTrusted) ?? randomUUID(),
    started: call.arrived,
    path: at === -1 ? target : target.slice(0, at),
    query: at === -1 ? '' : target.slice(at + 1),
    address: addressOfClient(call, isTrusted),
    publicUrl: publicUrl ?? call.origin,
    client: undefined,
    quota: undefined,
  };
}
