import { isIP } from 'node:net';
import { invalidArgument, optionOf } from '../core/index.js';
import type { SkillSearchError } from '../index.js';
import type { Call } from './call.js';
import type { Refusal } from './request-body.js';

/** Names of this machine, which nobody can make point elsewhere. */
const LOCAL = ['localhost', '127.0.0.1', '[::1]'];
/** Hosts to listen at that stand for all addresses of the machine. */
const ALL_ADDRESSES = ['0.0.0.0', '::'];

/** Hosts to listen at by which only this machine reaches a server. */
export const LOOPBACK: RegExp = /^(?:localhost|127\.[\d.]+|::1)$/i;

export interface AllowedHostsOptions {
  readonly publicUrl: string | undefined;
  /** Further names, without ports. */
  readonly hosts: readonly string[];
  /** The host that the server listens at; undefined where another server does. */
  readonly listensAt: string | undefined;
}

/**
 * Who may be asked for, and from where: what keeps a web page from reaching a server that its reader can reach, by a
 * name of its own that it lets point there (DNS rebinding).
 */
export class AllowedHosts {
  readonly #names: ReadonlySet<string>;
  readonly #publicOrigin: string | undefined;
  readonly #anyAddress: boolean;
  /** Most requests of a server have the same. */
  #lastAllowed: string | undefined;

  constructor({ publicUrl, hosts, listensAt }: AllowedHostsOptions) {
    const publicName = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
    const ownName = listensAt === undefined ? [] : [hostnameOf(isIP(listensAt) === 6 ? `[${listensAt}]` : listensAt)];
    this.#names = new Set([...LOCAL, ...publicName, ...ownName, ...hosts].filter((name) => name !== undefined));
    this.#publicOrigin = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
    this.#anyAddress = listensAt !== undefined && ALL_ADDRESSES.includes(listensAt);
  }

  /**
   * What is wrong with where a request is sent to, or where it comes from.
   *
   * @param origin the header `Origin`: of a browser, where the page is from. Undefined if that does not matter
   */
  faultOf(call: Pick<Call, 'header' | 'origin'>, origin?: string): Refusal | undefined {
    const host = call.header('host') ?? new URL(call.origin).host;
    if (host !== this.#lastAllowed && !this.#allows(hostnameOf(host))) {
      const message =
        'the Host of the request is none that this server is known by: name it among the allowed hosts of the server, or in its public URL';
      return { status: 403, code: 'HOST_NOT_ALLOWED', message };
    }
    this.#lastAllowed = host;
    if (origin === undefined || this.#isOwn(origin, host)) return undefined;
    const message = 'the Origin of the request is another than that of this server';
    return { status: 403, code: 'ORIGIN_NOT_ALLOWED', message };
  }

  #allows(name = ''): boolean {
    if (this.#names.has(name)) return true;
    // An address is no name: what it stands for cannot be changed.
    return this.#anyAddress && isIP(name.replace(/^\[|\]$/g, '')) !== 0;
  }

  #isOwn(origin: string, host: string): boolean {
    const url = /^https?:\/\//.test(origin) && URL.canParse(origin) ? new URL(origin) : undefined;
    // An origin has neither a path nor anything else behind it.
    if (url === undefined || url.origin !== origin) return false;
    return origin === this.#publicOrigin || url.host === new URL(`${url.protocol}//${host}`).host;
  }
}

/** The name in a `Host`, in the shortest notation and without its port; undefined where it cannot be one. */
function hostnameOf(host: string): string | undefined {
  const isPlain = /^[a-z0-9._-]+(?::\d{1,5})?$|^\[[0-9a-f:.]+\](?::\d{1,5})?$/i.test(host);
  return isPlain && URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname.replace(/\.$/, '') : undefined;
}

/**
 * The names of an option, as they are compared.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`
 */
export function resolveHosts(option: string, hosts: readonly string[] | undefined): readonly string[] {
  if (hosts === undefined) return [];
  const fault = (given: unknown): SkillSearchError =>
    invalidArgument(optionOf(option), 'a list of names or addresses without ports', given);
  if (!Array.isArray(hosts)) throw fault(hosts);
  return hosts.map((given: unknown) => {
    const host = typeof given === 'string' && isIP(given) === 6 ? `[${given}]` : String(given);
    const hasPort = host.startsWith('[') ? !host.endsWith(']') : host.includes(':');
    const name = hasPort || typeof given !== 'string' ? undefined : hostnameOf(host);
    if (name === undefined) throw fault(given);
    return name;
  });
}

/**
 * Whether a request may come from our own pages. Browsers say where a request is from, and no page can change that.
 * Programs need not say anything.
 *
 * @param publicUrl by which clients reach the service
 */
export function mayBeFromOwnPage(call: Call, publicUrl: string): boolean {
  const site = call.header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin') return false;
  // Hosts only: behind a proxy that ends TLS, the scheme that we see is not the one that the browser sees.
  const hosts = [publicUrl, call.origin].map(hostOf);
  return ['origin', 'referer'].every((name) => {
    const from = call.header(name);
    return from === undefined || hosts.includes(hostOf(from) ?? '');
  });
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}
