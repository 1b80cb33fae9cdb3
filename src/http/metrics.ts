import { createServer } from 'node:http';
import type * as PromClient from 'prom-client';
import { orMissing, orUndefined } from '../core/index.js';
import type { ReloadEvent, SkillSearch } from '../index.js';
import { listenAt, type RunningServer } from './http-server.js';
import type { LogEvent } from './log.js';
import { operationOf } from './routes.js';

/** What a server has done, for Prometheus. */
export interface ServerMetrics {
  /** Give it to the server as `log`, or call it from yours. */
  readonly log: (event: LogEvent) => void;
  /** Give it to `followCatalogue` as `onReload`, or call it from yours. */
  readonly onReload: (event: ReloadEvent) => void;
  /** The media type of {@link text}. */
  readonly contentType: string;
  /** The metrics in the text format of Prometheus. */
  text(): Promise<string>;
}

/** What is asked about when metrics are read. Each may come later, or never. */
export interface MeasuredParts {
  /** @returns the search that answers */
  readonly search?: () => SkillSearch | undefined;
  /** @returns the server that answers */
  readonly server?: () => RunningServer | undefined;
}

/** Upper bounds of the parts that latencies are counted in, in seconds. A keyword search takes about a millisecond. */
const LATENCIES = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Counts what a server does: requests by operation and status, their latency, reloads, age and size of the catalogue,
 * waiting requests, and memory, CPU time and event loop of the process. Names of clients, questions and paths are no
 * part of it.
 *
 * @throws {SkillSearchError} `METRICS_PACKAGE_MISSING` if prom-client is not installed
 * @example
 * const metrics = await openServerMetrics({ search: () => search });
 * const server = await startServer(search, { log: metrics.log });
 * console.log(await metrics.text());
 */
export async function openServerMetrics({ search, server }: MeasuredParts = {}): Promise<ServerMetrics> {
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await loadPromClient();
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  const requests = new Counter({
    ...{ registers, name: 'skill_discovery_requests_total', help: 'Answered requests.' },
    labelNames: ['operation', 'status'],
  });
  const seconds = new Histogram({
    ...{ registers, name: 'skill_discovery_request_duration_seconds', buckets: LATENCIES },
    help: 'Time from the arrival of a request until its answer is ready to send.',
    labelNames: ['operation'],
  });
  const reloads = new Counter({
    ...{ registers, name: 'skill_discovery_reloads_total', help: 'Times that a new state of the catalogue came.' },
    labelNames: ['result'],
  });
  for (const result of ['reloaded', 'failed']) reloads.inc({ result }, 0);
  const failures = new Counter({
    ...{ registers, name: 'skill_discovery_failures_total' },
    help: 'Errors whose details clients do not see.',
  });
  const gauge = (name: string, help: string, read: () => number | undefined): void => {
    new Gauge({
      ...{ registers, name: `skill_discovery_${name}`, help },
      collect() {
        // A search that is closed, or cannot be read now, has no figures; the others are still wanted.
        const value = orUndefined(read);
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  };
  const stats = (): ReturnType<SkillSearch['stats']> | undefined => search?.()?.stats();
  gauge('catalogue_skills', 'Skills of the catalogue that answers.', () => stats()?.skills);
  gauge('catalogue_vectors', 'Vectors of the catalogue that answers.', () => stats()?.vectors);
  gauge('catalogue_damaged_skills', 'Skills that no search finds because they are damaged.', () => {
    const now = stats();
    return now === undefined ? undefined : (now.damaged ?? 0);
  });
  gauge('catalogue_age_seconds', 'Time since the catalogue that answers was written.', () => {
    const writtenAt = stats()?.writtenAt;
    return writtenAt === undefined ? undefined : Math.max(0, Date.now() / 1000 - writtenAt);
  });
  gauge('catalogue_version', 'Version of the catalogue in PostgreSQL that answers.', () => stats()?.copy?.version);
  gauge('catalogue_copy_age_seconds', 'Time since the local copy was last seen to be the newest state.', () => {
    const confirmedAt = stats()?.copy?.confirmedAt;
    return confirmedAt === undefined ? undefined : Math.max(0, Date.now() / 1000 - confirmedAt);
  });
  gauge('waiting_requests', 'Requests that wait for their turn, or for their answers.', () => server?.()?.waiting);
  return {
    log(event) {
      if (event.kind === 'failure') {
        failures.inc();
        return;
      }
      const operation = operationOf(event.path);
      requests.inc({ operation, status: String(event.status) });
      seconds.observe({ operation }, event.milliseconds / 1000);
    },
    onReload({ kind }) {
      if (kind !== 'reachable') reloads.inc({ result: kind });
    },
    contentType: register.contentType,
    text: () => register.metrics(),
  };
}

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

/**
 * Imports prom-client, a package that only who wants metrics installs. No other file does.
 *
 * @throws {SkillSearchError} `METRICS_PACKAGE_MISSING` if it is not installed
 */
async function loadPromClient(): Promise<typeof PromClient> {
  const message = 'metrics need the package prom-client, which is not installed: npm install prom-client';
  const loaded = await import('prom-client').catch(orMissing('METRICS_PACKAGE_MISSING', message));
  return loaded.default as unknown as typeof PromClient;
}
