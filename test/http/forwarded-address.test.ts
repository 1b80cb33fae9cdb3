import { describe, expect, test } from 'vitest';
import type { Access } from '../../src/access/index.js';
import { createHandler, type HandlerOptions } from '../../src/http/index.js';
import { codeOf } from '../error-code.js';
import { row } from '../rows.js';
import { accessOf, askerOf, keyword, quotaOf, searchOver, serve } from './ask.js';

const SKILLS = [row('kite')];

/** An anonymous request: address of the connection, and what `X-Forwarded-For` says. */
type From = readonly [address: string | undefined, forwarded?: string];

/** Whose counter each request was counted on: requests of one client have the same number, from 0 by first use. */
async function clientsOf(trustProxy: HandlerOptions['trustProxy'], requests: readonly From[]): Promise<number[]> {
  const access = accessOf();
  const names: string[] = [];
  const identify: Access['identify'] = (...given) => {
    const client = access.identify(...given);
    names.push(client.name);
    return client;
  };
  const counted = { identify, admit: access.admit.bind(access), check: () => {} } as unknown as Access;
  const ask = askerOf(createHandler(await searchOver([]), { trustProxy, access: counted }));
  for (const [address, forwarded] of requests) {
    const headers = forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded };
    await ask(keyword({ q: 'kite' }), { address, headers });
  }
  const distinct = [...new Set(names)];
  return names.map((name) => distinct.indexOf(name));
}

test('a client without key is its address, of IPv6 the first 64 bits, and one with all others of whom none is known', async () => {
  const ipv4: From[] = [['192.0.2.1'], ['::ffff:192.0.2.1'], ['192.0.2.12']];
  const ipv6: From[] = [['2001:db8:1:2::1'], ['2001:db8:1:2:ffff:ffff:ffff:ffff'], ['2001:db8:1:3::1']];
  const unknown: From[] = [[undefined], ['nonsense'], ['']];
  expect(await clientsOf(undefined, [...ipv4, ...ipv6, ...unknown])).toEqual([0, 0, 1, 2, 2, 3, 4, 4, 4]);
});

describe('X-Forwarded-For', () => {
  test('is not believed without trustProxy, nor with none or no hops', async () => {
    for (const trustProxy of [undefined, 0, []]) {
      expect(
        await clientsOf(trustProxy, [
          ['127.0.0.1'],
          ['127.0.0.1', '192.0.2.1'],
          ['127.0.0.1', '192.0.2.2, 10.0.0.1'],
          ['10.0.0.1', '192.0.2.1'],
        ]),
      ).toEqual([0, 0, 0, 1]);
    }
  });

  test('tells the client of one hop: what the client wrote itself is never reached', async () => {
    expect(
      await clientsOf(1, [
        ['10.0.0.1', '192.0.2.1'],
        ['10.0.0.1', '198.51.100.1, 192.0.2.1'],
        ['10.0.0.1', '198.51.100.2,198.51.100.3 ,  192.0.2.1 '],
        ['10.0.0.9', '192.0.2.1'],
        ['192.0.2.1'],
        ['10.0.0.1', '192.0.2.1, 198.51.100.1'],
      ]),
    ).toEqual([0, 0, 0, 0, 0, 1]);
  });

  test('tells the client of two hops', async () => {
    expect(
      await clientsOf(2, [
        ['10.0.0.1', '192.0.2.1, 10.0.0.2'],
        ['10.0.0.1', '198.51.100.1, 192.0.2.1, 10.0.0.3'],
        // A list shorter than the hops is read to its beginning.
        ['10.0.0.1', '192.0.2.1'],
        ['10.0.0.1', '198.51.100.1, 10.0.0.2'],
      ]),
    ).toEqual([0, 0, 0, 1]);
  });

  test('is read as far as the hops are in the networks that are named', async () => {
    const trust = ['10.0.0.0/8', '2001:db8:ffff::/48', '203.0.113.7'];
    expect(
      await clientsOf(trust, [
        ['192.0.2.1'],
        ['10.1.2.3', '192.0.2.1'],
        ['10.1.2.3', '198.51.100.9, 192.0.2.1, 10.255.0.1, 203.0.113.7'],
        ['2001:db8:ffff:1::5', '192.0.2.1'],
        ['203.0.113.7', '192.0.2.1'],
        ['::ffff:10.1.2.3', '192.0.2.1'],
        // Not trusted: these are clients themselves.
        ['203.0.113.8', '192.0.2.1'],
        ['11.0.0.1', '192.0.2.1'],
        ['2001:db8:fffe::5', '192.0.2.1'],
      ]),
    ).toEqual([0, 0, 0, 0, 0, 0, 1, 2, 3]);
  });

  test.each<[string, string[], string[]]>([
    ['loopback', ['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'], ['128.0.0.1', '::2', '10.0.0.1']],
    [
      'linklocal',
      ['169.254.1.1', 'fe80::1', 'fe80::1%eth0', 'fe80::1%br-lan', 'fe80::1%eth0.100', 'febf::1'],
      ['169.253.1.1', 'fec0::1'],
    ],
    [
      'uniquelocal',
      ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1'],
      ['172.32.0.1', '192.169.0.1', '11.0.0.1', 'fe00::1', '127.0.0.1'],
    ],
  ])('is believed of %s by that name', async (name, trusted, others) => {
    for (const address of trusted) {
      expect(await clientsOf([name], [['192.0.2.1'], [address, '192.0.2.1']]), address).toEqual([0, 0]);
    }
    for (const address of others) {
      expect(await clientsOf([name], [['192.0.2.1'], [address, '192.0.2.1']]), address).toEqual([0, 1]);
    }
  });

  test('may have ports and brackets, and IPv6 addresses, of which the first 64 bits count', async () => {
    expect(
      await clientsOf(1, [
        ['10.0.0.1', '192.0.2.1'],
        ['10.0.0.1', '192.0.2.1:4711'],
        ['10.0.0.1', '::ffff:192.0.2.1'],
        ['10.0.0.1', '2001:db8:1:2::1'],
        ['10.0.0.1', '[2001:db8:1:2::77]:4711'],
        ['10.0.0.1', '[2001:db8:1:2::78]'],
        ['10.0.0.1', '2001:db8:1:3::1'],
      ]),
    ).toEqual([0, 0, 0, 1, 1, 1, 2]);
  });

  test('that is no address is not believed: the last hop that is known stands', async () => {
    const words = ['unknown', '', ' , ', '_hidden', '192.0.2', '192.0.2.256', 'example.org', '[::', '1:2:3'];
    for (const forwarded of words) {
      const from: From[] = [['10.0.0.1'], ['10.0.0.1', forwarded], ['10.0.0.1', `192.0.2.1, ${forwarded}`]];
      expect(await clientsOf(2, from), forwarded).toEqual([0, 0, 0]);
    }
  });

  test.each(['Forwarded', 'X-Real-IP', 'CF-Connecting-IP', 'True-Client-IP'])(
    'is the only header that is believed: %s is not',
    async (header) => {
      const { ask } = await serve(SKILLS, { trustProxy: 1, quotas: { anonymous: { daily: 9 } } });
      const how = {
        address: '192.0.2.1',
        headers: { [header]: header === 'Forwarded' ? 'for=198.51.100.1' : '198.51.100.1' },
      };
      expect(quotaOf(await ask(keyword({ q: 'kite' }), { address: '192.0.2.1' }))).toEqual(['9', '8']);
      expect(quotaOf(await ask(keyword({ q: 'kite' }), how))).toEqual(['9', '7']);
    },
  );
});

const WRONG: readonly unknown[] = [
  ...[-1, 1.5, Number.NaN, 'loopback', true, ['everybody'], [''], ['10.0.0.0/33'], ['10.0.0.0/'], ['::/129'], ['10']],
  ...[['1', 'loopback'], ['010.0.0.1'], ['10.0.0.0/255.0.0.0'], [1], [null]],
];
test.each(WRONG.map((trustProxy) => [trustProxy] as const))(
  'trustProxy is refused as %j when the service is made',
  async (trustProxy) => {
    const search = await searchOver([]);
    const options = { trustProxy } as unknown as HandlerOptions;
    expect(await codeOf(() => createHandler(search, options))).toBe('INVALID_OPTION');
  },
);
