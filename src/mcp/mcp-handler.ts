import type { McpHttpHandler, McpRequestContext } from '@modelcontextprotocol/server';
import type { SkillSearch } from '../index.js';
import { MCP_HTTP_LIMITS } from '../limits.js';
import { createMcpServer, type McpOptions } from './mcp-server.js';
import type { Sdk } from './skills/load-sdk.js';

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
  return sdk.createMcpHandler((context) => createMcpServer(sdk, search, optionsFor(context)), {
    maxRequestBodySize: MCP_HTTP_LIMITS.bodyBytes,
    // The server around it counts them.
    maxSubscriptions: Number.MAX_SAFE_INTEGER,
    keepAliveMs: MCP_HTTP_LIMITS.keepAlive,
  });
}
