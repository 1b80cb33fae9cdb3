import { createServer } from 'node:http';
import { listenAt } from './listen-at.js';
import type { ServerMetrics } from './server-metrics.js';

/** A server of metrics that runs. */
export interface MetricsServer {
  readonly port: number;
  /** Where this machine reaches the metrics. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves metrics at `/metrics`, at a port of their own: they are not for clients of the service.
 *
 * @throws {SkillSearchError} `ADDRESS_NOT_AVAILABLE` where it cannot listen
 */
export async function startMetricsServer(metrics: ServerMetrics, host: string, port: number): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || request.url?.split('?', 1)[0] !== '/metrics') {
      response.writeHead(isRead ? 404 : 405, isRead ? {} : { Allow: 'GET, HEAD' }).end();
      return;
    }
    metrics.text().then(
      (text) => response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  const listening = await listenAt(server, host, port);
  return {
    port: listening.port,
    url: `${listening.url}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
