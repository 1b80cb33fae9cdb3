import type { McpHttpHandler, McpRequestContext } from '@modelcontextprotocol/server';
import type { SkillSearch } from '../index.js';
import { createMcpServer, type McpOptions } from './mcp-server.js';
import type { Sdk } from './skills/load-sdk.js';

/** Longest body of a request, in bytes. Nothing that a tool takes is longer than some kilobytes. */
const MAX_BODY = 1024 * 1024;

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
    maxRequestBodySize: MAX_BODY,
  });
}
