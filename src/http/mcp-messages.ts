import { isObject } from '../is-object.js';
import { MCP_HTTP_LIMITS } from '../limits.js';

/** What is called to find skills. It alone is a search of the quota. */
export const SEARCH_TOOL = 'search_skills';

/** Revisions of the protocol in which a body may have several messages. */
const WITH_BATCHES: readonly (string | undefined)[] = [undefined, '2024-11-05', '2025-03-26'];

/** What the server around the SDK needs to know of a body. */
export interface McpMessages {
  /** Searches among the requests. */
  readonly searches: number;
  /** Other requests, and what is no message at all. */
  readonly others: number;
  /** Whether there are requests, and all of them call a tool: each then takes an error of its own. */
  readonly callsTools: boolean;
  /** Whether the body asks for a stream of notifications. */
  readonly listens: boolean;
  /** The id of the only request. */
  readonly id: string | number | undefined;
  /** For the log: the method, and the tool of a call. Of several messages `batch`. */
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

export function readMessages(body: unknown): McpMessages {
  const messages = Array.isArray(body) ? body : [body];
  let [searches, others, calls] = [0, messages.length === 0 ? 1 : 0, 0];
  for (const value of messages) {
    const message: Message | undefined = isObject(value) ? value : undefined;
    if (message === undefined) others += 1;
    else if (isRequest(message)) {
      if (message.method === 'tools/call') calls += 1;
      if (toolOf(message) === SEARCH_TOOL) searches += 1;
      else others += 1;
    } else if (typeof message.method !== 'string' && message.result === undefined && message.error === undefined) {
      others += 1;
    }
  }
  const only: Message | undefined = messages.length === 1 && isObject(body) ? body : undefined;
  const { id } = only ?? {};
  return {
    searches,
    others,
    callsTools: calls > 0 && calls === searches + others,
    listens: only?.method === 'subscriptions/listen' && isRequest(only),
    id: typeof id === 'string' || typeof id === 'number' ? id : undefined,
    name: Array.isArray(body) ? 'batch' : nameOf(only),
  };
}

/** What is wrong with several messages in one body. */
export function faultOfBatch(body: unknown, revision: string | undefined): string | undefined {
  if (!Array.isArray(body)) return undefined;
  const { batch } = MCP_HTTP_LIMITS;
  if (!WITH_BATCHES.includes(revision)) return `revision ${revision} has no batches: send one message a request`;
  return body.length > batch ? `a batch must have at most ${batch} messages` : undefined;
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
function nameOf(message: Message | undefined): string {
  const { method } = message ?? {};
  if (typeof method !== 'string') return '';
  const tool = toolOf(message!);
  return tool === undefined ? loggable(method) : `${method} ${loggable(tool)}`;
}

function loggable(name: string): string {
  return /^[a-z][\w./-]{0,63}$/i.test(name) ? name : '?';
}
