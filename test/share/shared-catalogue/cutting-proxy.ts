import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Stands before a server of PostgreSQL, and can cut all connections at one message of a client. */
export interface CuttingProxy {
  /** The address that leads through it. */
  readonly address: string;
  /** Cuts all connections, for good, in place of the message after so many more. */
  cutAfter(messages: number): void;
  readonly isCut: boolean;
}

export async function cuttingProxy(address: string): Promise<CuttingProxy> {
  const port = Number(/:(\d+)\/[^/]*$/.exec(address)![1]);
  const sockets = new Set<Socket>();
  let left = Number.POSITIVE_INFINITY;
  let isCut = false;
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    if (isCut) client.destroy();
    client.on('data', (bytes) => {
      if (left-- > 0) upstream.write(bytes);
      else {
        isCut = true;
        for (const socket of sockets) socket.destroy();
      }
    });
    upstream.on('data', (bytes) => void client.write(bytes));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server, 'listening');
  const own = (server.address() as { readonly port: number }).port;
  return {
    address: address.replace(`:${port}/`, `:${own}/`),
    cutAfter: (messages) => {
      left = messages;
    },
    get isCut() {
      return isCut;
    },
  };
}
