import { randomUUID } from 'node:crypto';
import type { Client } from '../access/index.js';
import type { Call } from './call.js';
import { addressOfClient, type TrustedHops } from './client-address.js';

/** A request on its way through the service. */
export interface Visit {
  readonly call: Call;
  readonly requestId: string;
  /** When the request came, of `performance.now()`. */
  readonly started: number;
  readonly path: string;
  /** The query string, without the question mark. */
  readonly query: string;
  /** Address of the client, as far as the proxies in between are trusted. */
  readonly address: string | undefined;
  /** Where links to pages of the service lead. */
  readonly publicUrl: string;
  /** Who asks, as soon as that is known. */
  client: Client | undefined;
}

export function beginVisit(call: Call, publicUrl: string | undefined, isTrusted: TrustedHops): Visit {
  const fragment = call.target.indexOf('#');
  const target = fragment === -1 ? call.target : call.target.slice(0, fragment);
  const at = target.indexOf('?');
  return {
    call,
    requestId: randomUUID(),
    started: call.arrived,
    path: at === -1 ? target : target.slice(0, at),
    query: at === -1 ? '' : target.slice(at + 1),
    address: addressOfClient(call, isTrusted),
    publicUrl: publicUrl ?? call.origin,
    client: undefined,
  };
}
