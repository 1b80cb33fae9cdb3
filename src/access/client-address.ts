import { isIPv4, isIPv6 } from 'node:net';

/**
 * The name under which anonymous requests of an address are counted: the address itself for IPv4, the /64 for IPv6. Who
 * has one address of a /64 usually has all of them. An IPv4 address mapped into IPv6 counts as IPv4.
 *
 * @param address of a socket or from a proxy; all texts that are no address are one client, `unknown`
 */
export function clientOfAddress(address: string | undefined): string {
  const plain = plainAddress(address);
  if (plain === undefined) return 'unknown';
  return isIPv4(plain) ? plain : `${groupsOf(plain).slice(0, 4).join(':')}::/64`;
}

/**
 * Shortens an IP address for a log, so that it does not identify a person: the first 24 bits of an IPv4 address, the
 * first 48 bits of an IPv6 address, `unknown` for any other text.
 *
 * @example
 * import { shortenAddress } from 'skill-discovery/access';
 *
 * console.log(shortenAddress('203.0.113.9')); // 203.0.113.0
 * console.log(shortenAddress('2001:db8:1:2::9')); // 2001:db8:1::
 */
export function shortenAddress(address: string | undefined): string {
  const plain = plainAddress(address);
  if (plain === undefined) return 'unknown';
  if (isIPv4(plain)) return plain.replace(/\d+$/, '0');
  return `${groupsOf(plain).slice(0, 3).join(':')}::`;
}

/** An address without its zone, mapped IPv4 (`::ffff:192.0.2.1`) as IPv4; undefined for a text that is no address. */
function plainAddress(address: string | undefined): string | undefined {
  const text = address?.replace(/%.*$/, '') ?? '';
  if (isIPv4(text)) return text;
  if (!isIPv6(text)) return undefined;
  const groups = groupsOf(text);
  const isMapped = groups.slice(0, 5).every((group) => group === '0') && groups[5] === 'ffff';
  if (!isMapped) return text;
  const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The eight groups of a valid IPv6 address, in lower case and without leading zeros. */
function groupsOf(address: string): string[] {
  // The URL parser understands all notations, and returns the shortest: `1:0:0:2::`.
  const shortest = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = shortest.split('::');
  const left = head === '' ? [] : head.split(':');
  if (tail === undefined) return left;
  const right = tail === '' ? [] : tail.split(':');
  return [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
}
