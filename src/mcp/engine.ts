import type { CallToolResult, McpHttpHandler, McpRequestContext, McpServer } from '@modelcontextprotocol/server';
import { type ErrorCode, SkillSearchError } from '../core/index.js';
import type { SkillSearch } from '../search/index.js';
import { INTERNAL_ERROR, INVALID_PARAMS, ProtocolFault, type Sdk } from './sdk.js';
import { createServerOver, faultOfParams } from './server-over.js';
import { PublishedSkills, type Questions, SkillPages } from './skills.js';
import { type ToolContext, ToolFault } from './tools/tool.js';
import { findTool, TOOL_NAMES } from './tools/tools.js';
import type { UnpublishedListener } from './unpublished.js';

/** What a caller may do, and who is told of what. */
export interface McpOptions {
  /** Whether the caller may search by meaning. Otherwise words only. @default true */
  readonly meaning?: boolean | undefined;
  /** Said to a caller who may not, with what to do about it. */
  readonly withoutMeaning?: string | undefined;
  /** Told of each skill that is found but not published, whenever it is met. */
  readonly onUnpublished?: UnpublishedListener | undefined;
  /** Told of each error whose cause the caller does not see. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /**
   * What a caller is told of an error, instead of its message. For servers whose callers must not see paths.
   */
  readonly tellError?: ((error: SkillSearchError) => SkillSearchError) | undefined;
  /** What every call of a tool fails with: the caller has used up what it may ask for, say. */
  readonly refusal?: SkillSearchError | undefined;
  /** Told the name of each tool that has answered, without an error. */
  readonly onAnswer?: ((tool: string) => void) | undefined;
  /** Seconds that a search may wait for others; 0 for no limit. @default 0 */
  readonly longestWait?: number | undefined;
}

/** What a server of the SDK asks. */
export interface Engine {
  /** @throws {ProtocolFault} if there is no such tool; the signal's reason when aborted */
  callTool(name: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<CallToolResult>;
  /** @throws {ProtocolFault} */
  ask<Method extends keyof Questions>(
    method: Method,
    ...args: Parameters<Questions[Method]>
  ): ReturnType<Questions[Method]>;
}

/** Answers from a search of this thread. */
export class CatalogueEngine implements Engine {
  readonly #search: () => Promise<SkillSearch>;
  readonly #options: McpOptions;
  readonly #published: PublishedSkills;
  readonly #pages: SkillPages;

  /** @param search gives the search that answers now. Where it fails, calls fail with that error */
  constructor(search: () => Promise<SkillSearch>, options: McpOptions) {
    this.#search = search;
    this.#options = options;
    this.#published = new PublishedSkills(options.onUnpublished ?? (() => {}));
    this.#pages = new SkillPages(search, this.#published);
  }

  async callTool(name: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<CallToolResult> {
    const tool = findTool(name);
    if (tool === undefined) {
      const message = `there is no tool ${JSON.stringify(name.slice(0, 100))}; the tools are ${TOOL_NAMES}`;
      throw new ProtocolFault(INVALID_PARAMS, message);
    }
    const { refusal, onAnswer } = this.#options;
    try {
      signal.throwIfAborted();
      if (refusal !== undefined) throw refusal;
      const { text, structured, links = [] } = await tool.run(args, await this.#contextOf(signal));
      onAnswer?.(name);
      return {
        content: [{ type: 'text', text }, ...links.map((link) => ({ type: 'resource_link' as const, ...link }))],
        structuredContent: structured,
      };
    } catch (error) {
      // Nobody is there to read an answer.
      if (signal.aborted) throw error;
      const told = this.#told(error);
      if (isUnexpected(error)) this.#options.onError?.(error);
      return { content: [{ type: 'text', text: toolErrorText(told) }], isError: true };
    }
  }

  ask<Method extends keyof Questions>(
    method: Method,
    ...args: Parameters<Questions[Method]>
  ): ReturnType<Questions[Method]> {
    const pages = this.#pages as unknown as Record<Method, (...given: typeof args) => Promise<unknown>>;
    return this.#asProtocol(() => pages[method](...args)) as ReturnType<Questions[Method]>;
  }

  async #contextOf(signal: AbortSignal): Promise<ToolContext> {
    const { meaning = true, withoutMeaning = 'this server searches by words only' } = this.#options;
    const { longestWait = 0, tellError = (error) => error } = this.#options;
    const search = await this.#search();
    return { search, published: this.#published, meaning, withoutMeaning, longestWait, tellError, signal };
  }

  /** Turns an error into one of the protocol, with what the caller may know. */
  async #asProtocol<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    try {
      return await call();
    } catch (error) {
      if (error instanceof ProtocolFault) throw error;
      const told = this.#told(error);
      if (told instanceof SkillSearchError) throw new ProtocolFault(INTERNAL_ERROR, told.message);
      this.#options.onError?.(error);
      throw new ProtocolFault(INTERNAL_ERROR, 'unexpected error: the log of the server says more');
    }
  }

  /** What the caller is told of an error. If that is another one, the error is reported. */
  #told(error: unknown): unknown {
    const { tellError, onError } = this.#options;
    if (!(error instanceof SkillSearchError) || tellError === undefined) return error;
    const told = tellError(error);
    if (told !== error) onError?.(error);
    return told;
  }
}

/** What the caller may do after an error of the library. */
const ADVICE: Partial<Record<ErrorCode, string>> = {
  MISSING_QUERY: 'Give a query of some words.',
  INVALID_QUERY: 'Correct the query and call again.',
  INVALID_PARAMETER: 'Correct the argument and call again.',
  BUSY: 'Call again in a few seconds.',
  RATE_LIMIT_EXCEEDED: 'Wait that long, then call again.',
  DAILY_QUOTA_EXCEEDED: 'Tell the user: an API key of this server, or one with a larger quota, may search more.',
  SERVICE_UNAVAILABLE: 'Call again in a few seconds.',
  DATABASE_NOT_FOUND: 'The user has to load a catalogue: skill-discovery load. Then call again; no restart is needed.',
  DATABASE_NOT_READABLE: 'The user has to look at the file. Then call again; no restart is needed.',
  DATABASE_DAMAGED: 'The user has to load the sources again: skill-discovery check says what is damaged.',
  NOT_A_CATALOGUE: 'The user has to name the file of a catalogue.',
  UNSUPPORTED_FORMAT: 'The user has to load the sources again with this version.',
};

/** The text of a tool error: what is wrong, and what to do next. */
function toolErrorText(error: unknown): string {
  if (error instanceof ToolFault) return error.message;
  if (!(error instanceof SkillSearchError))
    return 'The server failed unexpectedly. Its log says more; call again, or tell the user.';
  const advice = ADVICE[error.code] ?? 'Tell the user.';
  return `${error.message}${/[.!?]$/.test(error.message) ? '' : '.'} ${advice}`;
}

/** Whether the caller is not told what is behind an error, so that it belongs into the log. */
function isUnexpected(error: unknown): boolean {
  return !(error instanceof ToolFault || error instanceof SkillSearchError);
}

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
