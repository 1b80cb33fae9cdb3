import { checkOptions, namesOf, nextTurn } from '../core/index.js';
import type { SkillSearch } from '../index.js';
import { checkSearch, HANDLER_OPTIONS, type HandlerOptions, resolveHandlerOptions } from './options.js';
import { readRequestBody } from './request-body.js';
import { SkillDiscoveryService } from './service.js';

/** What a `Request` does not tell about its connection. */
export interface Connection {
  /** IP address of the other end. Requests without one share the quota of one anonymous client. @default unknown */
  readonly address?: string | undefined;
}

/** Answers a request. Never rejects: errors become answers, too. */
export type Handler = (request: Request, connection?: Connection) => Promise<Response>;

const OPTIONS = namesOf<HandlerOptions>(HANDLER_OPTIONS);

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
  checkOptions(options, OPTIONS);
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
