import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientOfAddress, shortenAddress } from '../../src/access/client-address.js';

describe('the client of an address', () => {
  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['0.0.0.0', '0.0.0.0'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
  ])('of %s is %s', (address, client) => {
    expect(clientOfAddress(address)).toBe(client);
  });

  test('is the same for all addresses of an IPv6 /64, and another for the next', () => {
    const word = fc.integer({ min: 0, max: 0xffff });
    const half = fc.tuple(word, word, word, word);
    fc.assert(
      fc.property(half, half, half, fc.nat(3), (network, one, other, changed) => {
        const address = (...groups: number[][]) => groups.flat().map(hex).join(':');
        fc.pre(!isMapped([...network, ...one]) && !isMapped([...network, ...other]));
        const client = clientOfAddress(address(network, one));
        expect(clientOfAddress(address(network, other))).toBe(client);

        const next = network.map((group, i) => (i === changed ? group ^ 1 : group));
        expect(clientOfAddress(address(next, one))).not.toBe(client);
      }),
    );
  });

  test('does not depend on how an IPv6 address is written', () => {
    const same = [
      '2001:db8:0:0:1:0:0:1',
      '2001:DB8::1:0:0:1',
      '2001:0db8:0000:0000:0001:0000:0000:0001',
      '2001:db8::1:0:0:1%3',
      '2001:db8:0:0:1::1',
      '2001:db8:0:0:1:0:0.0.0.1',
    ];
    expect(same.map(clientOfAddress)).toEqual(same.map(() => '2001:db8:0:0::/64'));
  });

  test('is never unknown for an IPv6 address, however it is written', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        expect(clientOfAddress(address)).toMatch(/^[0-9a-f]{1,4}(:[0-9a-f]{1,4}){3}::\/64$|^\d+(\.\d+){3}$/);
        expect(clientOfAddress(address.toUpperCase())).toBe(clientOfAddress(address));
      }),
    );
  });

  test('of an IPv4 address inside an IPv6 one is the IPv4 address', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number];
        const groups = `${hex(a * 256 + b)}:${hex(c * 256 + d)}`;
        for (const mapped of [
          `::ffff:${address}`,
          `::FFFF:${address}`,
          `::ffff:${groups}`,
          `0:0:0:0:0:ffff:${groups}`,
          `0000:0000:0000:0000:0000:ffff:${address}`,
        ]) {
          expect(clientOfAddress(mapped)).toBe(address);
        }
      }),
    );
  });

  test('inside any other IPv6 address is not taken for one', () => {
    for (const address of ['::192.0.2.1', '::fffe:192.0.2.1', '1::ffff:192.0.2.1', '::ffff:0:192.0.2.1']) {
      expect(clientOfAddress(address)).toMatch(/::\/64$/);
    }
  });

  test.each([
    undefined,
    '',
    'unknown',
    'localhost',
    '203.0.113',
    '203.0.113.256',
    '203.0.113.09',
    '203.0.113.9:80',
    '[::1]',
    ' ::1',
    '1:2:3',
    ':::',
    '2001:db8::/64',
    'key:1',
    '::1]/../../[::2',
  ])('is one and the same for %j, which is no address', (address) => {
    expect(clientOfAddress(address)).toBe('unknown');
  });

  test('can never be that of a key', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.constantFrom('key:1', 'key:2%1')), (address) => {
        expect(clientOfAddress(address)).not.toMatch(/^key:/);
      }),
    );
  });
});

describe('an address in a log', () => {
  test.each([
    ['203.0.113.9', '203.0.113.0'],
    ['203.0.113.255', '203.0.113.0'],
    ['::ffff:203.0.113.9', '203.0.113.0'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::'],
    ['2001:db8::1%eth0', '2001:db8:0::'],
    ['::1', '0:0:0::'],
    ['somewhere', 'unknown'],
    [undefined, 'unknown'],
  ])('%j is written as %s', (address, written) => {
    expect(shortenAddress(address)).toBe(written);
  });
});

function hex(group: number): string {
  return group.toString(16);
}

function isMapped(groups: readonly number[]): boolean {
  return groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
}
