import type { McpHttpHandler, McpRequestContext } from '@modelcontextprotocol/server';
import { MCP_HTTP_LIMITS } from '../core/index.js';
import type { SkillSearch } from '../index.js';
import type { McpOptions } from './engine.js';
import { createMcpServer } from './mcp-server.js';
import { faultOfParams } from './params-fault.js';
import type { Sdk } from './skills/load-sdk.js';
import { INVALID_PARAMS } from './skills/protocol-fault.js';

/**
 * Serves MCP by Streamable HTTP, for whoever has `Request` and `Response`: `fetch` answers a request, and
 * `notify.resourcesChanged()` tells all who listen that other skills may be listed now. Checks neither Origin nor Host
 * nor keys: that is for the server around it.
 *
 * @param optionsFor what the sender of a request may do; asked for each request
 */
export function createMcpFetchHandler(
  sdk: Sdk,
  search: () => Promise<SkillSearch>,
  optionsFor: (context: McpRequestContext) => McpOptions,
): McpHttpHandler {
  const handler = sdk.createMcpHandler((context) => createMcpServer(sdk, search, optionsFor(context)), {
    maxRequestBodySize: MCP_HTTP_LIMITS.bodyBytes,
    // The server around it counts them.
    maxSubscriptions: Number.MAX_SAFE_INTEGER,
    keepAliveMs: MCP_HTTP_LIMITS.keepAlive,
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
