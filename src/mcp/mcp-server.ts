import type { McpServer } from '@modelcontextprotocol/server';
import type { SkillSearch } from '../index.js';
import { CatalogueEngine, type McpOptions } from './engine.js';
import { createServerOver } from './server-over.js';
import type { Sdk } from './skills/load-sdk.js';

/**
 * Makes a server of the SDK over a search of this thread; see {@link createServerOver}.
 *
 * @param search gives the search that answers now. Where it fails, calls fail with that error, and the server goes on
 */
export function createMcpServer(sdk: Sdk, search: () => Promise<SkillSearch>, options: McpOptions = {}): McpServer {
  return createServerOver(sdk, new CatalogueEngine(search, options), options.onUnpublished);
}
