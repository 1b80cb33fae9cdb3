import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { type Admission, type Client, clientOfAddress, type SharedAdmission } from '../access/index.js';
import { type SkillSearch, SkillSearchError } from '../index.js';
import { checkSdk, loadSdk, type McpOptions } from '../mcp/index.js';
import { type Content, clientTurn, type Visit } from './call.js';
import { ClientGone, publicError, translateError } from './errors.js';
import { busy, exceededHeaders, LEAST_PATIENCE, quotaHeaders } from './guarded-search.js';
import { logFailure } from './log.js';
import {
  faultOfBatch,
  listChangedStream,
  type McpMessage,
  NotificationStreams,
  readMessage,
  SEARCH_TOOL,
  untilEnded,
} from './mcp-messages.js';
import type { ResolvedHandlerOptions } from './options.js';
import { MCP_HTTP_LIMITS } from './options.js';
import { type Refusal, RefusedBody } from './request-body.js';

/** An answer to a request for MCP. */
export interface McpContent extends Content {
  /** For the log: the method, and the tool of a call. */
  readonly operation?: string | undefined;
}

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

/** Limits whose excess is told as the error of a tool, so that the model reads it, too. */
const TOLD_TO_MODELS: readonly string[] = ['RATE_LIMIT_EXCEEDED', 'DAILY_QUOTA_EXCEEDED', 'BUSY'];

/** A message, and who sent it. */
interface Asked {
  readonly body: unknown;
  readonly message: McpMessage;
  readonly client: Client | undefined;
  /** Seconds that it has waited for others. */
  readonly waited: number;
}

/** What the SDK's handlers are made for. */
interface Handlers {
  readonly calls: McpHttpHandler;
  /** For streams alone: closing it ends them, and no call. */
  readonly streams: McpHttpHandler;
}

/** A fault of a message, with the code of JSON-RPC. */
class MessageFault extends Error {
  override readonly name = 'MessageFault' as const;
  readonly rpcCode: number;

  constructor(rpcCode: number, message: string) {
    super(message);
    this.rpcCode = rpcCode;
  }
}

/** A request that is not for this server, or not in a way that it takes. */
class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest' as const;
  readonly refusal: Refusal;
  readonly headers: Readonly<Record<string, string>>;

  constructor(refusal: Refusal, headers: Readonly<Record<string, string>> = {}) {
    super(refusal.message);
    this.refusal = refusal;
    this.headers = headers;
  }
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

  /** Never rejects: errors become answers, too. */
  async answer(visit: Visit): Promise<McpContent> {
    try {
      this.#checkOrigin(visit);
      const { method } = visit.call;
      if (method === 'DELETE') throw new RefusedRequest(NO_SESSION);
      if (method !== 'POST' && method !== 'GET')
        throw new RefusedRequest(METHOD_NOT_ALLOWED, { Allow: ALLOWED_METHODS });
      const { access } = this.#options;
      const client = await access?.identify(visit.call.header('authorization'), visit.address, visit.started);
      visit.client = client;
      visit.quota = client?.quota;
      if (method === 'GET') {
        if (client !== undefined) await access?.confirm(client);
        return await this.#listen(visit);
      }
      const { body, waited } = await this.#read(visit, client);
      if (Array.isArray(body)) return await this.#answerBatch(visit, body, client, waited);
      return await this.#answerMessage(visit, { body, message: readMessage(body), client, waited });
    } catch (error) {
      return this.#fail(visit, error, undefined);
    }
  }

  /**
   * Answers messages one after the other, as if each came alone. In between it is the turn of others.
   *
   * @throws {ClientGone}
   */
  async #answerBatch(
    visit: Visit,
    batch: readonly unknown[],
    client: Client | undefined,
    waited: number,
  ): Promise<McpContent> {
    const { call } = visit;
    let room = MCP_HTTP_LIMITS.batchBytes;
    let [text, code, headers]: [string, string | undefined, Content['headers']] = ['', undefined, {}];
    for (const body of batch) {
      const message = readMessage(body);
      let answer = room < 0 ? NOTHING : await this.#answerMessage(visit, { body, message, client, waited });
      room -= Buffer.byteLength(eventOf(answer));
      if (room < 0 && message.counts !== undefined) answer = this.#fail(visit, new RefusedRequest(TOO_MUCH), message);
      text += eventOf(answer);
      headers = { ...headers, ...answer.headers };
      code = answer.code ?? code;
      await clientTurn(call);
    }
    const status = text === '' ? 202 : 200;
    return { status, headers: { ...headers, 'Content-Type': EVENT_STREAM }, body: text, code, operation: 'batch' };
  }

  /** Never rejects: errors become answers, too. */
  async #answerMessage(visit: Visit, asked: Asked): Promise<McpContent> {
    try {
      return await this.#post(visit, asked);
    } catch (error) {
      return this.#fail(visit, error, asked.message);
    }
  }

  /** Ends all streams, and opens no more. Calls go on. */
  endStreams(): void {
    this.#streams.close();
    this.#closing.abort();
    this.#handlers.then(({ streams }) => streams.close()).catch(() => {});
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

  #checkOrigin({ call }: Visit): void {
    const fault = this.#options.hosts.faultOf(call, call.header('origin'));
    if (fault !== undefined) throw new RefusedRequest(fault);
  }

  /** Reads a body, and waits for the turn of its sender. A body that cannot be read counts as a request. */
  async #read({ call }: Visit, client: Client | undefined): Promise<{ body: unknown; waited: number }> {
    const type = call.header('content-type')?.split(';')[0]?.trim().toLowerCase();
    if (type !== 'application/json') throw new RefusedRequest(WRONG_TYPE);
    const began = performance.now();
    const bytes = await call.body(MCP_HTTP_LIMITS).catch(async (error) => {
      if (!(error instanceof ClientGone)) await this.#count(client, 'request');
      throw error;
    });
    const arrived = performance.now();
    await clientTurn(call);
    const waited = (performance.now() - arrived + began - call.ready) / 1000;
    try {
      const body = parseJson(bytes);
      const fault = faultOfBatch(body, call.header('mcp-protocol-version'));
      if (fault !== undefined) throw new MessageFault(INVALID_REQUEST, fault);
      return { body, waited };
    } catch (error) {
      await this.#count(client, 'request');
      throw error;
    }
  }

  async #post(visit: Visit, { body, message, client, waited }: Asked): Promise<McpContent> {
    const { longestWait } = this.#options;
    let admission: Admission | SharedAdmission | undefined;
    let refusal: SkillSearchError | undefined;
    let isAnswered = false;
    try {
      admission = await this.#count(client, message.counts);
      if (longestWait > 0 && waited > longestWait) throw busy();
    } catch (error) {
      const isTold = error instanceof SkillSearchError && TOLD_TO_MODELS.includes(error.code) && message.callsTool;
      if (!isTold) {
        await this.#giveBack(admission, visit);
        throw error;
      }
      refusal = error;
    }
    try {
      const answer = await this.#ask(visit, body, message, {
        meaning: client === undefined || client.kind === 'key',
        withoutMeaning: WITHOUT_MEANING,
        longestWait: longestWait === 0 ? 0 : Math.max(LEAST_PATIENCE, longestWait - waited),
        refusal,
        onAnswer: (tool) => {
          isAnswered = tool === SEARCH_TOOL;
        },
        tellError: publicError,
        onError: (error) => this.#logFailure(visit, error),
      });
      const counted = isAnswered && admission !== undefined ? quotaHeaders(admission) : {};
      const headers = { ...answer.headers, ...counted, ...refusalHeaders(refusal, visit) };
      return { ...answer, headers, code: refusal?.code, operation: message.name };
    } finally {
      if (!isAnswered) await this.#giveBack(admission, visit);
    }
  }

  /** Lets the SDK answer. */
  async #ask(visit: Visit, body: unknown, message: McpMessage, options: McpOptions): Promise<McpContent> {
    const { calls, streams } = await this.#handlers;
    const { call } = visit;
    const { signal } = call;
    const gaveBack = message.listens ? this.#takeStream(visit) : undefined;
    const headers = FORWARDED.flatMap((name) => {
      const value = call.header(name);
      return value === undefined ? [] : [[name, value] as [string, string]];
    });
    const request = new Request(MCP_URL, { method: 'POST', headers, ...(signal === undefined ? {} : { signal }) });
    this.#callers.set(request, options);
    try {
      const response = await (gaveBack === undefined ? calls : streams).fetch(request, { parsedBody: body });
      const { status } = response;
      const sent = headersOf(response);
      if (gaveBack !== undefined && response.body !== null && sent['Content-Type']?.startsWith(EVENT_STREAM) === true) {
        return { status, headers: sent, body: '', stream: untilEnded(response.body, gaveBack) };
      }
      const text = await response.text();
      gaveBack?.();
      if (signal?.aborted === true) throw new ClientGone();
      return { status, headers: sent, body: text };
    } catch (error) {
      gaveBack?.();
      throw error;
    }
  }

  /** The stream of revisions until 2025-11-25. */
  async #listen(visit: Visit): Promise<McpContent> {
    const { call } = visit;
    const revision = call.header('mcp-protocol-version');
    if (revision === WITHOUT_STREAMS) throw new RefusedRequest(METHOD_NOT_ALLOWED, { Allow: 'POST' });
    if (revision !== undefined && !WITH_STREAMS.includes(revision)) throw new RefusedRequest(UNKNOWN_REVISION);
    if (call.header('accept')?.includes(EVENT_STREAM) !== true) throw new RefusedRequest(NOT_ACCEPTABLE);
    const { streams } = await this.#handlers;
    const gaveBack = this.#takeStream(visit);
    const gone = call.signal;
    const signal = gone === undefined ? this.#closing.signal : AbortSignal.any([gone, this.#closing.signal]);
    const stream = untilEnded(listChangedStream(streams.bus, signal), gaveBack);
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

  async #giveBack(admission: Admission | SharedAdmission | undefined, visit: Visit): Promise<void> {
    try {
      await admission?.giveBack();
    } catch (error) {
      // The client gets the first error.
      this.#logFailure(visit, error);
    }
  }

  #fail(visit: Visit, error: unknown, message: McpMessage | undefined): McpContent {
    const content = (status: number, rpcCode: number, code: string | undefined, headers: Content['headers'] = {}) => ({
      status,
      headers,
      body: errorBody(rpcCode, error as Error, code, message?.id),
      code,
      operation: message?.name,
    });
    if (error instanceof MessageFault) return content(400, error.rpcCode, undefined);
    if (error instanceof RefusedRequest)
      return content(error.refusal.status, SERVER_ERROR, error.refusal.code, error.headers);
    if (error instanceof RefusedBody) return content(error.refusal.status, SERVER_ERROR, error.refusal.code);
    if (error instanceof ClientGone) return { status: 499, body: '', operation: message?.name };
    const { content: usual, code, hidden, message: told } = translateError(error);
    if (hidden) this.#logFailure(visit, error);
    const { status } = usual;
    const headers = { ...usual.headers, ...(visit.quota && exceededHeaders(code, visit.quota)) };
    const body = errorBody(SERVER_ERROR, { message: told }, code, message?.id, retryAfterOf(error));
    return { status: status!, headers, body, code, operation: message?.name };
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
const TOO_MUCH: Refusal = {
  status: 413,
  code: 'BATCH_TOO_LARGE',
  message: `the answers to a batch have at most ${MCP_HTTP_LIMITS.batchBytes} bytes: send this request alone`,
};
const NOTHING: McpContent = { body: '' };

/** An answer of a batch. The SDK gives those of revisions with batches as events already. */
function eventOf({ body, headers }: McpContent): string {
  if (body === '' || headers?.['Content-Type'] === EVENT_STREAM) return body as string;
  return `event: message\ndata: ${body}\n\n`;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(UTF8.decode(bytes));
  } catch (error) {
    throw new MessageFault(PARSE_ERROR, `the body is not JSON: ${(error as Error).message}`);
  }
}

/** A JSON-RPC error without id has none that could be read. */
function errorBody(
  rpcCode: number,
  { message }: { readonly message: string },
  code: string | undefined,
  id: string | number | undefined,
  retryAfter?: number,
): string {
  const data = { ...(code === undefined ? {} : { code }), ...(retryAfter === undefined ? {} : { retryAfter }) };
  const error = { code: rpcCode, message, ...(Object.keys(data).length === 0 ? {} : { data }) };
  return JSON.stringify({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), error });
}

function retryAfterOf(error: unknown): number | undefined {
  return error instanceof SkillSearchError ? error.retryAfter : undefined;
}

function refusalHeaders(error: SkillSearchError | undefined, { quota }: Visit): Record<string, string> {
  const retryAfter = error?.retryAfter;
  return {
    ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
    ...(quota && exceededHeaders(error?.code, quota)),
  };
}

function headersOf({ headers }: Response): Record<string, string> {
  const pairs = SENT.map((name) => [name, headers.get(name)] as const);
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== null));
}
