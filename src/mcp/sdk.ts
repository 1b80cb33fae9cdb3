import nodeModule from 'node:module';
import { orMissing, SkillSearchError } from '../core/index.js';

// Not `createRequire` by its name: bundles declare that themselves.

/** The MCP SDK, an optional dependency that is imported where MCP is served. */
export type Sdk = typeof import('@modelcontextprotocol/server') &
  typeof import('@modelcontextprotocol/server/ext/skills') &
  typeof import('@modelcontextprotocol/server/stdio');

/**
 * Imports the SDK. No other file does.
 *
 * @throws {SkillSearchError} `MCP_SDK_MISSING` if it is not installed
 */
export async function loadSdk(): Promise<Sdk> {
  const missing = orMissing('MCP_SDK_MISSING', NOT_INSTALLED);
  const [server, skills, stdio] = await Promise.all([
    import('@modelcontextprotocol/server').catch(missing),
    import('@modelcontextprotocol/server/ext/skills').catch(missing),
    import('@modelcontextprotocol/server/stdio').catch(missing),
  ]);
  return { ...server, ...skills, ...stdio };
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
    throw new SkillSearchError('MCP_SDK_MISSING', NOT_INSTALLED, { cause });
  }
}

const NOT_INSTALLED =
  'serving MCP needs the optional package @modelcontextprotocol/server, which is not installed: npm install @modelcontextprotocol/server';

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
