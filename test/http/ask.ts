import { onTestFinished } from 'vitest';
import { type Access, type AccessOptions, openAccess } from '../../src/access/index.js';
import {
  createHandler,
  type Handler,
  type HandlerOptions,
  type LogEvent,
  type RunningServer,
  type ServerOptions,
  startServer,
} from '../../src/http/index.js';
import type { SkillSearch } from '../../src/index.js';
import type { CatalogueSearch } from '../../src/search/index.js';
import { catalogueOf, opened } from '../catalogues.js';
import { row } from '../rows.js';
import { closing } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';

export { catalogueOf, opened };

export const ORIGIN = 'http://skills.test';
export const KEYWORD = '/api/v1/skills/search';
export const SEMANTIC = '/api/v1/skills/ai-search';
export const HEALTH = '/api/health';
export const FIND = '/api/search';

/** What a request has beside its path. */
interface How {
  readonly method?: string;
  /** Sent as `Authorization: Bearer <key>`. */
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the other end of the connection. */
  readonly address?: string | undefined;
  readonly signal?: AbortSignal;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The text as JSON; undefined where it is none. */
  readonly body: unknown;
  /** `error.code` of the body, where there is one. */
  readonly code: string | undefined;
  /** `error.message` of the body, where there is one. */
  readonly message: string | undefined;
}

export type Ask = (path: string, how?: How) => Promise<Reply>;

export interface Service {
  readonly ask: Ask;
  readonly handle: Handler;
  readonly search: SkillSearch;
  readonly access: Access;
  /** A key without limits of its own. */
  readonly key: string;
  /** What was logged so far. */
  readonly events: LogEvent[];
}

export interface ServiceOptions extends Omit<HandlerOptions, 'access' | 'log'> {
  readonly quotas?: Partial<AccessOptions>;
}

/** Nobody is counted, except where a test is about that. */
const NO_LIMIT = { daily: 0, perMinute: 0 };

/** A service over these rows, or over an opened search, closed when the test ends. */
export async function serve(
  skills: readonly unknown[] | SkillSearch,
  { quotas, ...options }: ServiceOptions = {},
): Promise<Service> {
  const search = 'keyword' in skills ? skills : await searchOver(skills);
  const access = accessOf({ anonymous: NO_LIMIT, key: NO_LIMIT, ...quotas });
  const events: LogEvent[] = [];
  const handle = createHandler(search, {
    allowedHosts: [new URL(ORIGIN).hostname],
    ...options,
    access,
    log: (event) => events.push(event),
  });
  return { ask: askerOf(handle), handle, search, access, key: access.createKey().key, events };
}

const TWO = [row('a', { description: 'alpha' }), row('b', { description: 'über' })];

export async function searchOver(skills: readonly unknown[] = TWO): Promise<SkillSearch> {
  return opened({ skills, embedder: new StandInEmbedder() });
}

export interface Started extends Pick<Service, 'search' | 'access' | 'key' | 'events'> {
  readonly server: RunningServer;
}

/** A server at a free port, over skills without addresses if no search is given; all closed when the test ends. */
export async function started(
  options: ServerOptions = {},
  quotas: Partial<AccessOptions> = {},
  given?: SkillSearch,
): Promise<Started> {
  const search = given ?? (await searchOver());
  const access = accessOf({ anonymous: NO_LIMIT, key: NO_LIMIT, ...quotas });
  const events: LogEvent[] = [];
  const server = await running(search, { access, log: (event) => events.push(event), ...options });
  return { server, search, access, key: access.createKey().key, events };
}

/** The same with nothing but these options. */
export async function running(search: SkillSearch, options: ServerOptions = {}): Promise<RunningServer> {
  const server = await startServer(search, { port: 0, ...options });
  onTestFinished(() => server.close(0));
  return server;
}

/** Keys and quotas in memory, where no file is named. */
export function accessOf(options: Partial<AccessOptions> = {}): Access {
  return closing(openAccess({ state: ':memory:', ...options }));
}

export function askerOf(handle: Handler): Ask {
  return async (path, { method = 'GET', key, headers = {}, address, signal } = {}) => {
    const authorization = key === undefined ? {} : { Authorization: `Bearer ${key}` };
    const init = { method, headers: { ...authorization, ...headers }, ...(signal === undefined ? {} : { signal }) };
    const response = await handle(new Request(ORIGIN + path, init), { address });
    const text = await response.text();
    const body = jsonOf(text);
    const { code, message } = (body as { error?: { code?: string; message?: string } } | undefined)?.error ?? {};
    return { status: response.status, headers: response.headers, text, body, code, message };
  };
}

/** The path of a keyword search. */
export function keyword(query: Readonly<Record<string, string | number>>): string {
  return `${KEYWORD}?${queryOf(query)}`;
}

/** The path of a semantic search. */
export function semantic(q: string): string {
  return `${SEMANTIC}?${queryOf({ q })}`;
}

/** The skills of an answer, in its order, by words or by meaning. */
export function skillsOf({ body }: Reply): Record<string, unknown>[] {
  const { data } = body as {
    data: { skills?: Record<string, unknown>[]; data?: { skill: Record<string, unknown> }[] };
  };
  return data.skills ?? (data.data ?? []).map(({ skill }) => skill);
}

export function idsOf(reply: Reply): string[] {
  return skillsOf(reply).map(({ id }) => String(id));
}

/** What a keyword search says of its pages. */
export function paginationOf({ body }: Reply): Record<string, unknown> {
  return (body as { data: { pagination: Record<string, unknown> } }).data.pagination;
}

/** The two quota headers of an answer: the limit, and what is left. */
export function quotaOf({ headers }: Reply): [limit: string | null, remaining: string | null] {
  return [headers.get('X-RateLimit-Daily-Limit'), headers.get('X-RateLimit-Daily-Remaining')];
}

/** The same two of the minute. */
export function minuteOf({ headers }: Reply): [limit: string | null, remaining: string | null] {
  return [headers.get('X-RateLimit-Minute-Limit'), headers.get('X-RateLimit-Minute-Remaining')];
}

const ASYNC: ReadonlySet<PropertyKey> = new Set(['semantic', 'similar', 'used', 'warmUp', 'semanticWithVector']);

/** A search that throws the same whatever is asked, except that it can be closed. */
export function failingSearch(error: unknown): CatalogueSearch {
  const close = async (): Promise<void> => {};
  const problems = { rejected: [], warnings: [] };
  const working = { problems, noteUsage: () => {}, close, [Symbol.asyncDispose]: close };
  const fail = (): never => {
    throw error;
  };
  return new Proxy(working as unknown as CatalogueSearch, {
    has: () => true,
    get: (_, name) => {
      if (name in working || name === 'then' || typeof name === 'symbol') return Reflect.get(working, name);
      return ASYNC.has(name) ? async () => fail() : fail;
    },
  });
}

function queryOf(query: Readonly<Record<string, string | number>>): string {
  return Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A search with some of its methods replaced. */
export function replacing(search: SkillSearch, methods: Partial<CatalogueSearch>): SkillSearch {
  return new Proxy(search, {
    get: (_, name) => {
      const value: unknown = Reflect.get(name in methods ? methods : search, name);
      return typeof value === 'function' ? value.bind(search) : value;
    },
  });
}
