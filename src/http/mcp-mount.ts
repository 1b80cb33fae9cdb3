import type { McpHttpHandler, ServerEventBus } from '@modelcontextprotocol/server';
import { type Admission, type Client, clientOfAddress, type SharedAdmission } from '../access/index.js';
import { isObject, orUndefined } from '../core/index.js';
import { type SkillSearch, SkillSearchError } from '../index.js';
import { checkSdk, loadSdk, type McpOptions } from '../mcp/index.js';
import { type Call, type Content, clientTurn, type Visit } from './call.js';
import { ClientGone, publicError, translateError } from './errors.js';
import { busy, exceededHeaders, giveBack, patienceLeft, quotaHeaders } from './guarded-search.js';
import { logFailure } from './log.js';
import { MCP_HTTP_LIMITS, type ResolvedHandlerOptions } from './options.js';
import { type Refusal, RefusedRequest } from './request-body.js';

const [PARSE_ERROR, INVALID_REQUEST, SERVER_ERROR] = [-32700, -32600, -32000];
const ALLOWED_METHODS = 'POST, GET, DELETE';
const EVENT_STREAM = 'text/event-stream';
/** Revisions in which GET opens a stream. */
const WITH_STREAMS: readonly string[] = ['2025-03-26', '2025-06-18', '2025-11-25'];
/** The one without GET and sessions. */
const WITHOUT_STREAMS = '2026-07-28';
const WITHOUT_MEANING =
  'searching by meaning needs an API key of this server, sent as the header `Authorization: Bearer <key>`';

/** Headers of a request that the SDK reads. */
const FORWARDED = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'last-event-id'];
/** Headers of the SDK's answers that are sent. */
const SENT = ['Content-Type', 'Allow', 'WWW-Authenticate', 'X-Accel-Buffering'];

/** What is called to find skills. It alone is a search of the quota. */
const SEARCH_TOOL = 'search_skills';

/** Limits whose excess is told as the error of a tool, so that the model reads it, too. */
const TOLD_TO_MODELS: readonly string[] = ['RATE_LIMIT_EXCEEDED', 'DAILY_QUOTA_EXCEEDED', 'BUSY'];

/** What the SDK's handlers are made for. */
interface Handlers {
  readonly calls: McpHttpHandler;
  /** For streams alone: closing it ends them, and no call. */
  readonly streams: McpHttpHandler;
}

/**
 * The Model Context Protocol at one path, by Streamable HTTP. The SDK answers; what stands around it here is who may
 * ask, how much, and how long that may take.
 *
 * No sessions: each request is answered for itself, in revisions that have sessions, too. So any server of a catalogue
 * can answer any request, and nothing is held for clients that have gone.
 */
export class McpMount {
  readonly #search: SkillSearch;
  readonly #options: ResolvedHandlerOptions;
  readonly #handlers: Promise<Handlers>;
  readonly #streams: NotificationStreams;
  /** What the sender of a request may do, for the SDK's factory of servers. */
  readonly #callers = new WeakMap<Request, McpOptions>();
  readonly #closing = new AbortController();

  /** @throws {SkillSearchError} `MCP_SDK_MISSING` */
  constructor(search: SkillSearch, options: ResolvedHandlerOptions) {
    checkSdk();
    this.#search = search;
    this.#options = options;
    this.#streams = new NotificationStreams(search, () => {
      this.#handlers.then(({ streams }) => streams.notify.resourcesChanged()).catch(() => {});
    });
    this.#handlers = this.#makeHandlers();
    // A request says what is wrong. Until then nobody waits for it.
    this.#handlers.catch(() => {});
  }

  /**
   * Fulfilled when the SDK is imported.
   *
   * @throws {SkillSearchError} `MCP_SDK_MISSING`
   */
  async ready(): Promise<void> {
    await this.#handlers;
  }

  /** Ends all streams, and opens no more. Calls go on. */
  endStreams(): void {
    this.#streams.close();
    this.#closing.abort();
    this.#handlers.then(({ streams }) => streams.close()).catch(() => {});
  }

  /** Never rejects: errors become answers, too. */
  async answer(visit: Visit): Promise<Content> {
    const { call } = visit;
    const { access, hosts } = this.#options;
    let message: McpMessage | undefined;
    try {
      const fault = hosts.faultOf(call, call.header('origin'));
      if (fault !== undefined) throw new RefusedRequest(fault);
      if (call.method === 'DELETE') throw new RefusedRequest(NO_SESSION);
      if (call.method !== 'POST' && call.method !== 'GET') throw new RefusedRequest(METHOD_NOT_ALLOWED);
      const client = await access?.identify(call.header('authorization'), visit.address);
      visit.client = client;
      visit.quota = client?.quota;
      if (call.method === 'GET') {
        if (client !== undefined) await access?.confirm(client);
        return await this.#listen(visit);
      }
      const { body, waited } = await this.#read(call, client);
      message = readMessage(body);
      return await this.#post(visit, body, message, waited);
    } catch (error) {
      return this.#fail(visit, error, message);
    }
  }

  async #makeHandlers(): Promise<Handlers> {
    const [sdk, { createMcpFetchHandler }] = await Promise.all([loadSdk(), import('../mcp/server.js')]);
    const { onUnpublished } = this.#options;
    const make = (): McpHttpHandler =>
      createMcpFetchHandler(
        sdk,
        async () => this.#search,
        ({ requestInfo }) => ({ ...this.#callers.get(requestInfo!), onUnpublished }),
        MCP_HTTP_LIMITS,
      );
    return { calls: make(), streams: make() };
  }

  /**
   * Reads a body, and waits for the turn of its sender. A body that cannot be read counts as a request.
   *
   * @returns with the seconds that it has waited for others
   */
  async #read(call: Call, client: Client | undefined): Promise<{ readonly body: unknown; readonly waited: number }> {
    const type = call.header('content-type')?.split(';')[0]?.trim().toLowerCase();
    if (type !== 'application/json') throw new RefusedRequest(WRONG_TYPE);
    const began = performance.now();
    try {
      const bytes = await call.body(MCP_HTTP_LIMITS);
      const arrived = performance.now();
      await clientTurn(call);
      const waited = (performance.now() - arrived + began - call.ready) / 1000;
      return { body: parseBody(bytes), waited };
    } catch (error) {
      if (!(error instanceof ClientGone)) await this.#count(client, 'request');
      throw error;
    }
  }

  async #post(visit: Visit, body: unknown, message: McpMessage, waited: number): Promise<Content> {
    const { longestWait } = this.#options;
    const { client } = visit;
    const logged = (error: unknown): void => this.#logFailure(visit, error);
    let admission: Admission | SharedAdmission | undefined;
    let refusal: SkillSearchError | undefined;
    let isAnswered = false;
    try {
      try {
        admission = await this.#count(client, message.counts);
        if (longestWait > 0 && waited > longestWait) throw busy();
      } catch (error) {
        const isTold = error instanceof SkillSearchError && TOLD_TO_MODELS.includes(error.code) && message.callsTool;
        if (!isTold) throw error;
        refusal = error;
      }
      const answer = await this.#ask(visit, body, message, {
        meaning: client === undefined || client.kind === 'key',
        withoutMeaning: WITHOUT_MEANING,
        longestWait: patienceLeft(longestWait, waited),
        refusal,
        onAnswer: (tool) => {
          isAnswered = tool === SEARCH_TOOL;
        },
        tellError: publicError,
        onError: logged,
      });
      const headers = {
        ...answer.headers,
        ...(isAnswered && admission !== undefined ? quotaHeaders(admission) : {}),
        ...(refusal === undefined ? {} : translateError(refusal).headers),
        ...exceededHeaders(refusal?.code, visit.quota),
      };
      return { ...answer, headers, code: refusal?.code, operation: message.name };
    } finally {
      if (!isAnswered) await giveBack(admission, logged);
    }
  }

  /** Lets the SDK answer. */
  async #ask(visit: Visit, body: unknown, message: McpMessage, options: McpOptions): Promise<Content> {
    const { calls, streams } = await this.#handlers;
    const { call } = visit;
    const { signal } = call;
    const end = message.listens ? this.#takeStream(visit) : undefined;
    const headers = FORWARDED.flatMap((name) => {
      const value = call.header(name);
      return value === undefined ? [] : [[name, value] as [string, string]];
    });
    const request = new Request(MCP_URL, { method: 'POST', headers, ...(signal === undefined ? {} : { signal }) });
    this.#callers.set(request, options);
    try {
      const response = await (end === undefined ? calls : streams).fetch(request, { parsedBody: body });
      const { status } = response;
      const headers = SENT.map((name) => [name, response.headers.get(name)] as const);
      const sent = Object.fromEntries(headers.filter((pair): pair is [string, string] => pair[1] !== null));
      if (end !== undefined && response.body !== null && sent['Content-Type']?.startsWith(EVENT_STREAM) === true) {
        return { status, headers: sent, body: '', stream: untilEnded(response.body, end) };
      }
      const text = await response.text();
      end?.();
      if (signal?.aborted === true) throw new ClientGone();
      return { status, headers: sent, body: text };
    } catch (error) {
      end?.();
      throw error;
    }
  }

  /** The stream of revisions until 2025-11-25. */
  async #listen(visit: Visit): Promise<Content> {
    const { call } = visit;
    const revision = call.header('mcp-protocol-version');
    if (revision === WITHOUT_STREAMS) throw new RefusedRequest({ ...METHOD_NOT_ALLOWED, headers: { Allow: 'POST' } });
    if (revision !== undefined && !WITH_STREAMS.includes(revision)) throw new RefusedRequest(UNKNOWN_REVISION);
    if (call.header('accept')?.includes(EVENT_STREAM) !== true) throw new RefusedRequest(NOT_ACCEPTABLE);
    const { streams } = await this.#handlers;
    const end = this.#takeStream(visit);
    const gone = call.signal;
    const signal = gone === undefined ? this.#closing.signal : AbortSignal.any([gone, this.#closing.signal]);
    const stream = untilEnded(listChangedStream(streams.bus, signal), end);
    return { headers: { 'Content-Type': EVENT_STREAM, 'X-Accel-Buffering': 'no' }, body: '', stream };
  }

  #takeStream({ client, address }: Visit): () => void {
    return this.#streams.take(client?.name ?? clientOfAddress(address));
  }

  /**
   * Counts a message: a search for the day and the minute, any other request for the minute.
   *
   * @throws {SkillSearchError} `RATE_LIMIT_EXCEEDED`, `DAILY_QUOTA_EXCEEDED`; nothing is counted for the day then
   */
  async #count(
    client: Client | undefined,
    counts: McpMessage['counts'],
  ): Promise<Admission | SharedAdmission | undefined> {
    const { access } = this.#options;
    if (access === undefined || client === undefined || counts === undefined) return undefined;
    if (counts === 'search') return access.admit(client);
    await access.countRequest(client);
    return undefined;
  }

  #fail(visit: Visit, error: unknown, asked: McpMessage | undefined): Content {
    const operation = asked?.name;
    if (error instanceof ClientGone) return { status: 499, body: '', operation };
    if (error instanceof RefusedRequest) {
      const { status, code, message, headers = {}, rpcCode = SERVER_ERROR } = error.refusal;
      return { status, headers, body: errorBody(rpcCode, message, { code }, asked?.id), code, operation };
    }
    const { status, code, message, headers, hidden } = translateError(error);
    if (hidden) this.#logFailure(visit, error);
    const retryAfter = error instanceof SkillSearchError ? error.retryAfter : undefined;
    const body = errorBody(SERVER_ERROR, message, { code, retryAfter }, asked?.id);
    return { status, headers: { ...headers, ...exceededHeaders(code, visit.quota) }, body, code, operation };
  }

  #logFailure({ requestId }: Visit, error: unknown): void {
    logFailure(error, this.#search, requestId, this.#options.log);
  }
}

/** The SDK looks at no more of it than that it is one. */
const MCP_URL = 'http://localhost/mcp';

const METHOD_NOT_ALLOWED: Refusal = {
  status: 405,
  code: 'METHOD_NOT_ALLOWED',
  message: `the method must be one of ${ALLOWED_METHODS}; since revision ${WITHOUT_STREAMS} POST`,
  headers: { Allow: ALLOWED_METHODS },
};
const NO_SESSION: Refusal = {
  status: 404,
  code: 'SESSION_NOT_FOUND',
  message: 'there is no such session: this server answers each request for itself',
};
const WRONG_TYPE: Refusal = {
  status: 415,
  code: 'UNSUPPORTED_MEDIA_TYPE',
  message: 'the Content-Type of a request must be application/json',
};
const UNKNOWN_REVISION: Refusal = {
  status: 400,
  code: 'UNSUPPORTED_PROTOCOL_VERSION',
  message: `the MCP-Protocol-Version of a request with GET must be one of ${WITH_STREAMS.join(', ')}`,
};
const NOT_ACCEPTABLE: Refusal = {
  status: 406,
  code: 'NOT_ACCEPTABLE',
  message: `a request with GET must accept ${EVENT_STREAM}`,
};

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** @throws {RefusedRequest} unless it is JSON of one message: revisions that have batches are served without them */
function parseBody(bytes: Buffer): unknown {
  let body: unknown;
  try {
    body = JSON.parse(UTF8.decode(bytes));
  } catch (error) {
    const message = `the body is not JSON: ${(error as Error).message}`;
    throw new RefusedRequest({ status: 400, message, rpcCode: PARSE_ERROR });
  }
  if (!Array.isArray(body)) return body;
  const message = 'a batch is not taken: send one message a request';
  throw new RefusedRequest({ status: 400, message, rpcCode: INVALID_REQUEST });
}

/** A JSON-RPC error without id has none that could be read. */
function errorBody(
  rpcCode: number,
  message: string,
  data: { readonly code: string | undefined; readonly retryAfter?: number | undefined },
  id: string | number | undefined,
): string {
  // JSON has no place for what is undefined.
  const error = { code: rpcCode, message, ...(data.code === undefined ? {} : { data }) };
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}

/** What the server around the SDK needs to know of a message. */
interface McpMessage {
  /** What it counts as; undefined where it is free: notifications, and answers of the client. */
  readonly counts: 'search' | 'request' | undefined;
  /** Whether it calls a tool, whose answer may be an error of its own. */
  readonly callsTool: boolean;
  /** Whether it asks for a stream of notifications. */
  readonly listens: boolean;
  readonly id: string | number | undefined;
  /** For the log: the method, and the tool of a call. */
  readonly name: string;
}

function readMessage(value: unknown): McpMessage {
  const { id, method, params, result, error } = (isObject(value) ? value : {}) as Readonly<Record<string, unknown>>;
  const isAsked = typeof method === 'string' && id !== undefined;
  const isFree = !isAsked && (typeof method === 'string' || result !== undefined || error !== undefined);
  const named = method === 'tools/call' && isObject(params) ? (params as { readonly name?: unknown }).name : undefined;
  const tool = typeof named === 'string' ? named : undefined;
  return {
    counts: isFree ? undefined : tool === SEARCH_TOOL ? 'search' : 'request',
    callsTool: isAsked && method === 'tools/call',
    listens: isAsked && method === 'subscriptions/listen',
    id: typeof id === 'string' || typeof id === 'number' ? id : undefined,
    name: [method, tool]
      .filter((name) => typeof name === 'string')
      // What does not look like a name is not logged: anybody may write it.
      .map((name) => (/^[a-z][\w./-]{0,63}$/i.test(name) ? name : '?'))
      .join(' '),
  };
}

/** A client whose stream ended may ask for another after so many seconds. */
const RETRY_AFTER = 60;

/**
 * The streams on which clients are told that other skills may be listed now: how many there may be, and what they are
 * told. While one is open, the catalogue is looked at.
 */
class NotificationStreams {
  readonly #search: SkillSearch;
  readonly #onChange: () => void;
  readonly #perClient = new Map<string, number>();
  #count = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The revision of the catalogue at the last look. */
  #stamp: string | undefined;
  #isClosed = false;

  /** @param onChange called when another revision of the catalogue answers */
  constructor(search: SkillSearch, onChange: () => void) {
    this.#search = search;
    this.#onChange = onChange;
  }

  /**
   * Takes the place of a stream.
   *
   * @returns gives it back; further calls do nothing
   * @throws {SkillSearchError} `BUSY` where there are too many, or the server stops
   */
  take(client: string): () => void {
    if (this.#isClosed) throw new SkillSearchError('BUSY', 'the server is stopping', { retryAfter: 1 });
    const own = this.#perClient.get(client) ?? 0;
    const { streams, streamsPerClient } = MCP_HTTP_LIMITS;
    if (own >= streamsPerClient || this.#count >= streams) {
      const many = own >= streamsPerClient ? `${own} streams of this client` : `${this.#count} streams`;
      const message = `${many} are open: close one, or try again in ${RETRY_AFTER} s`;
      throw new SkillSearchError('BUSY', message, { retryAfter: RETRY_AFTER });
    }
    this.#perClient.set(client, own + 1);
    this.#count += 1;
    if (this.#timer === undefined) this.#watch();
    let isOpen = true;
    return () => {
      if (isOpen) this.#giveBack(client);
      isOpen = false;
    };
  }

  /** Takes no more streams. */
  close(): void {
    this.#isClosed = true;
  }

  #giveBack(client: string): void {
    this.#count -= 1;
    const left = this.#perClient.get(client)! - 1;
    if (left > 0) this.#perClient.set(client, left);
    else this.#perClient.delete(client);
    if (this.#count > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #watch(): void {
    this.#stamp = this.#stampNow();
    this.#timer = setInterval(() => {
      const stamp = this.#stampNow();
      if (stamp === undefined || stamp === this.#stamp) return;
      this.#stamp = stamp;
      this.#onChange();
    }, MCP_HTTP_LIMITS.lookInterval).unref();
  }

  /** Undefined while the catalogue cannot be read. */
  #stampNow(): string | undefined {
    return orUndefined(() => this.#search.stats().stamp);
  }
}

const LIST_CHANGED = 'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/resources/list_changed"}\n\n';

/**
 * The stream that clients of revisions until 2025-11-25 get with GET. Without sessions nobody can tell whose streams
 * belong together, so each gets all notifications.
 *
 * @param signal ends the stream
 */
function listChangedStream(bus: ServerEventBus, signal: AbortSignal): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let stop = (): void => {};
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string): void => controller.enqueue(encoder.encode(text));
      const unsubscribe = bus.subscribe(({ kind }) => {
        if (kind === 'resources_list_changed') write(LIST_CHANGED);
      });
      const alive = setInterval(() => write(': keepalive\n\n'), MCP_HTTP_LIMITS.keepAlive).unref();
      const end = (): void => {
        stop();
        controller.close();
      };
      stop = () => {
        unsubscribe();
        clearInterval(alive);
        signal.removeEventListener('abort', end);
      };
      write(': listening\n\n');
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
    },
    cancel: () => stop(),
  });
}

/** A stream that says once that it has ended, or is not read any more. */
function untilEnded(stream: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) {
          controller.enqueue(value);
          return;
        }
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      onEnd();
    },
    cancel(reason) {
      onEnd();
      return reader.cancel(reason);
    },
  });
}
