import type { ServerEventBus } from '@modelcontextprotocol/server';
import { isObject } from '../core/index.js';
import { type SkillSearch, SkillSearchError } from '../index.js';
import { MCP_HTTP_LIMITS } from './options.js';

/** What is called to find skills. It alone is a search of the quota. */
export const SEARCH_TOOL = 'search_skills';

/** Revisions of the protocol in which a body may have several messages. */
const WITH_BATCHES: readonly (string | undefined)[] = [undefined, '2024-11-05', '2025-03-26'];

/** What the server around the SDK needs to know of a message. */
export interface McpMessage {
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

/** A message of which nothing is known yet. */
interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

export function readMessage(value: unknown): McpMessage {
  const message: Message = isObject(value) ? value : {};
  const { id, method, result, error } = message;
  const isAsked = isRequest(message);
  const isFree = !isAsked && (typeof method === 'string' || result !== undefined || error !== undefined);
  return {
    counts: isFree ? undefined : toolOf(message) === SEARCH_TOOL ? 'search' : 'request',
    callsTool: isAsked && method === 'tools/call',
    listens: isAsked && method === 'subscriptions/listen',
    id: typeof id === 'string' || typeof id === 'number' ? id : undefined,
    name: nameOf(message),
  };
}

/** What is wrong with several messages in one body. */
export function faultOfBatch(body: unknown, revision: string | undefined): string | undefined {
  if (!Array.isArray(body)) return undefined;
  const { batch } = MCP_HTTP_LIMITS;
  if (!WITH_BATCHES.includes(revision)) return `revision ${revision} has no batches: send one message a request`;
  if (body.length === 0 || body.length > batch) return `a batch must have 1 to ${batch} messages, got ${body.length}`;
  return body.some((one) => readMessage(one).listens) ? 'subscriptions/listen must not be in a batch' : undefined;
}

function isRequest({ id, method }: Message): boolean {
  return typeof method === 'string' && id !== undefined;
}

function toolOf({ method, params }: Message): string | undefined {
  if (method !== 'tools/call' || !isObject(params)) return undefined;
  const { name } = params as { name?: unknown };
  return typeof name === 'string' ? name : undefined;
}

/** The method of a message, and its tool. What does not look like a name is not logged: anybody may write it. */
function nameOf(message: Message): string {
  const { method } = message;
  if (typeof method !== 'string') return '';
  const tool = toolOf(message);
  return tool === undefined ? loggable(method) : `${method} ${loggable(tool)}`;
}

function loggable(name: string): string {
  return /^[a-z][\w./-]{0,63}$/i.test(name) ? name : '?';
}

/** A client whose stream ended may ask for another after so many seconds. */
const RETRY_AFTER = 60;

const LIST_CHANGED = 'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/resources/list_changed"}\n\n';

/**
 * The streams on which clients are told that other skills may be listed now: how many there may be, and what they are
 * told. While one is open, the catalogue is looked at.
 */
export class NotificationStreams {
  readonly #search: SkillSearch;
  readonly #onChange: () => void;
  readonly #perClient = new Map<string, number>();
  #count = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Of the state of the catalogue at the last look. */
  #stamp: string | undefined;
  #isClosed = false;

  /** @param onChange called when another state of the catalogue answers */
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
      if (!isOpen) return;
      isOpen = false;
      this.#giveBack(client);
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
    try {
      return this.#search.stats().stamp;
    } catch {
      return undefined;
    }
  }
}

/**
 * The stream that clients of revisions until 2025-11-25 get with GET. Without sessions nobody can tell whose streams
 * belong together, so each gets all notifications.
 *
 * @param signal ends the stream
 */
export function listChangedStream(bus: ServerEventBus, signal: AbortSignal): ReadableStream<Uint8Array> {
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
export function untilEnded(stream: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
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
