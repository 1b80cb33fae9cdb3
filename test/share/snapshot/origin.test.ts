import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { digestOf } from '../../../src/share/snapshot/manifest.js';
import { Origin } from '../../../src/share/snapshot/origin.js';
import { scratchFolder } from '../../scratch-folder.js';
import { serveFolder } from './snapshot-server.js';

const CHUNK = Buffer.alloc(200_000, 7);
const signal = new AbortController().signal;

describe('what a server of a snapshot does wrong is said in a sentence', () => {
  test('an answer that trickles is given up, and asked for once more', async () => {
    let asked = 0;
    const origin = await originThat((response) => {
      asked += 1;
      const timer = setInterval(() => response.write('a'), 10);
      response.on('close', () => clearInterval(timer));
    });
    const fetching = origin.chunk(digestOf(CHUNK), CHUNK.length, signal);
    await expect(fetching).rejects.toMatchObject({
      code: 'SNAPSHOT_NOT_AVAILABLE',
      message: expect.stringMatching(
        /^cannot fetch the snapshot at \S+: (nothing|only \d+ bytes?) came within 0\.2 seconds$/,
      ),
    });
    expect(asked).toBe(2);
  });

  test('a server that never answers is asked twice for a chunk, and once for the manifest', async () => {
    let asked = 0;
    const origin = await originThat(() => {
      asked += 1;
    });
    await expect(origin.chunk(digestOf(CHUNK), CHUNK.length, signal)).rejects.toThrow('nothing came within');
    expect(asked).toBe(2);
    await expect(origin.manifest(undefined, signal)).rejects.toThrow('nothing came within');
    expect(asked).toBe(3);
  });

  test('an answer that is compressed though it was asked not to be', async () => {
    const origin = await originThat((response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('{}'));
    });
    await expect(origin.manifest(undefined, signal)).rejects.toThrow(
      'sends it compressed, with Content-Encoding: gzip',
    );
  });

  test('an answer that breaks off', async () => {
    const origin = await originThat((response) => {
      response.writeHead(200, { 'Content-Length': '1000' }).write('{');
      setTimeout(() => response.destroy(), 50);
    });
    await expect(origin.manifest(undefined, signal)).rejects.toThrow(': the connection broke off');
  });

  test.each([
    ['https', 'HTTP/1.1 400 Bad Request\r\n\r\n', 'does not speak https'],
    ['http', '\u0015\u0003\u0003\u0000\u0002\u0002\u0016', 'does not speak http:'],
  ])('%s asked of what speaks something else', async (scheme, answer, message) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(answer, 'latin1'));
    });
    const origin = originAt(`${scheme}://127.0.0.1:${await portOf(server)}/manifest.json`, 5000);
    await expect(origin.manifest(undefined, signal)).rejects.toThrow(message);
  });

  test('https that cannot agree on a cipher', async () => {
    // Without a certificate there is none.
    const server = createTlsServer({});
    server.on('tlsClientError', () => {});
    const origin = originAt(`https://127.0.0.1:${await portOf(server)}/manifest.json`, 5000);
    await expect(origin.manifest(undefined, signal)).rejects.toThrow(
      /: no TLS connection came about: [a-z0-9 /]*handshake failure$/,
    );
  });

  test('a port that nothing listens at', async () => {
    const server = createServer();
    const port = await portOf(server);
    server.close();
    await once(server, 'close');
    const origin = originAt(`http://localhost:${port}/manifest.json`, 5000);
    await expect(origin.manifest(undefined, signal)).rejects.toThrow('nothing listens there');
  });
});

test('an answer that comes fast enough is read to its end, though it takes long', async () => {
  const origin = await originThat(async (response) => {
    for (let i = 0; i < 20; i++) {
      response.write(CHUNK.subarray(i * 10_000, (i + 1) * 10_000));
      await wait(30);
    }
    response.end();
  });
  expect(await origin.chunk(digestOf(CHUNK), CHUNK.length, signal)).toEqual(CHUNK);
});

test('an answer that is being read ends with the reason of its signal', async () => {
  const reason = new Error('enough');
  const closing = new AbortController();
  const origin = await originThat((response) => {
    response.write('a');
    setTimeout(() => closing.abort(reason), 50);
  }, 5000);
  await expect(origin.chunk(digestOf(CHUNK), CHUNK.length, closing.signal)).rejects.toBe(reason);
});

/** @param time in which enough of an answer must come, in milliseconds */
async function originThat(answer: (response: ServerResponse) => void, time = 200): Promise<Origin> {
  const server = await serveFolder(scratchFolder());
  server.instead = (_, response) => {
    answer(response);
    return true;
  };
  return originAt(server.address, time);
}

function originAt(address: string, time: number): Origin {
  return new Origin(address, time);
}

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}
