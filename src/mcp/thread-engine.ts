import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { startWorker } from '../core/index.js';
import type { Engine, McpOptions } from './engine.js';
import { INTERNAL_ERROR, INVALID_PARAMS, ProtocolFault } from './sdk.js';
import type { Questions } from './skills.js';

/** Told of what happens in the thread. */
export interface EngineListeners {
  readonly onChange: () => void;
  readonly onLog: (level: 'info' | 'warn' | 'error', message: string, facts: Readonly<Record<string, unknown>>) => void;
}

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * An engine in a thread of its own. It starts at once, so that the catalogue is opened while this thread imports the
 * SDK: both take some hundred files, and a client waits for its first answer.
 */
export class ThreadEngine implements Engine {
  readonly #worker: Worker;
  readonly #listeners: EngineListeners;
  readonly #waiting = new Map<number, Waiting>();
  #calls = 0;
  #ended = false;
  #closing = false;

  constructor(data: EngineData, listeners: EngineListeners) {
    this.#listeners = listeners;
    this.#worker = startWorker(import.meta.url, 'engine-thread', {
      workerData: data,
      // Standard output is for messages of the protocol only.
      stdout: true,
    });
    this.#worker.on('message', this.#onReply);
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('exit', () => this.#end(new Error('the thread of the catalogue has ended')));
  }

  callTool(name: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<CallToolResult> {
    return this.#call('callTool', [name, args], signal);
  }

  ask<Method extends keyof Questions>(
    method: Method,
    ...args: Parameters<Questions[Method]>
  ): ReturnType<Questions[Method]> {
    return this.#call(method, args) as ReturnType<Questions[Method]>;
  }

  /** Loads the model. Never fails: the log says what came of it. */
  warmUp(): Promise<void> {
    return this.#call<void>('warmUp', []).catch(() => {});
  }

  /** Ends the thread, once the model has read its present text. */
  async close(): Promise<void> {
    if (this.#ended) return;
    this.#closing = true;
    // Otherwise nothing would keep the process alive until then.
    this.#worker.ref();
    const exit = once(this.#worker, 'exit');
    this.#post({ kind: 'close' });
    await exit;
  }

  #call<Answer>(method: EngineMethod, args: readonly unknown[], signal?: AbortSignal): Promise<Answer> {
    if (this.#ended) return Promise.reject(new ProtocolFault(INTERNAL_ERROR, 'the thread of the catalogue has ended'));
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    this.#calls += 1;
    const id = this.#calls;
    const answer = new Promise<Answer>((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: never) => void, reject });
    });
    const cancel = (): void => this.#post({ kind: 'cancel', id });
    const settled = answer.finally(() => signal?.removeEventListener('abort', cancel));
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      this.#post({ kind: 'call', id, method, args });
    } catch {
      // A value is copied by recursion, so one that lies thousands of levels deep cannot be handed over.
      this.#waiting.get(id)?.reject(new ProtocolFault(INVALID_PARAMS, 'the arguments are nested too deeply'));
      this.#waiting.delete(id);
    }
    return settled;
  }

  #post(request: EngineRequest): void {
    this.#worker.postMessage(request);
  }

  readonly #onReply = (reply: EngineReply): void => {
    if (reply.kind === 'changed') this.#listeners.onChange();
    else if (reply.kind === 'log') this.#listeners.onLog(reply.level, reply.message, reply.facts);
    else this.#settle(reply);
  };

  #settle(reply: Extract<EngineReply, { readonly id: number }>): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (reply.kind === 'answer') waiting?.resolve(reply.value as never);
    else waiting?.reject(new ProtocolFault(reply.code ?? INTERNAL_ERROR, reply.message));
  }

  /** The thread has died, of too little memory say. Every call fails, and says so. */
  #end(error: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    if (!this.#closing)
      this.#listeners.onLog('error', 'the thread of the catalogue has ended', { reason: error.message });
    const fault = new ProtocolFault(INTERNAL_ERROR, 'the thread of the catalogue has ended: restart the server');
    for (const { reject } of this.#waiting.values()) reject(fault);
    this.#waiting.clear();
  }
}

/** What a thread of `mcp` is started with. */
export interface EngineData {
  readonly database: string;
  readonly cache?: string | undefined;
  readonly passwordFile?: string | undefined;
  readonly model: string | undefined;
  readonly stopWords: readonly string[] | undefined;
  readonly options: Pick<McpOptions, 'meaning' | 'withoutMeaning'>;
}

/** A method of the engine, or `warmUp`, which loads the model. */
export type EngineMethod = 'callTool' | keyof Questions | 'warmUp';

/** To the thread. */
export type EngineRequest =
  | { readonly kind: 'call'; readonly id: number; readonly method: EngineMethod; readonly args: readonly unknown[] }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'close' };

/** From the thread. */
export type EngineReply =
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  /** With a code: a fault of the protocol. */
  | { readonly kind: 'failure'; readonly id: number; readonly code: number | undefined; readonly message: string }
  /** Other skills may be listed now. */
  | { readonly kind: 'changed' }
  | {
      readonly kind: 'log';
      readonly level: 'info' | 'warn' | 'error';
      readonly message: string;
      readonly facts: Readonly<Record<string, unknown>>;
    };
