import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A function from a request to its answer, served at an address. For programs that need one. */
export async function serveFetch(fetch: (request: Request) => Promise<Response>): Promise<string> {
  const server: Server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { method = 'GET', headers, url = '/' } = incoming;
    const body = method === 'GET' || method === 'HEAD' ? undefined : Buffer.concat(chunks);
    const gone = new AbortController();
    outgoing.on('close', () => gone.abort());
    const request = new Request(`http://127.0.0.1${url}`, {
      ...{ method, signal: gone.signal },
      headers: Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]),
      ...(body === undefined ? {} : { body }),
    });
    const answer = await fetch(request);
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const chunk of answer.body ?? []) outgoing.write(chunk);
    outgoing.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}
