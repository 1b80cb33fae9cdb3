/**
 * The part of the MCP SDK that this library uses. The package is optional: where npm leaves it out, with its types,
 * this library is built all the same.
 */
declare module '@modelcontextprotocol/server' {
  export type RequestId = string | number;

  export interface JSONRPCMessage {
    readonly jsonrpc: '2.0';
    readonly id?: RequestId | undefined;
    readonly method?: string;
    readonly params?: Readonly<Record<string, unknown>> | undefined;
    readonly result?: object;
    readonly error?: { readonly code: number; readonly message: string };
  }

  export interface Transport {
    start(): Promise<void>;
    send(message: JSONRPCMessage): Promise<void>;
    close(): Promise<void>;
    onclose?: () => void;
    onerror?: (error: Error) => void;
    onmessage?: (message: JSONRPCMessage) => void;
  }

  export interface Resource {
    uri: string;
    name: string;
    description?: string;
    mimeType?: string;
    size?: number;
  }

  export interface CallToolResult {
    content: (
      | { type: 'text'; text: string }
      | { readonly type: 'resource_link'; readonly uri: string; readonly name: string; readonly mimeType: string }
    )[];
    structuredContent?: Readonly<Record<string, unknown>>;
    isError?: boolean;
  }

  export interface ListToolsResult {
    tools: readonly object[];
  }

  export interface ListResourcesResult {
    resources: readonly Resource[];
    nextCursor?: string;
  }

  export interface ReadResourceResult {
    contents: ({ uri: string; mimeType: string } & ({ text: string } | { blob: string }))[];
  }

  interface CacheHint {
    readonly ttlMs: number;
    readonly cacheScope: 'public' | 'private';
  }

  interface RequestContext {
    readonly mcpReq: { readonly signal: AbortSignal };
    /** Over HTTP. */
    readonly http?: { readonly req?: Request };
  }

  interface Server {
    /** Called when a client has told that it is ready. */
    oninitialized?: () => void;
    getClientCapabilities(): { readonly roots?: object } | undefined;
    listRoots(
      params: undefined,
      options: { readonly timeout: number },
    ): Promise<{ readonly roots: readonly { readonly uri: string }[] }>;
    getNegotiatedProtocolVersion(): string | undefined;
    setRequestHandler(
      method: 'resources/list',
      answer: (request: { params?: { cursor?: string } }) => Promise<ListResourcesResult>,
    ): void;
    setRequestHandler(
      method: 'resources/read',
      answer: (request: { params: { uri: string } }) => Promise<ReadResourceResult>,
    ): void;
    setRequestHandler(method: 'tools/list', answer: () => ListToolsResult): void;
    setRequestHandler(
      method: 'tools/call',
      answer: (
        request: { params: { name: string; arguments?: Readonly<Record<string, unknown>> } },
        context: RequestContext,
      ) => Promise<CallToolResult>,
    ): void;
  }

  export class McpServer {
    constructor(
      info: { readonly name: string; readonly title: string; readonly version: string },
      options: {
        readonly instructions: string;
        readonly capabilities: Readonly<Record<'tools' | 'resources', { readonly listChanged: boolean }>>;
        readonly cacheHints: Readonly<Record<string, CacheHint>>;
      },
    );
    readonly server: Server;
    isConnected(): boolean;
    sendResourceListChanged(): void;
  }

  export class ProtocolError extends Error {
    constructor(code: number, message: string, data?: object);
    readonly code: number;
  }

  /** Who asks, of a request. */
  export interface McpRequestContext {
    readonly era: 'legacy' | 'modern';
    readonly requestInfo?: Request;
  }

  /** A change, for those who listen. */
  export type ServerEvent =
    | { readonly kind: 'tools_list_changed' | 'prompts_list_changed' | 'resources_list_changed' }
    | { readonly kind: 'resource_updated'; readonly uri: string };

  export interface ServerEventBus {
    publish(event: ServerEvent): void;
    /** @returns ends it */
    subscribe(listener: (event: ServerEvent) => void): () => void;
  }

  export interface McpHttpHandler {
    fetch(request: Request, options?: { readonly parsedBody?: unknown }): Promise<Response>;
    close(): Promise<void>;
    readonly notify: { resourcesChanged(): void };
    readonly bus: ServerEventBus;
  }

  export function createMcpHandler(
    factory: (context: McpRequestContext) => McpServer,
    options: {
      readonly maxRequestBodySize?: number;
      readonly maxSubscriptions?: number;
      readonly keepAliveMs?: number;
      readonly onerror?: (error: Error) => void;
    },
  ): McpHttpHandler;
}

declare module '@modelcontextprotocol/server/ext/skills' {
  import type { McpServer, Resource } from '@modelcontextprotocol/server';

  /** The entry of a skill. */
  export interface Skill {
    uri: string;
    frontmatter: { name: string; description: string; [field: string]: unknown };
    resources: { uri: string; digest: string; size: number }[];
  }

  interface SkillSource {
    list(params: { cursor?: string }): Promise<{ skills: Skill[]; nextCursor?: string }>;
    get(uri: string): Promise<Skill | undefined>;
    /** Not asked: `resources/read` is answered without it. */
    read(): Promise<undefined>;
    readDirectory(uri: string, params: { cursor?: string }): Promise<{ resources: Resource[] } | undefined>;
  }

  export class SkillsExtension {
    constructor(options: {
      readonly source: SkillSource;
      readonly cacheHint: { readonly ttlMs: number; readonly cacheScope: 'public' | 'private' };
      readonly onWarning: (warning: { readonly path: string; readonly message: string }) => void;
    });
    attach(server: McpServer): void;
  }

  /** Throws at front matter that it cannot read, or that breaks a rule. */
  export function skillEntry(path: string, files: Readonly<Record<string, string>>): Promise<Skill>;
}

declare module '@modelcontextprotocol/server/stdio' {
  import type { McpServer, Transport } from '@modelcontextprotocol/server';

  export function serveStdio(
    factory: (context: { readonly era: 'legacy' | 'modern' }) => McpServer,
    options: { readonly transport: Transport; readonly onerror: (error: Error) => void },
  ): { close(): Promise<void> };
}
