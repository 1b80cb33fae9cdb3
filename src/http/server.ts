import { checkInteger, checkOptions, namesOf, nextTurn, optionOf } from '../core/index.js';
import { type SkillSearch, SkillSearchError } from '../index.js';
import { HttpServer, type RunningServer } from './http-server.js';
import { checkSearch, HANDLER_OPTIONS, type HandlerOptions, limitOf, resolveHandlerOptions } from './options.js';
import { readRequestBody } from './request-body.js';
import { SkillDiscoveryService } from './service.js';

/** Where {@link startServer} listens unless `host` says otherwise: reachable from this machine only. */
export const DEFAULT_HOST = '127.0.0.1';
/** The port of {@link startServer} unless `port` says otherwise. */
export const DEFAULT_PORT = 8787;

/** Options of {@link startServer}. */
export interface ServerOptions extends HandlerOptions {
  /** Address or host name to listen at; `0.0.0.0` or `::` for all addresses of this machine. @default '127.0.0.1' */
  readonly host?: string | undefined;
  /** Port to listen at, 0 to 65535; 0 lets the system choose a free one. @default 8787 */
  readonly port?: number | undefined;
  /**
   * Open connections of each address, an integer from 0; 0 for no limit. Beyond it one of the address that is idle
   * makes room for a new one; if none is, the new one is closed. An address of `trustProxy` may have any number.
   *
   * @default 500
   */
  readonly connectionsPerAddress?: number | undefined;
  /**
   * New connections a second of each address on average, ten times as many at once; an integer from 0, 0 for no limit.
   * Those beyond are closed. An address of `trustProxy` may make any number.
   *
   * @default 50; with `access: false` 0
   */
  readonly connectionsPerSecond?: number | undefined;
  /**
   * Requests a second of each address on average, ten times as many at once, at whatever path; an integer from 0, 0 for
   * no limit. The one beyond is answered 429 and closes its connection, unless `trustProxy` says that it is a proxy's.
   *
   * @default 500; with `access: false` 0
   */
  readonly requestsPerSecond?: number | undefined;
}

const SERVER_OPTIONS = namesOf<ServerOptions>({
  ...HANDLER_OPTIONS,
  host: true,
  port: true,
  connectionsPerAddress: true,
  connectionsPerSecond: true,
  requestsPerSecond: true,
});

/**
 * Serves the Skill Discovery API over HTTP.
 *
 * @throws {SkillSearchError} `INVALID_OPTION` for a faulty option; `ADDRESS_NOT_AVAILABLE` where it cannot listen;
 *   `MCP_SDK_MISSING` with `mcp` where the package is not installed
 * @example
 * import { openSkillSearch } from 'skill-discovery';
 * import { openAccess } from 'skill-discovery/access';
 * import { startServer } from 'skill-discovery/http';
 *
 * const search = await openSkillSearch({ database: 'skills.db' });
 * const server = await startServer(search, { access: openAccess({ state: 'access.db' }), port: 8787 });
 * console.log(server.url); // http://127.0.0.1:8787
 */
export async function startServer(search: SkillSearch, options: ServerOptions = {}): Promise<RunningServer> {
  checkSearch(search);
  checkOptions(options, SERVER_OPTIONS);
  const { host = DEFAULT_HOST, port = DEFAULT_PORT } = options;
  checkInteger(optionOf('port'), port, 0, 65_535);
  if (typeof host !== 'string' || host === '') {
    throw new SkillSearchError('INVALID_OPTION', `host must be an address or a name, got ${JSON.stringify(host)}`);
  }
  const resolved = resolveHandlerOptions(options, host);
  const service = new SkillDiscoveryService(search, resolved);
  await service.ready();
  const server = new HttpServer(service, {
    perAddress: limitOf('connectionsPerAddress', { ...options, access: undefined }),
    perSecond: limitOf('connectionsPerSecond', options),
    requestsPerSecond: limitOf('requestsPerSecond', options),
    isTrusted: resolved.isTrusted,
  });
  await server.listen(host, port);
  return server;
}

/** What a `Request` does not tell about its connection. */
export interface Connection {
  /** IP address of the other end. Requests without one share the quota of one anonymous client. @default unknown */
  readonly address?: string | undefined;
}

/** Answers a request. Never rejects: errors become answers, too. */
export type Handler = (request: Request, connection?: Connection) => Promise<Response>;

const HANDLER_NAMES = namesOf<HandlerOptions>(HANDLER_OPTIONS);

/**
 * The Skill Discovery API as a function from `Request` to `Response`, for any server that uses these web standards. On
 * Node `startServer` is faster, because it creates no such objects.
 *
 * @throws {SkillSearchError} `INVALID_OPTION` for a faulty option; `MCP_SDK_MISSING` with `mcp` where the package is
 *   not installed
 * @example
 * import { openSkillSearch } from 'skill-discovery';
 * import { openAccess } from 'skill-discovery/access';
 * import { createHandler } from 'skill-discovery/http';
 *
 * const search = await openSkillSearch({ database: 'skills.db' });
 * const handle = createHandler(search, { access: openAccess({ state: 'access.db' }) });
 * const response = await handle(new Request('http://localhost/api/v1/skills/search?q=pdf'));
 * console.log(response.status, await response.json());
 */
export function createHandler(search: SkillSearch, options: HandlerOptions = {}): Handler {
  checkSearch(search);
  checkOptions(options, HANDLER_NAMES);
  const service = new SkillDiscoveryService(search, resolveHandlerOptions(options));
  return async (request, connection) => {
    const { origin, pathname, search: query } = new URL(request.url);
    const arrived = performance.now();
    const { status, headers, body, stream } = await service.answer({
      method: request.method,
      target: pathname + query,
      origin,
      address: connection?.address,
      arrived,
      ready: arrived,
      header: (name) => request.headers.get(name) ?? undefined,
      signal: request.signal,
      body: (limits) => readRequestBody(request, limits),
      turn: nextTurn,
    });
    const withoutBody = request.method === 'HEAD' || status === 204 || status === 202 || status === 304;
    const pairs = headers.flatMap((name, i) => (i % 2 === 0 ? [[name, headers[i + 1]!] as [string, string]] : []));
    return new Response(withoutBody ? null : (stream ?? body), { status, headers: pairs });
  };
}
