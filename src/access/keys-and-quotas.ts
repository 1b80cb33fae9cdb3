import type { SkillSearchError } from '../core/index.js';
import type { Admission, SharedAdmission } from './admission.js';
import type { ApiKey, NewApiKey } from './api-key.js';
import type { NewKeyOptions } from './new-key.js';
import type { Quota } from './options.js';

/** The sender of a request, and its quota. */
export interface Client {
  /** Whether the request had an API key. */
  readonly kind: 'anonymous' | 'key';
  /** What its requests are counted under: `key:<id>`, an IPv4 address, the /64 of an IPv6 address, or `unknown`. */
  readonly name: string;
  /** How many requests it may make. */
  readonly quota: Quota;
}

/**
 * API keys and quotas, as a server needs them: what `openAccess` and `connectAccess` return. A store in a file answers
 * at once, so that a keyword search need not wait for a turn of the event loop; one on another machine answers by
 * promises. See `Access` and `SharedAccess` for what the methods do and throw.
 */
export interface KeysAndQuotas {
  createKey(options?: NewKeyOptions): NewApiKey | Promise<NewApiKey>;
  listKeys(): ApiKey[] | Promise<ApiKey[]>;
  revokeKey(idOrKey: number | string): ApiKey | Promise<ApiKey>;
  /** @param arrived when the request arrived, by `performance.now()` */
  identify(authorization: string | undefined, address: string | undefined, arrived?: number): Client | Promise<Client>;
  /**
   * Makes sure that a client that was identified is still accepted, for requests that are not counted.
   *
   * @throws {SkillSearchError} `INVALID_API_KEY`
   */
  confirm(client: Client): void | Promise<void>;
  admit(client: Client, fault?: SkillSearchError): Admission | Promise<SharedAdmission>;
  countRequest(client: Client): void | Promise<void>;
  check(): void | Promise<void>;
  close(): void | Promise<void>;
}
