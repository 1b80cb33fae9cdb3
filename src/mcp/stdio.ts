import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { JSONRPCMessage, McpRequestContext, McpServer, Transport } from '@modelcontextprotocol/server';
import { isObject, withResolvers } from '../core/index.js';
import type { SkillSearch } from '../search/index.js';
import { INVALID_PARAMS, type Sdk } from './sdk.js';
import { createMcpServer, faultOfParams, type McpOptions } from './server.js';
import { SessionUsage } from './session-usage.js';

/** The limits of `mcp`. They cannot be changed. */
export const STDIO_LIMITS: Readonly<Record<'messageBytes' | 'pending' | 'pendingBytes' | 'drainTime', number>> = {
  /** Longest message, in bytes. Nothing that a tool takes is longer than some kilobytes. */
  messageBytes: 16 * 1024 * 1024,
  /** Requests that are worked on at a time. Those behind them wait in the pipe. */
  pending: 16,
  /** Bytes of messages that are worked on at a time. */
  pendingBytes: 32 * 1024 * 1024,
  /** Milliseconds that requests still have to be answered after standard input has ended. */
  drainTime: 10_000,
};

/** A connection on standard input and output. */
export interface StdioServer {
  /** Tells the client that other skills may be listed now. */
  catalogueChanged(): void;
  /** Fulfilled when the client has gone and the last request is answered. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

export interface StdioOptions extends McpOptions {
  readonly input: Readable;
  readonly output: NodeJS.WritableStream;
  /**
   * Called with the folders that the client says it works in, its roots: none if it has none, or asks for something
   * before it could tell. If left out, the client is not asked.
   */
  readonly onRoots?: ((folders: readonly string[]) => void) | undefined;
  /** Called when the first answer has been sent. */
  readonly onFirstAnswer?: (() => void) | undefined;
  /** Told why a message is refused, or cannot be read or written. */
  readonly onRefusal?: ((error: Error) => void) | undefined;
}

/**
 * Serves one client on two streams, in the revision of the protocol that the client speaks.
 *
 * @param search as for `createMcpServer`
 */
export function serveMcpOnStdio(sdk: Sdk, search: () => Promise<SkillSearch>, options: StdioOptions): StdioServer {
  const { input, output, onRoots, onFirstAnswer, onRefusal, ...ofCaller } = options;
  const usage = new SessionUsage();
  const servers = new Set<McpServer>();
  const transport = new LineTransport(input, output, onFirstAnswer);
  const make = ({ era }: Pick<McpRequestContext, 'era'>): McpServer => {
    // The newer revisions of the protocol have no such request of a server, and a client of an older one may have
    // forgotten to say that it is ready.
    const find = (): Promise<SkillSearch> => {
      if (era === 'modern') onRoots?.([]);
      else if (onRoots !== undefined) setTimeout(onRoots, ROOTS_TIME, []).unref();
      return search();
    };
    const mcp = createMcpServer(sdk, find, { ...ofCaller, usage });
    if (onRoots !== undefined) mcp.server.oninitialized = async () => onRoots(await rootsOf(mcp));
    servers.add(mcp);
    return mcp;
  };
  const handle = sdk.serveStdio(make, { transport, onerror: (error) => onRefusal?.(error) });
  return {
    catalogueChanged() {
      for (const mcp of servers) {
        if (mcp.isConnected()) mcp.sendResourceListChanged();
        else servers.delete(mcp);
      }
    },
    ended: transport.ended,
    close: () => handle.close(),
  };
}

/** Milliseconds that a client has to tell its roots. */
const ROOTS_TIME = 2000;

async function rootsOf({ server }: McpServer): Promise<readonly string[]> {
  if (server.getClientCapabilities()?.roots === undefined) return [];
  try {
    const { roots } = await server.listRoots(undefined, { timeout: ROOTS_TIME });
    return roots.flatMap(({ uri }) => (uri.startsWith('file:') ? [fileURLToPath(uri)] : []));
  } catch {
    return [];
  }
}

const [PARSE_ERROR, INVALID_REQUEST] = [-32700, -32600];
const NEWLINE = 0x0a;

type Id = string | number;

/**
 * MCP on two streams, a message a line.
 *
 * That of the SDK leaves ill-formed lines unanswered, closes at a line of 10 MB, drops what is being worked on when the
 * input ends, and reads on while nobody reads its answers. This one answers each line or says what is wrong with it,
 * keeps its memory bounded, and ends when the input has ended and the last request is answered.
 */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Fulfilled when it is closed. */
  readonly #end = withResolvers<void>();
  readonly ended: Promise<void> = this.#end.promise;

  readonly #input: Readable;
  readonly #output: NodeJS.WritableStream;
  #onFirstAnswer: (() => void) | undefined;
  #closed = false;
  /** Bytes of the requests that are worked on, each under its id. */
  readonly #pending = new Map<Id, number>();
  /** Fulfilled when the reader of the answers has caught up; undefined while it has. */
  #drained: Promise<void> | undefined;
  /** Called when there may be less to wait for. */
  #wake: () => void = () => {};

  constructor(input: Readable, output: NodeJS.WritableStream, onFirstAnswer?: () => void) {
    this.#input = input;
    this.#output = output;
    this.#onFirstAnswer = onFirstAnswer;
  }

  async start(): Promise<void> {
    this.#output.on('error', this.#onBroken);
    void this.#read().catch(this.#onBroken);
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('the client has gone'));
    const sent = this.#write(message);
    if ('method' in message) return sent;
    if (message.id !== undefined) this.#settle(message.id);
    if (this.#onFirstAnswer !== undefined) setImmediate(this.#onFirstAnswer);
    this.#onFirstAnswer = undefined;
    return sent;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#wake();
    // Standard input would keep the process alive.
    this.#input.destroy();
    this.onclose?.();
    this.#end.resolve();
  }

  async #read(): Promise<void> {
    for await (const line of linesOf(this.#input)) {
      while (this.#isBusy()) await this.#woken();
      if (this.#closed) return;
      this.#take(line);
    }
    const timer = setTimeout(() => void this.close(), STDIO_LIMITS.drainTime);
    while (this.#pending.size > 0 && !this.#closed) await this.#woken();
    clearTimeout(timer);
    setImmediate(() => void this.close());
  }

  /** Whether there is much to do, or nobody reads the answers. */
  #isBusy(): boolean {
    if (this.#closed) return false;
    const bytes = [...this.#pending.values()].reduce((sum, one) => sum + one, 0);
    const { pending, pendingBytes } = STDIO_LIMITS;
    return this.#pending.size >= pending || bytes >= pendingBytes || this.#drained !== undefined;
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** @param line undefined for one that was too long */
  #take(line: Buffer | undefined): void {
    if (line === undefined) {
      const message = `a message may have at most ${STDIO_LIMITS.messageBytes} bytes`;
      this.#refuse(undefined, INVALID_REQUEST, message);
      return;
    }
    const text = line.toString('utf8');
    if (text.trim() === '') return;
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch (error) {
      this.#refuse(undefined, PARSE_ERROR, `the line is not JSON: ${(error as Error).message}`);
      return;
    }
    const { id, method, params } = isObject(message) ? message : {};
    const fault = faultOf(message);
    const wrong = isObject(message) && isId(id) ? faultOfParams(message) : undefined;
    if (fault !== undefined) this.#refuse(isId(id) ? id : undefined, INVALID_REQUEST, fault);
    else if (wrong !== undefined) this.#refuse(id as Id, INVALID_PARAMS, wrong);
    else if (isId(id) && method !== undefined && this.#pending.has(id)) {
      const known = `the id ${JSON.stringify(id)} is that of a request without an answer yet`;
      this.#refuse(undefined, INVALID_REQUEST, known);
    } else {
      // A subscription lasts until the end.
      if (isId(id) && method !== undefined && method !== 'subscriptions/listen') this.#pending.set(id, line.length);
      // A cancelled request gets no answer.
      const cancelled = method === 'notifications/cancelled' && isObject(params) ? params['requestId'] : undefined;
      if (isId(cancelled)) this.#settle(cancelled);
      this.onmessage?.(message as JSONRPCMessage);
    }
  }

  #settle(id: Id): void {
    if (this.#pending.delete(id)) this.#wake();
  }

  #refuse(id: Id | undefined, code: number, message: string): void {
    this.onerror?.(new Error(message));
    void this.#write({ jsonrpc: '2.0', ...(id !== undefined && { id }), error: { code, message } });
  }

  #write(message: object): Promise<void> {
    const isTaken = this.#closed || this.#output.write(`${JSON.stringify(message)}\n`);
    if (!isTaken) {
      this.#drained ??= new Promise((resolve) => {
        this.#output.once('drain', () => {
          this.#drained = undefined;
          resolve();
          this.#wake();
        });
      });
    }
    return this.#drained ?? Promise.resolve();
  }

  /** The input cannot be read, or nobody reads the answers any more. */
  readonly #onBroken = (error: Error): void => {
    if (!this.#closed) this.onerror?.(error);
    void this.close();
  };
}

/** The lines of a stream, without their ends and also a last one without an end; undefined for one that is too long. */
async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer | undefined> {
  let pieces: Buffer[] = [];
  let held = 0;
  const hold = (piece: Buffer): void => {
    held += piece.length;
    if (held > STDIO_LIMITS.messageBytes) pieces = [];
    else pieces.push(piece);
  };
  const line = (): Buffer | undefined => (held > STDIO_LIMITS.messageBytes ? undefined : Buffer.concat(pieces));
  for await (const chunk of input) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      hold(chunk.subarray(start, end));
      start = end + 1;
      yield line();
      pieces = [];
      held = 0;
    }
    // A copy, because the chunk may be much larger.
    if (start < chunk.length) hold(Buffer.from(chunk.subarray(start)));
  }
  if (held > 0) yield line();
}

/** What keeps a value from being a message. */
function faultOf(message: unknown): string | undefined {
  if (Array.isArray(message)) return 'batches are not served: send one message a line';
  if (!isObject(message)) return 'a message must be an object';
  const { jsonrpc, id, method, params, result, error } = message;
  if (jsonrpc !== '2.0') return 'jsonrpc must be "2.0"';
  if (id !== undefined && !isId(id)) return 'id must be a string or an integer';
  if (params !== undefined && !isObject(params)) return 'params must be an object';
  if (typeof method === 'string') return undefined;
  if (method !== undefined) return 'method must be a string';
  return id !== undefined && (isObject(result) || isObject(error)) ? undefined : 'a message needs a method';
}

function isId(value: unknown): value is Id {
  return typeof value === 'string' || Number.isInteger(value);
}
