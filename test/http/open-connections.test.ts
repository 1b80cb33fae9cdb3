import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ConnectionLimits, OpenConnections, SERVER_LIMITS } from '../../src/http/open-connections.js';

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

describe('where there may be three connections', () => {
  test('a fourth takes the place of the one that has been silent for the longest time', async () => {
    const { open, ask } = await started({ connections: 3 });
    const [first, second, third] = [await open(), await open(), await open()];
    await ask(first);
    const fourth = await open();
    await closed(second);
    for (const one of [first, third, fourth]) expect(await ask(one)).toContain('200 OK');
  });

  test('and all are being answered, a fourth is closed', async () => {
    const { open, ask, hold, answerAll } = await started({ connections: 3 });
    hold();
    const busy = [await open(), await open(), await open()];
    const answers = busy.map(ask);
    await answerAll.when(3);
    await closed(await open());
    answerAll();
    for (const answer of await Promise.all(answers)) expect(answer).toContain('200 OK');
    expect(await ask(await open())).toContain('200 OK');
  });

  test('and none is idle, a fourth takes the place of the one whose answer has not been read for longest', async () => {
    const { open, ask, hold, answerAll, size } = await started({ connections: 3 });
    size.bytes = 20_000_000;
    const unread = [await open(), await open()];
    for (const one of unread) {
      one.pause();
      one.write(REQUEST);
      await once(one, 'written');
    }
    size.bytes = 10;
    hold();
    const busy = await open();
    const answer = ask(busy);
    await answerAll.when(3);
    const fourth = await open();
    unread[0]?.resume();
    await closed(unread[0]!);
    answerAll();
    expect(await answer).toContain('200 OK');
    expect(await ask(fourth)).toContain('200 OK');
    expect(unread[1]?.closed).toBe(false);
  });
});

describe('where each address may have two connections', () => {
  const limits = { connections: 6, perAddress: 2 };

  test('a third takes the place of an idle one of the same address, and others keep theirs', async () => {
    const { open, ask } = await started(limits);
    const other = await open('127.0.0.2');
    const [first, second, third] = [await open(), await open(), await open()];
    await closed(first);
    for (const one of [other, second, third]) expect(await ask(one)).toContain('200 OK');
  });

  test('and both are being answered, a third is closed, and that of another address is not', async () => {
    const { open, ask, hold, answerAll } = await started(limits);
    hold();
    const answers = [await open(), await open()].map(ask);
    await answerAll.when(2);
    await closed(await open());
    const other = ask(await open('127.0.0.2'));
    await answerAll.when(3);
    answerAll();
    for (const answer of await Promise.all([...answers, other])) expect(answer).toContain('200 OK');
    // Those that were closed count no more.
    for (let i = 0; i < 10; i++) expect(await ask(await open())).toContain('200 OK');
  });

  test('an exempt address may have more', async () => {
    const { open, ask } = await started({ ...limits, isExempt: (address) => address === '127.0.0.1' });
    const many = await Promise.all(Array.from({ length: 6 }, () => open()));
    for (const one of many) expect(await ask(one)).toContain('200 OK');
  });
});

describe('what is held for clients', () => {
  test('is at most as much as the limit: beyond, the connection with most of it is closed', async () => {
    const held = 100_000_000 + 4 * SERVER_LIMITS.requestBytes;
    const { open, ask, size } = await started({ held });
    const unread = [await open(), await open(), await open()];
    // More than the system takes for a client that does not read.
    for (const [i, bytes] of [20_000_000, 40_000_000, 30_000_000].entries()) {
      size.bytes = bytes;
      unread[i]?.pause().write(REQUEST);
      await once(unread[i]!, 'written');
    }
    size.bytes = 10_000_000;
    const reading = await open();
    expect(await ask(reading)).toContain('200 OK');
    size.bytes = 20_000_000;
    const more = await open();
    more.pause().write(REQUEST);
    await once(more, 'written');
    unread[1]?.resume();
    await closed(unread[1]!);
    expect([unread[0]?.closed, unread[2]?.closed, more.closed]).toEqual([false, false, false]);
  });

  test('counts requests that wait, too', async () => {
    const { open, ask, hold, answerAll } = await started({ held: 10 * SERVER_LIMITS.requestBytes });
    hold();
    const many = await open();
    many.write(REQUEST.repeat(8));
    await answerAll.when(8);
    const few = await open();
    const answer = ask(few);
    await answerAll.when(9);
    const last = await open();
    last.write(REQUEST.repeat(2));
    await closed(many);
    answerAll();
    expect(await answer).toContain('200 OK');
  });
});

/** A server whose answers have a size, and can be held back. */
async function started(given: Partial<ConnectionLimits>) {
  const size = { bytes: 10 };
  const server = createServer({ keepAliveTimeout: 0 });
  const none = { perAddress: 0, perSecond: 0, held: Number.MAX_SAFE_INTEGER, isExempt: () => false };
  const limits = { connections: 100, ...none, ...given };
  const connections = new OpenConnections(server, limits);
  const clients = new Map<number, Socket>();
  const waiting: (() => void)[] = [];
  let isHeld = false;
  let asked = 0;
  server.on('request', ({ socket }, response: ServerResponse) => {
    connections.arrived(socket);
    connections.started(socket);
    const { bytes } = size;
    response.once('close', () => connections.ended(socket, bytes));
    const answer = (): void => {
      response.end(Buffer.alloc(bytes, 'x'));
      connections.answered(socket, bytes);
      clients.get(socket.remotePort!)?.emit('written');
    };
    asked += 1;
    if (isHeld) waiting.push(answer);
    else answer();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const client of clients.values()) client.destroy();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const open = async (localAddress = '127.0.0.1'): Promise<Socket> => {
    const accepted = once(server, 'connection');
    const client = connect({ port, host: '127.0.0.1', localAddress });
    client.on('error', () => {});
    await Promise.all([once(client, 'connect'), accepted]);
    clients.set(client.localPort!, client);
    return client;
  };
  const ask = async (client: Socket): Promise<string> => {
    let text = '';
    let received = 0;
    const end = new Promise<void>((resolve) => {
      client.on('data', (chunk: Buffer) => {
        received += chunk.length;
        if (text.length < 1000) text += chunk;
        if (received - text.indexOf('\r\n\r\n') - 4 >= Number(/content-length: (\d+)/i.exec(text)?.[1])) resolve();
      });
      client.once('close', () => resolve());
    });
    client.write(REQUEST);
    await end;
    return text;
  };
  const answerAll = Object.assign(
    () => {
      isHeld = false;
      for (const answer of waiting.splice(0)) answer();
    },
    {
      /** Waits until so many requests have come. */
      when: async (count: number) => {
        while (asked < count) await new Promise(setImmediate);
      },
    },
  );
  const hold = (): void => {
    isHeld = true;
  };
  return { open, ask, size, answerAll, hold };
}

async function closed(client: Socket): Promise<void> {
  client.resume();
  if (!client.closed) await once(client, 'close');
}
