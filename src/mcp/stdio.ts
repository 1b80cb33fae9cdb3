import type { Readable } from 'node:stream';
import type { JSONRPCMessage, McpServer, Transport } from '@modelcontextprotocol/server';
import { isObject } from '../core/index.js';
import type { Engine, McpOptions } from './engine.js';
import { INVALID_PARAMS, type Sdk } from './sdk.js';
import { createServerOver, faultOfParams } from './server-over.js';

/** Bounds of MCP on standard input and output. */
interface StdioLimits {
  /** Longest message, in bytes. Nothing that a tool takes is longer than some kilobytes. */
  readonly messageBytes: number;
  /** Requests that are worked on at a time, and answers that wait for a reader. Those behind them wait in the pipe. */
  readonly pending: number;
  /** Bytes of messages that are worked on at a time. */
  readonly pendingBytes: number;
  /** Milliseconds that requests still have to be answered after standard input has ended. */
  readonly drainTime: number;
}

/** The limits of `mcp`. They cannot be changed. */
export const STDIO_LIMITS: StdioLimits = {
  messageBytes: 16 * 1024 * 1024,
  pending: 16,
  pendingBytes: 32 * 1024 * 1024,
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

export interface StdioOptions extends Pick<McpOptions, 'onUnpublished' | 'onError'> {
  readonly input: Readable;
  readonly output: NodeJS.WritableStream;
  /** Called when the first answer has been sent. */
  readonly onFirstAnswer?: (() => void) | undefined;
}

/** Serves one client on two streams, in the revision of the protocol that the client speaks. */
export function serveMcpOnStdio(sdk: Sdk, engine: Engine, options: StdioOptions): StdioServer {
  const { input, output, onFirstAnswer, onUnpublished, onError } = options;
  const servers = new Set<McpServer>();
  const transport = new LineTransport(input, output);
  transport.onFirstAnswer = onFirstAnswer;
  const handle = sdk.serveStdio(
    () => {
      const mcp = createServerOver(sdk, engine, onUnpublished);
      servers.add(mcp);
      return mcp;
    },
    { transport, onerror: (error) => onError?.(error) },
  );
  const served = transport.onclose;
  const ended = new Promise<void>((resolve) => {
    transport.onclose = () => {
      served?.();
      resolve();
    };
  });
  return {
    catalogueChanged() {
      for (const mcp of servers) {
        if (mcp.isConnected()) mcp.sendResourceListChanged();
        else servers.delete(mcp);
      }
    },
    ended,
    close: () => handle.close(),
  };
}

const [PARSE_ERROR, INVALID_REQUEST] = [-32700, -32600];
const NEWLINE = 0x0a;

type Id = string | number;

/** A message that was parsed and is an object. */
interface Candidate {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

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
  /** Called when the first answer has been handed to the system. */
  onFirstAnswer: (() => void) | undefined;

  readonly #input: Readable;
  readonly #output: NodeJS.WritableStream;
  /** Pieces of a line that has not ended. */
  #pieces: Buffer[] = [];
  #held = 0;
  /** Whether the rest of a line is skipped, because it is too long. */
  #skips = false;
  /** Bytes of the requests that are worked on, each under its id. */
  readonly #pending = new Map<Id, number>();
  #pendingBytes = 0;
  #drained: Promise<void> | undefined;
  #ended = false;
  #closed = false;
  #drainTimer: NodeJS.Timeout | undefined;

  constructor(input: Readable, output: NodeJS.WritableStream) {
    this.#input = input;
    this.#output = output;
  }

  async start(): Promise<void> {
    this.#input.on('data', this.#onData);
    this.#input.on('end', this.#onEnd);
    this.#input.on('close', this.#onEnd);
    this.#input.on('error', this.#onError);
    this.#output.on('error', this.#onBroken);
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('the client has gone'));
    const isAnswer = !('method' in message);
    const sent = this.#write(message);
    if (!isAnswer) return sent;
    if (message.id !== undefined) this.#settle(message.id);
    const { onFirstAnswer } = this;
    this.onFirstAnswer = undefined;
    if (onFirstAnswer !== undefined) setImmediate(onFirstAnswer);
    return sent;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#drainTimer);
    this.#input.off('data', this.#onData);
    this.#input.off('end', this.#onEnd);
    this.#input.off('close', this.#onEnd);
    this.#input.off('error', this.#onError);
    // Standard input would keep the process alive.
    this.#input.destroy();
    this.#pieces = [];
    this.onclose?.();
  }

  readonly #onData = (chunk: Buffer): void => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#hold(chunk.subarray(start, end));
      start = end + 1;
      this.#endLine();
      if (this.#isBusy()) {
        this.#input.pause();
        this.#input.unshift(chunk.subarray(start));
        return;
      }
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start));
  };

  #hold(piece: Buffer): void {
    if (this.#skips) return;
    this.#held += piece.length;
    if (this.#held > STDIO_LIMITS.messageBytes) {
      this.#skips = true;
      this.#pieces = [];
      return;
    }
    // A copy, because the chunk that a piece is a part of may be much larger.
    this.#pieces.push(Buffer.from(piece));
  }

  #endLine(): void {
    const bytes = this.#held;
    const skipped = this.#skips;
    const line = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#held = 0;
    this.#skips = false;
    if (skipped) {
      this.#refuse(undefined, INVALID_REQUEST, `a message may have at most ${STDIO_LIMITS.messageBytes} bytes`);
    } else if (bytes > 0) {
      this.#take(line.toString('utf8'), bytes);
    }
  }

  #take(line: string, bytes: number): void {
    if (line.trim() === '') return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch (error) {
      this.#refuse(undefined, PARSE_ERROR, `the line is not JSON: ${(error as Error).message}`);
      return;
    }
    const fault = faultOf(message);
    if (fault !== undefined) {
      const { id } = isObject(message) ? message : {};
      this.#refuse(isId(id) ? id : undefined, INVALID_REQUEST, fault);
      return;
    }
    const wrong = isId((message as Candidate).id) ? faultOfParams(message as Candidate) : undefined;
    if (wrong !== undefined) this.#refuse((message as Candidate).id as Id, INVALID_PARAMS, wrong);
    else this.#deliver(message as Candidate, bytes);
  }

  #deliver(message: Candidate, bytes: number): void {
    const { id, method, params } = message;
    if (isId(id) && method !== undefined) {
      if (this.#pending.has(id)) {
        this.#refuse(
          undefined,
          INVALID_REQUEST,
          `the id ${JSON.stringify(id)} is that of a request without an answer yet`,
        );
        return;
      }
      // A subscription lasts until the end.
      if (method !== 'subscriptions/listen') {
        this.#pending.set(id, bytes);
        this.#pendingBytes += bytes;
      }
    } else if (method === 'notifications/cancelled') {
      const cancelled = isObject(params) ? (params as { requestId?: unknown }).requestId : undefined;
      // A cancelled request gets no answer.
      if (isId(cancelled)) this.#settle(cancelled);
    }
    this.onmessage?.(message as JSONRPCMessage);
  }

  #settle(id: Id): void {
    const bytes = this.#pending.get(id);
    if (bytes === undefined) return;
    this.#pending.delete(id);
    this.#pendingBytes -= bytes;
    this.#readOn();
    if (this.#ended && this.#pending.size === 0) setImmediate(() => void this.close());
  }

  #refuse(id: Id | undefined, code: number, message: string): void {
    this.onerror?.(new Error(message));
    const about = id === undefined ? {} : { id };
    void this.#write({ jsonrpc: '2.0', ...about, error: { code, message } });
  }

  #write(message: object): Promise<void> {
    if (this.#closed) return Promise.resolve();
    const isTaken = this.#output.write(`${JSON.stringify(message)}\n`);
    if (!isTaken) {
      this.#drained ??= new Promise((resolve) => {
        this.#output.once('drain', () => {
          this.#drained = undefined;
          resolve();
          this.#readOn();
        });
      });
      this.#readOn();
    }
    return this.#drained ?? Promise.resolve();
  }

  /** Reads on, or stops reading while there is much to do, or nobody reads the answers. */
  #readOn(): void {
    if (this.#closed || this.#ended) return;
    if (this.#isBusy()) this.#input.pause();
    else if (this.#input.isPaused()) this.#input.resume();
  }

  #isBusy(): boolean {
    const { pending, pendingBytes } = STDIO_LIMITS;
    return this.#pending.size >= pending || this.#pendingBytes >= pendingBytes || this.#drained !== undefined;
  }

  readonly #onEnd = (): void => {
    if (this.#ended || this.#closed) return;
    // A last line without an end counts as well.
    if (this.#held > 0) this.#endLine();
    this.#ended = true;
    if (this.#pending.size === 0) setImmediate(() => void this.close());
    else this.#drainTimer = setTimeout(() => void this.close(), STDIO_LIMITS.drainTime);
  };

  readonly #onError = (error: Error): void => {
    this.onerror?.(error);
    void this.close();
  };

  /** Nobody reads any more. */
  readonly #onBroken = (error: Error): void => {
    if (!this.#closed) this.onerror?.(error);
    void this.close();
  };
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
