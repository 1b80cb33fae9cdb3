import type { SkillSearch } from '../index.js';
import { textOf } from './body.js';
import { type HandlerOptions, resolveHandlerOptions } from './options.js';
import { SkillDiscoveryService } from './service.js';

/** What a `Request` does not tell. */
export interface Connection {
  /** Address of the other end of the connection; all without one share the limits of one client. */
  readonly address?: string | undefined;
}

/** Answers requests; never rejects. */
export type Handler = (request: Request, connection?: Connection) => Promise<Response>;

/**
 * The Skill Discovery API as a function of the web's own `Request` and `Response`, for any server that speaks them.
 * `startServer` is quicker on Node: it does without these objects.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`
 * @example
 * const handle = createHandler(await openSkillSearch({ database: 'skills.db' }), { access: openAccess({ state: 'access.db' }) });
 * const response = await handle(new Request('http://localhost/api/v1/skills/search?q=pdf'));
 */
export function createHandler(search: SkillSearch, options?: HandlerOptions): Handler {
  const service = new SkillDiscoveryService(search, resolveHandlerOptions(options));
  return async (request, connection) => {
    const { origin, pathname, search: query } = new URL(request.url);
    const { status, headers, body } = await service.answer({
      method: request.method,
      target: pathname + query,
      origin,
      address: connection?.address,
      arrived: performance.now(),
      header: (name) => request.headers.get(name) ?? undefined,
      signal: request.signal,
    });
    const withoutBody = request.method === 'HEAD' || status === 204;
    const pairs = headers.flatMap((name, i) => (i % 2 === 0 ? [[name, headers[i + 1]!] as [string, string]] : []));
    return new Response(withoutBody ? null : textOf(body), { status, headers: pairs });
  };
}
