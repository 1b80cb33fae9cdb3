import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import type { SkillSearch } from '../../src/index.js';
import { loadSdk } from '../../src/mcp/index.js';
import { createMcpFetchHandler, type McpOptions } from '../../src/mcp/server.js';

/** The revisions of the protocol that clients speak: with a handshake, and without. */
export const ERAS = ['2025-11-25', '2026-07-28'] as const;
export type Era = (typeof ERAS)[number];

export interface Connected {
  readonly client: Client;
  /** Tells clients that other skills may be listed now. */
  readonly notify: () => void;
}

/** The client of the SDK, connected to our server without a socket. */
export async function connect(
  search: SkillSearch | (() => Promise<SkillSearch>),
  options: McpOptions = {},
  era: Era = '2026-07-28',
): Promise<Connected> {
  const open = typeof search === 'function' ? search : async () => search;
  const handler = createMcpFetchHandler(await loadSdk(), open, () => options);
  const client = newClient(era);
  const transport = new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), {
    fetch: (url, init) => handler.fetch(new Request(url, init as RequestInit)),
  });
  await client.connect(transport);
  onTestFinished(async () => {
    await client.close();
    await handler.close();
  });
  return { client, notify: () => handler.notify.resourcesChanged() };
}

export function newClient(era: Era, capabilities: object = {}): Client {
  const mode = era === '2026-07-28' ? { pin: era } : ('legacy' as const);
  return new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode } });
}

/** What a tool answered. */
export interface Answer {
  readonly text: string;
  readonly structured: Record<string, unknown>;
  readonly isError: boolean;
  readonly links: readonly string[];
}

export async function callTool(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Answer> {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: args });
  const texts = content.filter((one) => one.type === 'text').map(({ text }) => text);
  const links = content.filter((one) => one.type === 'resource_link').map(({ uri }) => uri);
  return {
    text: texts.join('\n'),
    structured: (structuredContent ?? {}) as Record<string, unknown>,
    isError: isError === true,
    links,
  };
}
