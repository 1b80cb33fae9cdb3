import { parentPort, workerData } from 'node:worker_threads';
import { answerPrompts } from '../agents/index.js';
import { isCatalogueAddress, tellWhileWaiting } from '../core/index.js';
import { type FollowedSearch, followCatalogue, type ReloadEvent } from '../search/index.js';
import { CatalogueEngine } from './engine.js';
import { ProtocolFault } from './sdk.js';
import type { EngineData, EngineMethod, EngineReply, EngineRequest } from './thread-engine.js';
import { unpublishedLog } from './unpublished.js';

// Not from the library's entry: a client waits for the first answer, and the entry imports more.

/** How often a catalogue that could not be opened is tried again when nobody asks, in milliseconds. */
const RETRY_INTERVAL = 2000;

export interface CatalogueListeners {
  /** Called when another state of the catalogue answers, or the first one after a failure. */
  readonly onChange: () => void;
  /** Called with the error of each attempt to open the catalogue that failed otherwise than the one before. */
  readonly onFailure: (error: unknown) => void;
  readonly onReload: (event: ReloadEvent) => void;
}

/**
 * A catalogue that is followed, and that may be missing or damaged at first: each call tries again, and so does a
 * timer, until it can be opened. From then on it is followed.
 */
export class FollowedCatalogue {
  readonly #open: (onReload: (event: ReloadEvent) => void) => Promise<FollowedSearch>;
  readonly #listeners: CatalogueListeners;
  #search: FollowedSearch | undefined;
  #attempt: Promise<FollowedSearch> | undefined;
  #failure: string | undefined;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(
    open: (onReload: (event: ReloadEvent) => void) => Promise<FollowedSearch>,
    listeners: CatalogueListeners,
  ) {
    this.#open = open;
    this.#listeners = listeners;
  }

  /**
   * The search over the newest state.
   *
   * @throws as `followCatalogue`, while the catalogue cannot be opened
   */
  readonly search = async (): Promise<FollowedSearch> => {
    if (this.#search !== undefined) return this.#search;
    // Calls that come together share an attempt.
    this.#attempt ??= this.#tryOpen().finally(() => {
      this.#attempt = undefined;
    });
    return this.#attempt;
  };

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#retry);
    await this.#attempt?.catch(() => {});
    await this.#search?.close();
  }

  async #tryOpen(): Promise<FollowedSearch> {
    try {
      const search = await this.#open((event) => {
        this.#listeners.onReload(event);
        if (event.kind === 'reloaded') this.#listeners.onChange();
      });
      clearInterval(this.#retry);
      this.#search = search;
      if (this.#failure !== undefined) this.#listeners.onChange();
      return search;
    } catch (error) {
      const failure = String(error);
      if (failure !== this.#failure) this.#listeners.onFailure(error);
      this.#failure = failure;
      if (this.#retry === undefined && !this.#closed) {
        this.#retry = setInterval(() => void this.search().catch(() => {}), RETRY_INTERVAL).unref();
      }
      throw error;
    }
  }
}

// The thread of `mcp`: it opens the catalogue and follows it, while the process imports the SDK, and answers its calls.

const { options, ...opening } = workerData as EngineData;
const isFile = !isCatalogueAddress(opening.database);
const port = parentPort!;
const tell = (reply: EngineReply): void => port.postMessage(reply);
const log = (level: 'info' | 'warn' | 'error', message: string, facts: Readonly<Record<string, unknown>> = {}): void =>
  tell({ kind: 'log', level, message, facts });

const follow = (onReload: (event: ReloadEvent) => void): Promise<FollowedSearch> =>
  tellWhileWaiting(opening.database, (line) => log('info', line), followCatalogue({ ...opening, onReload }));
const catalogue = new FollowedCatalogue(follow, {
  onChange: () => tell({ kind: 'changed' }),
  onFailure: (error) => log('warn', 'the catalogue cannot be opened', { reason: reasonOf(error) }),
  onReload: (event) => {
    if (event.kind === 'reloaded') {
      const { skills, vectors, stamp } = event.stats;
      log('info', 'catalogue reloaded', { skills, vectors, stamp, milliseconds: Math.round(event.milliseconds) });
    } else if (event.kind === 'reachable') {
      const milliseconds = Math.round(event.milliseconds);
      log('info', 'newer states of the catalogue can be had again', { milliseconds });
    } else {
      const reason = reasonOf(event.error);
      if (event.during === 'fetching') log('warn', 'a newer state of the catalogue cannot be had', { reason });
      else log('error', 'the catalogue changed but cannot be opened: the previous one stays in use', { reason });
    }
  },
});

const engine = new CatalogueEngine(catalogue.search, {
  ...options,
  onUnpublished: unpublishedLog((message, facts) => log('info', message, facts)),
  onError: (error) => log('error', 'a call failed', { reason: error instanceof Error ? error.stack : String(error) }),
});

/** The calls that are not answered. */
const running = new Map<number, AbortController>();
let closing = false;

port.on('message', (request: EngineRequest) => {
  if (request.kind === 'call') void answer(request.id, request.method, request.args);
  else if (request.kind === 'cancel') running.get(request.id)?.abort();
  else void close();
});
// Opens the catalogue before anybody asks. The command `hook` is answered after that: the client waits meanwhile.
const prompts = catalogue
  .search()
  .catch(() => {})
  // Whoever runs `hook` names the catalogue by the path of its file.
  .then(() => (isFile ? answerPrompts(opening.database, catalogue.search, { meaning: options.meaning }) : undefined));

async function answer(id: number, method: EngineMethod, args: readonly unknown[]): Promise<void> {
  const call = new AbortController();
  running.set(id, call);
  try {
    tell({ kind: 'answer', id, value: await answerTo(method, args, call.signal) });
  } catch (error) {
    const code = error instanceof ProtocolFault ? error.code : undefined;
    tell({ kind: 'failure', id, code, message: reasonOf(error) });
  } finally {
    running.delete(id);
  }
}

function answerTo(method: EngineMethod, args: readonly unknown[], signal: AbortSignal): Promise<unknown> {
  if (method === 'warmUp') return warmUp();
  if (method === 'callTool') return engine.callTool(...(args as [string, Readonly<Record<string, unknown>>]), signal);
  return engine.ask(method, ...(args as [string]));
}

async function warmUp(): Promise<void> {
  try {
    const search = await catalogue.search();
    await search.warmUp();
    log('info', 'semantic search is ready');
  } catch (error) {
    // The end of the input while the model is loaded is no fault.
    if (!closing) log('warn', 'semantic search is not available', { reason: reasonOf(error) });
  }
}

async function close(): Promise<void> {
  closing = true;
  for (const call of running.values()) call.abort();
  await (await prompts)?.close();
  await catalogue.close();
  port.close();
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
