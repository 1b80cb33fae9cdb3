import { createServer } from 'node:net';

/** Ports of this machine that nobody listens at. */
export async function freePorts(count: number): Promise<number[]> {
  const listening = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  const ports = listening.map((server) => (server.address() as { readonly port: number }).port);
  await Promise.all(listening.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
