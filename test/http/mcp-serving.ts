import { type Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { type Access, type AccessOptions, openAccess } from '../../src/access/index.js';
import { type LogEvent, type RunningServer, type ServerOptions, startServer } from '../../src/http/index.js';
import type { SkillSearch } from '../../src/index.js';
import { type Era, newClient } from '../mcp/connect.js';

export interface McpServing {
  readonly server: RunningServer;
  /** Of `/mcp`. */
  readonly url: string;
  readonly access: Access;
  /** A key without limits of its own. */
  readonly key: string;
  readonly events: LogEvent[];
  /** The client of the SDK; without a key unless one is given. */
  connect(era: Era, key?: string): Promise<Client>;
  /** Posts one body as it is. */
  post(body: unknown, headers?: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Posted>;
}

export interface Posted {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON-RPC message, also of a stream of one event. */
  readonly message: { readonly id?: unknown; readonly result?: Record<string, unknown>; readonly error?: RpcError };
}

interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: { readonly code?: string; readonly retryAfter?: number };
}

interface Options extends Omit<ServerOptions, 'access' | 'log' | 'mcp'> {
  readonly quotas?: Partial<AccessOptions>;
}

const NO_LIMIT = { daily: 0, perMinute: 0 };

/** A server with MCP at a free port. Nobody is counted, except where a test is about that. */
export async function serveMcp(search: SkillSearch, { quotas, ...options }: Options = {}): Promise<McpServing> {
  const access = openAccess({ state: ':memory:', anonymous: NO_LIMIT, key: NO_LIMIT, ...quotas });
  const events: LogEvent[] = [];
  const server = await startServer(search, {
    ...{ port: 0, mcp: true, access, log: (event: LogEvent) => events.push(event) },
    ...options,
  });
  onTestFinished(async () => {
    await server.close(0);
    access.close();
  });
  const url = `${server.url}/mcp`;
  return {
    ...{ server, url, access, events, key: access.createKey().key },
    async connect(era, key) {
      const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
      const client = newClient(era);
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
      onTestFinished(() => client.close());
      return client;
    },
    async post(body, headers = {}, signal) {
      const sent = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
      const response = await fetch(url, {
        ...{ method: 'POST', body: sent as string, headers: { ...ACCEPTED, ...headers } },
        ...(signal === undefined ? {} : { signal }),
      });
      return postedOf(response.status, response.headers, await response.text());
    },
  };
}

export const ACCEPTED = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

function postedOf(status: number, headers: Headers, text: string): Posted {
  const json =
    headers.get('Content-Type')?.startsWith('text/event-stream') === true ? /^data: (.*)$/m.exec(text)?.[1] : text;
  return { status, headers, text, message: json ? JSON.parse(json) : {} };
}

let id = 0;

/** A request of a revision with a handshake, which each may be sent without. */
export function rpc(method: string, params: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  id += 1;
  return { jsonrpc: '2.0', id, method, params };
}

export function toolCall(name: string, args: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return rpc('tools/call', { name, arguments: args });
}

/** The text of a tool's answer, and whether it is an error. */
export function toldBy({ message }: Posted): { readonly text: string; readonly isError: boolean } {
  const { content, isError } = message.result as { content: readonly { text: string }[]; isError?: boolean };
  return { text: content[0]!.text, isError: isError === true };
}
