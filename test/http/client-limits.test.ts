import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { SERVER_LIMITS, startServer } from '../../src/http/index.js';
import { codeOf } from '../error-code.js';
import { row } from '../rows.js';
import { HEALTH, keyword, searchOver, started } from './ask.js';
import { answered, request, Wire, type WireReply } from './wire.js';

/** Ten may be done at once, and one a second: no test takes so long. */
const TEN = 1;
/** What costs little, and what is not there. */
const ASKED = [HEALTH, '/nowhere', '/', keyword({ q: 'kite' }), '/skills/a', '/openapi.json', '/robots.txt'];

describe('requests of an address', () => {
  test('count at every path, are refused beyond the limit, and close the connection; others are answered', async () => {
    const { server, events } = await started({ pages: true, requestsPerSecond: TEN });
    const wire = await Wire.open(server.port);
    const paths = Array.from({ length: 40 }, (_, i) => ASKED[i % ASKED.length]!);
    wire.send(
      paths
        .map((path) => request(path))
        .join('')
        .replace('GET', 'OPTIONS'),
    );
    for (const [i, path] of paths.slice(0, 10).entries()) {
      const { status } = answered(await wire.reply(i === 0 ? 'OPTIONS' : 'GET'));
      expect(status, path).toBe(i === 0 ? 204 : path === '/nowhere' ? 404 : 200);
    }
    const refused = answered(await wire.reply());
    expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('connection')]).toEqual([
      429,
      '1',
      'close',
    ]);
    expect(JSON.parse(refused.body)).toMatchObject({ success: false, error: { code: 'RATE_LIMIT_EXCEEDED' } });
    expect(await wire.reply()).toBe('closed');
    // What came behind it was not even read.
    expect(events).toHaveLength(11);

    const other = await Wire.open(server.port, '127.0.0.2');
    expect(answered(await other.send(request(HEALTH)).reply()).status).toBe(200);
  });

  test('are those of each client of a trusted proxy, whose connection stays', async () => {
    const { server, events } = await started({ requestsPerSecond: TEN, connectionsPerSecond: TEN, trustProxy: 1 });
    const wire = await Wire.open(server.port);
    const from = (client: string): string => request(HEALTH, 'Host: localhost', `X-Forwarded-For: ${client}`);
    wire.send(from('2001:db8::1').repeat(12) + from('2001:db8::2') + from('203.0.113.9'));
    const statuses = [];
    for (let i = 0; i < 14; i++) statuses.push(answered(await wire.reply()).status);
    expect(statuses).toEqual([...Array(10).fill(200), 429, 429, 429, 200]);
    expect(events.filter((event) => 'status' in event && event.status === 429)).toMatchObject(
      Array.from({ length: 3 }, () => ({ client: '2001:db8:0::' })),
    );
    for (let i = 0; i < 20; i++) {
      const one = await Wire.open(server.port);
      expect(answered(await one.send(from(`203.0.113.${i}`)).reply()).status).toBe(200);
    }
  });
});

const most = SERVER_LIMITS.pipelined + SERVER_LIMITS.waiting;

test('requests that a client sends ahead are answered up to 116, and the next is refused, closes the connection, and is the last that is read', async () => {
  const { server, events } = await started({ requestsPerSecond: 0 });
  expect(most).toBe(116);
  for (const sent of [most, most + 1, 600]) {
    events.length = 0;
    const wire = await Wire.open(server.port);
    wire.send(request('/nowhere').repeat(sent));
    for (let i = 0; i < most; i++) expect(answered(await wire.reply()).status).toBe(404);
    if (sent === most) {
      expect(answered(await wire.send(request(HEALTH)).reply()).status).toBe(200);
      continue;
    }
    expect(answered(await wire.reply()).status).toBe(429);
    expect(await wire.reply()).toBe('closed');
    expect(events).toHaveLength(most + 1);
  }
});

test('a connection is closed by the answer to its last request, 10,000 of them', { timeout: 60_000 }, async () => {
  const { server } = await started({ requestsPerSecond: 0 });
  const wire = await Wire.open(server.port);
  let last: WireReply | undefined;
  for (let sent = 0; sent < SERVER_LIMITS.requests; sent += 100) {
    expect(last?.headers.get('connection')).not.toBe('close');
    wire.send(request('/nowhere').repeat(100));
    for (let i = 0; i < 100; i++) last = answered(await wire.reply());
  }
  expect(last?.headers.get('connection')).toBe('close');
  expect(await wire.reply()).toBe('closed');
});

test('new connections of an address are closed beyond the limit, and those of others are not', async () => {
  const { server } = await started({ connectionsPerSecond: TEN });
  const wires = await Promise.all(Array.from({ length: 30 }, () => Wire.open(server.port, '127.0.0.2')));
  const replies = await Promise.all(wires.map((wire) => wire.send(request(HEALTH)).reply()));
  const count = replies.filter((reply) => reply !== 'closed').length;
  // One more for each second that this takes.
  expect([count >= 10, count < 20]).toEqual([true, true]);
  const other = await Wire.open(server.port, '127.0.0.3');
  expect(answered(await other.send(request(HEALTH)).reply()).status).toBe(200);
});

test('the connection that was silent longest makes room for one beyond all that there may be', async () => {
  vi.spyOn(SERVER_LIMITS, 'connections', 'get').mockReturnValue(3);
  onTestFinished(() => void vi.restoreAllMocks());
  const { server } = await started();
  const wires: Wire[] = [];
  for (let i = 0; i < 4; i++) {
    const wire = await Wire.open(server.port);
    expect(answered(await wire.send(request(HEALTH)).reply()).status).toBe(200);
    wires.push(wire);
  }
  expect(await wires.shift()!.reply()).toBe('closed');
  for (const wire of wires) expect(answered(await wire.send(request(HEALTH)).reply()).status).toBe(200);
});

test.each(['connectionsPerSecond', 'requestsPerSecond'])('%s is an integer from 0', async (name) => {
  const search = await searchOver([row('a')]);
  for (const value of [-1, 0.5, '5']) {
    expect(await codeOf(() => startServer(search, { port: 0, [name]: value }))).toBe('INVALID_OPTION');
  }
});
