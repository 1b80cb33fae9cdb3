import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A plain web server over a folder: it names the state of a file by its text, as `ETag`. */
export interface SnapshotServer {
  readonly address: string;
  /** The paths that were asked for, each with the status of its answer. */
  readonly asked: string[];
  /** What answers in place of the folder; undefined for the folder. Returns whether it has answered. */
  instead: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  stop(): Promise<void>;
}

export async function serveFolder(folder: string, port = 0): Promise<SnapshotServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    response.on('finish', () => asked.push(`${response.statusCode} ${path}`));
    if (served.instead?.(request, response) === true) return;
    readFile(join(folder, path)).then(
      (body) => {
        const tag = `"${createHash('sha256').update(body).digest('hex')}"`;
        const isKnown = request.headers['if-none-match'] === tag;
        response.writeHead(isKnown ? 304 : 200, { ETag: tag }).end(isKnown ? undefined : body);
      },
      () => response.writeHead(404).end(),
    );
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(stop);
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/manifest.json`;
  const served: SnapshotServer = { address, asked, instead: undefined, stop };
  return served;
}
