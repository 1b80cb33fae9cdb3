import type { McpHttpHandler, McpRequestContext, McpServer } from '@modelcontextprotocol/server';
import type { SkillSearch } from '../search/index.js';
import { CatalogueEngine, type McpOptions } from './engine.js';
import { INVALID_PARAMS, type Sdk } from './sdk.js';
import { createServerOver, faultOfParams } from './server-over.js';

/**
 * Serves MCP by Streamable HTTP, for whoever has `Request` and `Response`: `fetch` answers a request, and
 * `notify.resourcesChanged()` tells all who listen that other skills may be listed now. Checks neither Origin nor Host
 * nor keys: that is for the server around it.
 *
 * @param optionsFor what the sender of a request may do; asked for each request
 * @param limits bytes of a request's body, and milliseconds between two signs of life on a stream of notifications;
 *   those of the SDK if left out
 */
export function createMcpFetchHandler(
  sdk: Sdk,
  search: () => Promise<SkillSearch>,
  optionsFor: (context: McpRequestContext) => McpOptions,
  limits?: { readonly bodyBytes: number; readonly keepAlive: number },
): McpHttpHandler {
  const handler = sdk.createMcpHandler((context) => createMcpServer(sdk, search, optionsFor(context)), {
    // The server around it counts them.
    maxSubscriptions: Number.MAX_SAFE_INTEGER,
    ...(limits && { maxRequestBodySize: limits.bodyBytes, keepAliveMs: limits.keepAlive }),
  });
  return {
    fetch: async (request, options) => refusalOf(options?.parsedBody) ?? handler.fetch(request, options),
    close: () => handler.close(),
    notify: handler.notify,
    bus: handler.bus,
  };
}

/** The answer to a request whose parameters are wrong, where its body has been read. */
function refusalOf(body: unknown): Response | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { id, ...message } = body as Readonly<Record<string, unknown>>;
  if (typeof id !== 'string' && typeof id !== 'number') return undefined;
  const fault = faultOfParams(message);
  if (fault === undefined) return undefined;
  return Response.json({ jsonrpc: '2.0', id, error: { code: INVALID_PARAMS, message: fault } });
}

/**
 * Makes a server of the SDK over a search of this thread; see {@link createServerOver}.
 *
 * @param search gives the search that answers now. Where it fails, calls fail with that error, and the server goes on
 */
function createMcpServer(sdk: Sdk, search: () => Promise<SkillSearch>, options: McpOptions = {}): McpServer {
  return createServerOver(sdk, new CatalogueEngine(search, options), options.onUnpublished);
}
