import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { LineTransport, STDIO_LIMITS } from '../../src/mcp/stdio.js';

type Message = { readonly id?: unknown; readonly method?: string; readonly error?: { readonly code: number } };

afterEach(() => vi.useRealTimers());

/** A transport between two streams, and what came through. */
async function start(output: PassThrough | Writable = new PassThrough()) {
  const input = new PassThrough();
  const transport = new LineTransport(input, output);
  const received: Message[] = [];
  transport.onmessage = (message) => received.push(message as Message);
  const closed = vi.fn();
  transport.onclose = closed;
  await transport.start();
  const sent = (): Message[] => {
    const text = String((output as PassThrough).read() ?? '');
    return (text.match(/.+/g) ?? []).map((line) => JSON.parse(line));
  };
  return { input, transport, received, closed, sent };
}

const ping = (id: unknown, more: object = {}) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping', ...more })}\n`;
const answer = (id: unknown): JSONRPCMessage => ({ jsonrpc: '2.0', id, result: {} }) as JSONRPCMessage;
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('messages', () => {
  test('arrive whole, however they are cut into pieces', async () => {
    const { input, received } = await start();
    const bytes = Buffer.from(`${ping(1, { params: { q: 'ü😀' } })}\r\n\n${ping('b')}`);
    for (const byte of bytes) input.write(Buffer.from([byte]));
    await turn();
    expect(received).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'ping', params: { q: 'ü😀' } },
      { jsonrpc: '2.0', id: 'b', method: 'ping' },
    ]);
  });

  test.each([
    ['{', undefined, -32700],
    ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', undefined, -32600],
    ['null', undefined, -32600],
    ['{"id":1,"method":"ping"}', 1, -32600],
    ['{"jsonrpc":"2.0","id":7}', 7, -32600],
    ['{"jsonrpc":"2.0","id":"a","method":3}', 'a', -32600],
    ['{"jsonrpc":"2.0","id":"a","method":"ping","params":[1]}', 'a', -32600],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', undefined, -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"resources/read"}', 1, -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', 1, -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":[]}}', 1, -32602],
  ])('of %s are refused, and the next one is answered', async (line, id, code) => {
    const { input, received, sent } = await start();
    input.write(`${line}\n${ping('next')}`);
    await turn();
    expect(sent()).toMatchObject([{ error: { code } }].map((one) => (id === undefined ? one : { ...one, id })));
    expect(received).toMatchObject([{ id: 'next' }]);
  });

  test('a line of more than 16 MiB is refused, and the next one is answered', async () => {
    const { input, received, sent } = await start();
    const longest = Buffer.alloc(STDIO_LIMITS.messageBytes, ' ');
    longest.write(ping('longest').trimEnd());
    input.write(Buffer.concat([longest, Buffer.from('\n')]));
    await turn();
    expect(received).toMatchObject([{ id: 'longest' }]);
    input.write(Buffer.concat([longest, Buffer.from(' \n')]));
    input.write(ping('next'));
    await turn();
    expect(sent()).toMatchObject([{ error: { code: -32600 } }]);
    expect(received.slice(1)).toMatchObject([{ id: 'next' }]);
  });

  test('an id that waits for its answer is not taken again', async () => {
    const { input, received, sent, transport } = await start();
    input.write(ping(1) + ping(1));
    await turn();
    expect(received.length).toBe(1);
    expect(sent()).toMatchObject([{ error: { code: -32600 } }]);
    await transport.send(answer(1));
    input.write(ping(1));
    await turn();
    expect(received.length).toBe(2);
  });
});

describe('work', () => {
  test('hundreds of requests at once are all answered, and the input waits meanwhile', async () => {
    const { input, received, transport, sent } = await start();
    // However many requests come in one piece.
    input.write(Array.from({ length: 150 }, (_, id) => ping(id)).join(''));
    for (let id = 150; id < 300; id++) input.write(ping(id, { params: { text: 'x'.repeat(2000) } }));
    await turn();
    const answered: unknown[] = [];
    expect(received.length).toBe(STDIO_LIMITS.pending);
    for (let i = 0; i < 300; i++) {
      await vi.waitUntil(() => received.length > i);
      void transport.send(answer(received[i]!.id));
      answered.push(...sent().map(({ id }) => id));
    }
    expect(answered).toEqual(Array.from({ length: 300 }, (_, i) => i));
  });

  test('nothing more is read while nobody reads the answers', async () => {
    const output = new PassThrough({ highWaterMark: 10 });
    const { input, received, transport } = await start(output);
    input.write(ping(1));
    await turn();
    void transport.send(answer(1));
    input.write(ping(2));
    await turn();
    expect(received.length).toBe(1);
    output.resume();
    await vi.waitUntil(() => received.length === 2);
  });

  test('a request that its client cancels is no longer waited for', async () => {
    const { input, closed } = await start();
    input.write(ping(1));
    input.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })}\n`);
    input.end();
    await vi.waitUntil(() => closed.mock.calls.length === 1);
  });
});

describe('a client that goes away', () => {
  test('still gets what it asked before its input ended', async () => {
    const { input, received, transport, closed, sent } = await start();
    input.end(ping(1).trimEnd());
    await once(input, 'end');
    await turn();
    expect([received.length, closed.mock.calls.length]).toEqual([1, 0]);
    await transport.send(answer(1));
    expect(sent()).toMatchObject([{ id: 1 }]);
    await vi.waitUntil(() => closed.mock.calls.length === 1);
  });

  test('does not wait without end for an answer when its input has ended', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { input, closed } = await start();
    input.end(ping(1));
    await once(input, 'end');
    await turn();
    vi.advanceTimersByTime(STDIO_LIMITS.drainTime - 1);
    expect(closed).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(closed).toHaveBeenCalledOnce();
  });

  test('and reads no more ends the connection', async () => {
    const broken = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
    const { input, transport, closed } = await start(broken);
    input.write(ping(1));
    await turn();
    void transport.send(answer(1));
    await vi.waitUntil(() => closed.mock.calls.length === 1);
    await expect(transport.send(answer(2))).rejects.toThrow('gone');
  });
});
