import { isIPv4, isIPv6 } from 'node:net';

/**
 * What anonymous requests of an address are counted under: an IPv4 address as it is, an IPv6 address as its /64, since
 * whoever has one of those addresses mostly has all. An IPv4 address inside an IPv6 one is the IPv4 address.
 *
 * @param address of a socket or from a proxy; anything else than an address is one client, `unknown`
 */
export function clientOfAddress(address: string | undefined): string {
  const plain = plainAddress(address);
  if (plain === undefined) return 'unknown';
  return isIPv4(plain) ? plain : `${groupsOf(plain).slice(0, 4).join(':')}::/64`;
}

/** For a log: the first three bytes of an IPv4 address, the first 48 bits of an IPv6 one. */
export function shortenAddress(address: string | undefined): string {
  const plain = plainAddress(address);
  if (plain === undefined) return 'unknown';
  if (isIPv4(plain)) return plain.replace(/\d+$/, '0');
  return `${groupsOf(plain).slice(0, 3).join(':')}::`;
}

/** An address without zone, and as IPv4 where it is one inside IPv6; undefined where the text is none. */
function plainAddress(address: string | undefined): string | undefined {
  const text = address?.replace(/%.*$/, '') ?? '';
  if (isIPv4(text)) return text;
  if (!isIPv6(text)) return undefined;
  const groups = groupsOf(text);
  const isMapped = groups.slice(0, 5).every((group) => group === '0') && groups[5] === 'ffff';
  if (!isMapped) return text;
  const [high, low] = groups.slice(6).map((group) => Number.parseInt(group, 16)) as [number, number];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The eight groups of a valid IPv6 address, in lower case and without leading zeros. */
function groupsOf(address: string): string[] {
  // The URL parser knows all ways to write one, and gives the shortest: `1:0:0:2::`.
  const shortest = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = shortest.split('::');
  const left = head === '' ? [] : head.split(':');
  if (tail === undefined) return left;
  const right = tail === '' ? [] : tail.split(':');
  return [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
}
