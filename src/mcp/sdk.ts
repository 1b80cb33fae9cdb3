import nodeModule from 'node:module';
import type { createMcpHandler, McpServer, ProtocolError } from '@modelcontextprotocol/server';
import type { SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import type { serveStdio } from '@modelcontextprotocol/server/stdio';
import { SkillSearchError } from '../core/index.js';

// Not `createRequire` by its name: bundles declare that themselves.

/** What this room uses of the MCP SDK, an optional dependency that is imported when somebody serves MCP. */
export interface Sdk {
  readonly McpServer: typeof McpServer;
  readonly ProtocolError: typeof ProtocolError;
  readonly createMcpHandler: typeof createMcpHandler;
  readonly SkillsExtension: typeof SkillsExtension;
  readonly serveStdio: typeof serveStdio;
}

/**
 * Imports the SDK. No other file does.
 *
 * @throws {SkillSearchError} `MCP_SDK_MISSING` if it is not installed
 */
export async function loadSdk(): Promise<Sdk> {
  try {
    const [server, skills, stdio] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('@modelcontextprotocol/server/ext/skills'),
      import('@modelcontextprotocol/server/stdio'),
    ]);
    return {
      McpServer: server.McpServer,
      ProtocolError: server.ProtocolError,
      createMcpHandler: server.createMcpHandler,
      SkillsExtension: skills.SkillsExtension,
      serveStdio: stdio.serveStdio,
    };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw sdkMissing(cause);
  }
}

/**
 * Looks whether the SDK is installed, without importing it.
 *
 * @throws {SkillSearchError} `MCP_SDK_MISSING`
 */
export function checkSdk(): void {
  try {
    nodeModule.createRequire(import.meta.url).resolve('@modelcontextprotocol/server');
  } catch (cause) {
    throw sdkMissing(cause);
  }
}

function sdkMissing(cause: unknown): SkillSearchError {
  const message =
    'serving MCP needs the optional package @modelcontextprotocol/server, which is not installed: npm install @modelcontextprotocol/server';
  return new SkillSearchError('MCP_SDK_MISSING', message, { cause });
}

/** Codes of JSON-RPC. */
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/** A request that is answered with an error of the protocol. */
export class ProtocolFault extends Error {
  override readonly name = 'ProtocolFault' as const;
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
