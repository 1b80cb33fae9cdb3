import { BlockList, isIP, isIPv6 } from 'node:net';
import { SkillSearchError } from '../index.js';
import type { Call } from './call.js';

/** Names for what is often trusted. */
const NAMED_NETWORKS: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Whether the hop of an address, the n-th from here, is trusted to tell who is behind it. */
export type TrustedHops = (address: string, n: number) => boolean;

/**
 * Which proxies are trusted.
 *
 * @param trust how many hops, or addresses, networks (`10.0.0.0/8`) and names (`loopback`, `linklocal`, `uniquelocal`)
 * @throws {SkillSearchError} `INVALID_OPTION`
 */
export function resolveTrustedHops(trust: number | readonly string[] | undefined): TrustedHops {
  if (trust === undefined) return () => false;
  if (typeof trust === 'number') {
    if (!Number.isInteger(trust) || trust < 0) throw invalidTrust(String(trust));
    return (_, n) => n < trust;
  }
  if (!Array.isArray(trust)) throw invalidTrust(String(trust));
  const networks = new BlockList();
  for (const name of trust.flatMap((one) => NAMED_NETWORKS[one] ?? [one])) addNetwork(networks, name);
  return (address) => networks.check(address, familyOf(address));
}

/**
 * The address of the client: that of the connection, or, as far as the hops to it are trusted, what they say in
 * `X-Forwarded-For`. Every proxy adds what it sees at the end, so the list is read from there.
 */
export function addressOfClient(call: Call, isTrusted: TrustedHops): string | undefined {
  let { address } = call;
  if (address === undefined) return undefined;
  const forwarded = call.header('x-forwarded-for')?.split(',') ?? [];
  for (let n = 0; forwarded.length > 0 && isTrusted(withoutPrefix(address), n); n++) {
    const next = withoutPort((forwarded.pop() as string).trim());
    // What is no address was not written by a proxy: the last that is known stands.
    if (isIP(next) === 0) break;
    address = next;
  }
  return address;
}

function addNetwork(networks: BlockList, name: string): void {
  const [address = '', bits, ...more] = String(name).split('/');
  if (isIP(address) === 0 || more.length > 0) throw invalidTrust(name);
  const family = familyOf(address);
  const longest = family === 'ipv6' ? 128 : 32;
  const length = bits === undefined ? longest : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  if (!(length <= longest)) throw invalidTrust(name);
  networks.addSubnet(address, length, family);
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

/** An address without zone; an IPv4 address that a socket for both kinds tells as IPv6 (`::ffff:10.0.0.1`) as IPv4. */
function withoutPrefix(address: string): string {
  return address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}

/** Some proxies add the port: `203.0.113.7:4711`, `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}

function invalidTrust(got: string): SkillSearchError {
  return new SkillSearchError(
    'INVALID_OPTION',
    `trustProxy must be a number of hops, or addresses, networks (10.0.0.0/8) or ${Object.keys(NAMED_NETWORKS).join(', ')}, got ${JSON.stringify(got)}`,
  );
}
