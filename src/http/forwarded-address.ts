import { isIP } from 'node:net';
import proxyAddr from 'proxy-addr';
import { SkillSearchError } from '../index.js';
import type { Call } from './call.js';

/** Names of networks that `proxy-addr` knows. */
const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];

/** Whether to believe what the proxy at an address says of its client. Hop 0 is the other end of the connection. */
export type TrustedHops = (address: string, hop: number) => boolean;

/**
 * Which proxies are trusted.
 *
 * @param trust a number of hops, or a list of addresses, networks (`10.0.0.0/8`) and names (`loopback`, `linklocal`,
 *   `uniquelocal`)
 * @throws {SkillSearchError} `INVALID_OPTION`
 */
export function resolveTrustedHops(trust: number | readonly string[] | undefined): TrustedHops {
  if (trust === undefined) return () => false;
  if (typeof trust === 'number') {
    if (!Number.isInteger(trust) || trust < 0) throw invalidTrust(String(trust));
    return (_, hop) => hop < trust;
  }
  if (!Array.isArray(trust)) throw invalidTrust(String(trust));
  const networks = trust.map(compileNetwork);
  // A zone (`fe80::1%br-lan`) names an interface of this machine, not a part of the address.
  return (address, hop) => networks.some((isTrusted) => isTrusted(address.replace(/%.*$/, ''), hop));
}

/**
 * The address of the client: that of the connection or, as far as the hops are trusted, the one in `X-Forwarded-For`.
 * Each proxy appends the address that it sees, so the list is read from its end.
 */
export function addressOfClient(call: Pick<Call, 'address' | 'header'>, isTrusted: TrustedHops): string | undefined {
  let { address } = call;
  if (address === undefined) return undefined;
  const forwarded = call.header('x-forwarded-for')?.split(',') ?? [];
  for (let hop = 0; forwarded.length > 0 && isTrusted(address, hop); hop++) {
    const text = forwarded.pop()!.trim();
    // Some proxies add the port: `203.0.113.7:4711`, `[2001:db8::1]:4711`.
    const next = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
    // No proxy wrote this. `proxy-addr` would return it as the client, so the list is not read by it.
    if (isIP(next) === 0) break;
    address = next;
  }
  return address;
}

/** `proxy-addr` alone would take `10` as the address 0.0.0.10. */
function compileNetwork(network: string): TrustedHops {
  const isKnown = NAMED_NETWORKS.includes(network) || isIP(String(network).replace(/\/\d+$/, '')) !== 0;
  if (!isKnown) throw invalidTrust(network);
  try {
    return proxyAddr.compile(network);
  } catch (error) {
    throw invalidTrust(network, error);
  }
}

function invalidTrust(got: string, cause?: unknown): SkillSearchError {
  const names = NAMED_NETWORKS.join(', ');
  const expected = `a number of hops, or addresses, networks (10.0.0.0/8) or ${names}`;
  const message = `trustProxy must be ${expected}, got ${JSON.stringify(got)}`;
  return new SkillSearchError('INVALID_OPTION', message, { cause });
}
