import { randomUUID } from 'node:crypto';
import { clientOfAddress, shortenAddress } from '../access/index.js';
import { type DamagedSkill, type SkillSearch, SkillSearchError } from '../index.js';
import { type Answer, beginVisit, type Call, type Content, clientTurn, JSON_TYPE, type Visit } from './call.js';
import { encodeContent } from './encode-content.js';
import { ClientGone, errorBody, translateError } from './errors.js';
import { answerSearch, exceededHeaders, minuteHeaders } from './guarded-search.js';
import { logDamaged, logFailure } from './log.js';
import { McpMount } from './mcp-mount.js';
import type { ResolvedHandlerOptions } from './options.js';
import { mayBeFromOwnPage } from './origins.js';
import { errorPage, PAGE_PATHS, prefersHtml } from './pages/page.js';
import { findPage, type Page } from './pages/page-routes.js';
import { readPublishedPath } from './published/publication.js';
import { Publisher } from './published/publisher.js';
import { MinuteLimit } from './rate-limits.js';
import { READ_METHODS, type Refusal } from './request-body.js';
import { describeApi, PATHS, type ServedExtras } from './routes.js';
import { findOperation, KEYWORD_OPERATION, SEMANTIC_OPERATION } from './search-operations.js';

const READABLE_HEADERS = [
  ...['Daily-Limit', 'Daily-Remaining', 'Minute-Limit', 'Minute-Remaining'].map((name) => `X-RateLimit-${name}`),
  ...['Truncated', 'Confident', 'Worth'].map((name) => `X-Result-${name}`),
  ...['Retry-After', 'WWW-Authenticate', 'X-Request-Id'],
].join(', ');

/** Headers of every answer that any web page may read: the service only reads. */
const OPEN_HEADERS = ['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', READABLE_HEADERS];

/** What web pages may read of a server of this machine alone; empty where a request could not be read. */
const OPEN_AT_HOME = [PATHS.keyword, PATHS.semantic, PATHS.health, ''];

/** Of a path that is not served, too: a browser then asks, and its page sees the 404, not an unreadable failure. */
const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Methods': READ_METHODS,
  // The last is sent by browser libraries of long ago without being asked, and would be refused with all the rest.
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, X-Requested-With',
  'Access-Control-Max-Age': '86400',
};

/** Paths that programs ask. Their errors are JSON, whatever a client accepts. */
const FOR_PROGRAMS = /^\/(?:api|mcp|page)(?:\/|$)|^\/openapi\.json$|^(?:\/skills\/.+)?\/\.well-known\//;

/** The path of a download: owner, repository and name of a skill. */
const DOWNLOAD = /^\/api\/download\/([^/]+)\/([^/]+)\/([^/]+)$/;

/** Files of skills are by strangers: where a browser shows one, it may do nothing. */
const FILE_POLICY = { 'Content-Security-Policy': "default-src 'none'; sandbox" };

type Answerer = (visit: Visit) => Promise<Content>;

/** The Skill Discovery API: which request gets which answer. Knows nothing of sockets. */
export class SkillDiscoveryService {
  readonly #search: SkillSearch;
  readonly #options: ResolvedHandlerOptions;
  readonly #extras: ServedExtras;
  readonly #operations: ReadonlyMap<string, Answerer>;
  /** The limits of each address that no quota is for. */
  readonly #limits: Readonly<Record<'pages' | 'searches' | 'finds' | 'files', MinuteLimit>>;
  readonly #publisher: Publisher | undefined;
  readonly #mcp: McpMount | undefined;
  /** Whether a revision of the catalogue has installed skills. */
  #installed: { readonly stamp: string | undefined; readonly any: boolean } = { stamp: undefined, any: false };

  constructor(search: SkillSearch, options: ResolvedHandlerOptions) {
    this.#search = search;
    this.#options = options;
    this.#limits = {
      pages: new MinuteLimit('pages', options.pagesPerMinute),
      searches: new MinuteLimit('searches', options.pageSearchesPerMinute),
      finds: new MinuteLimit('searches', options.findPerMinute),
      files: new MinuteLimit('requests', options.publishedPerMinute),
    };
    const { compatibility, mcp, publish, onUnpublished } = options;
    this.#publisher = publish.length === 0 ? undefined : new Publisher(search, publish, onUnpublished);
    this.#mcp = mcp ? new McpMount(search, options) : undefined;
    this.#extras = { compatible: compatibility !== undefined, mcp, publishes: this.#publisher !== undefined };
    this.#operations = new Map<string, Answerer>([
      [PATHS.keyword, (visit) => answerSearch(KEYWORD_OPERATION, visit, search, options)],
      [PATHS.semantic, (visit) => answerSearch(SEMANTIC_OPERATION, visit, search, options)],
      [PATHS.health, (visit) => this.#health(visit)],
      ...(compatibility === undefined ? [] : [[PATHS.find, (visit: Visit) => this.#find(visit)] as const]),
      ...(options.pages ? [[PATHS.description, (visit: Visit) => this.#description(visit)] as const] : []),
    ]);
  }

  /**
   * Fulfilled when everything is imported that requests need, and it is known what is published.
   *
   * @throws {SkillSearchError} `MCP_SDK_MISSING`; `INVALID_OPTION` if too many skills are to be published
   */
  async ready(): Promise<void> {
    await Promise.all([this.#mcp?.ready(), this.#publisher?.current()]);
  }

  /** Ends the answers that would last as long as their clients want. */
  endStreams(): void {
    this.#mcp?.endStreams();
  }

  /** Whether a request should be answered before all others: it asks for the health of the service. */
  isUrgent(target: string): boolean {
    return target === PATHS.health || target.startsWith(`${PATHS.health}?`);
  }

  /** Never rejects: errors become answers, too. */
  async answer(call: Call): Promise<Answer> {
    const { publicUrl, isTrusted, cors, isLocal, hosts } = this.#options;
    const visit = beginVisit(call, publicUrl, isTrusted);
    if (this.#mcp !== undefined && visit.path === PATHS.mcp) return this.#finish(visit, await this.#mcp.answer(visit));
    const isGuarded = !cors && (isLocal || this.#hasInstalled());
    const refusal = isGuarded ? hosts.faultOf(call) : undefined;
    if (refusal !== undefined) return this.#finish(visit, refusedContent(refusal));
    try {
      return await this.#complete(visit, await this.#route(visit));
    } catch (error) {
      return this.#complete(visit, this.#failed(visit, error));
    }
  }

  /** The answer to a request that could not be read, or is one too many. */
  refuse(refusal: Refusal, address: string | undefined): Answer {
    const request = { requestId: randomUUID(), started: performance.now(), client: undefined, address, path: '' };
    return this.#finish({ ...request, call: { method: '' } }, refusedContent(refusal));
  }

  /** Finishes a content, in the encoding that its client takes. */
  async #complete(visit: Visit, content: Content): Promise<Answer> {
    try {
      return this.#finish(visit, await encodeContent(content, (name) => visit.call.header(name)));
    } catch (error) {
      this.#logFailure(visit, error);
      return this.#finish(visit, content);
    }
  }

  /** Logs the request, and adds the headers of every answer. */
  #finish(
    visit: Pick<Visit, 'requestId' | 'started' | 'client' | 'address' | 'path'> & { call: Pick<Call, 'method'> },
    { status = 200, headers = {}, body, stream, tagged, code, operation = '' }: Content,
  ): Answer {
    const { call, requestId, client, address, path, started } = visit;
    this.#options.log({
      kind: 'request',
      requestId,
      method: call.method,
      path: loggable(path),
      ...(operation === '' ? {} : { operation }),
      status,
      ...(code === undefined ? {} : { code }),
      milliseconds: performance.now() - started,
      client: client?.kind === 'key' ? client.name : shortenAddress(address),
    });
    const all = body === '' || headers['Content-Type'] !== undefined ? [] : ['Content-Type', JSON_TYPE];
    if (this.#isOpen(path)) all.push(...OPEN_HEADERS);
    all.push('Cache-Control', tagged === true ? 'no-cache' : 'no-store', 'X-Content-Type-Options', 'nosniff');
    all.push('X-Request-Id', requestId);
    for (const name in headers) all.push(name, headers[name]!);
    return { status, headers: all, body, stream };
  }

  /** Whether any web page may read an answer. */
  #isOpen(path: string): boolean {
    const { cors, isLocal, mcp, pages } = this.#options;
    if ((mcp && path === PATHS.mcp) || (pages && path === PAGE_PATHS.pageSearch)) return false;
    return cors || ((!isLocal || OPEN_AT_HOME.includes(path)) && !this.#hasInstalled());
  }

  /** Whether the catalogue has skills of this machine, which are not for everybody. */
  #hasInstalled(): boolean {
    try {
      const { stamp } = this.#search.stats();
      if (stamp !== this.#installed.stamp) this.#installed = { stamp, any: this.#search.agents().length > 0 };
    } catch {
      // A catalogue that cannot be read shows nothing. What was known of it holds.
    }
    return this.#installed.any;
  }

  /** An error: as a page where people may see it, if pages are served and this is no path of programs. */
  #failed(visit: Visit, error: unknown): Content {
    const { code, message, hidden, status, ...translated } = translateError(error);
    const { call, path, publicUrl, requestId, quota } = visit;
    if (hidden) this.#logFailure(visit, error);
    if (code === undefined) return { status, body: '' };
    const allow = code === 'METHOD_NOT_ALLOWED' ? { Allow: READ_METHODS } : {};
    const headers = { ...translated.headers, ...allow, ...exceededHeaders(code, quota) };
    const mayBePage = this.#options.pages && !FOR_PROGRAMS.test(path);
    const varied = mayBePage ? { ...headers, Vary: 'Accept' } : headers;
    if (!mayBePage || !prefersHtml(call.header('accept'))) {
      return { status, headers: varied, body: errorBody(code, message), code };
    }
    const retryAfter = translated.headers['Retry-After'];
    const page = errorPage({ status, message, retryAfter, requestId, base: baseOf(publicUrl) });
    return { ...page, headers: { ...varied, ...page.headers }, tagged: false, code };
  }

  #logFailure({ requestId }: Visit, error: unknown): void {
    logFailure(error, this.#search, requestId, this.#options.log);
  }

  async #route(visit: Visit): Promise<Content> {
    const { method } = visit.call;
    const route = this.#operations.get(visit.path) ?? this.#publishedAt(visit.path) ?? this.#pageAt(visit.path);
    const isPreflight = visit.call.header('access-control-request-method') !== undefined;
    if (route === undefined && method === 'OPTIONS' && isPreflight) {
      return { status: 204, headers: PREFLIGHT_HEADERS, body: '' };
    }
    if (route === undefined) throw notFound();
    if (method === 'GET' || method === 'HEAD') return route(visit);
    if (method === 'OPTIONS') return { status: 204, headers: { Allow: READ_METHODS, ...PREFLIGHT_HEADERS }, body: '' };
    throw new SkillSearchError('METHOD_NOT_ALLOWED', `the method must be one of ${READ_METHODS}`);
  }

  /** What installers ask for, if this is one of their paths. */
  #publishedAt(path: string): Answerer | undefined {
    const publisher = this.#publisher;
    const [, owner, repository, skill] = (this.#extras.compatible && DOWNLOAD.exec(path)) || [];
    if (publisher === undefined || (owner === undefined && readPublishedPath(path) === undefined)) return undefined;
    return async (visit) => {
      visit.quota = { daily: 0, perMinute: this.#options.publishedPerMinute };
      // Before anything is read: what is not there costs as much.
      this.#limits.files.count(clientOfAddress(visit.address));
      const turn = (): Promise<void> => clientTurn(visit.call);
      if (owner !== undefined) {
        const download = await publisher.download(owner, repository!, skill!, turn);
        if (download === undefined) throw notFound();
        return { body: JSON.stringify(download), compressed: true };
      }
      const file = await publisher.file(path, turn);
      if (file === undefined) throw notFound();
      const { type, ...sent } = file;
      return { tagged: true, headers: { 'Content-Type': type, ...FILE_POLICY }, ...sent };
    };
  }

  async #description({ publicUrl, address }: Visit): Promise<Content> {
    this.#limits.pages.count(clientOfAddress(address));
    return { tagged: true, compressed: true, body: await describeApi(publicUrl, this.#extras) };
  }

  #pageAt(path: string): Answerer | undefined {
    const page = this.#options.pages ? findPage(path, this.#extras.compatible) : undefined;
    return page && ((visit) => this.#page(page, visit));
  }

  async #page({ show, counted, isForOwnPages = false }: Page, visit: Visit): Promise<Content> {
    const { call, path, query, publicUrl, requestId } = visit;
    const request = {
      ...{ search: this.#search, path, query, base: baseOf(publicUrl), signal: call.signal },
      longestWait: this.#options.longestWait,
      installAddress: async (id: string) => this.#publisher?.addressOf(id, publicUrl),
      describe: () => describeApi(publicUrl, this.#extras),
      turn: () => clientTurn(call),
      logDamaged: (damaged: readonly DamagedSkill[] | undefined) => {
        if (damaged !== undefined) logDamaged(damaged, this.#search, requestId, this.#options.log);
      },
      logFailure: (error: unknown) => this.#logFailure(visit, error),
    };
    // Refused before it counts: other pages must not use up what is our own page's.
    if (isForOwnPages && !mayBeFromOwnPage(call, publicUrl)) return refusedContent(NOT_FROM_OWN_PAGE);
    const limit = counted(request);
    // Before anything is read: what is not there, or is damaged, costs as much.
    const left = limit && this.#limits[limit].count(clientOfAddress(visit.address));
    try {
      const answer = await show(request);
      if (answer === undefined) throw notFound();
      if (!isForOwnPages) return { tagged: true, ...answer };
      return { ...answer, headers: { ...answer.headers, ...(left && minuteHeaders(left)) } };
    } catch (error) {
      throw call.signal?.aborted === true ? new ClientGone() : error;
    }
  }

  /** The installer asks at each key press. So this has a limit of its own, and uses no quota. */
  async #find(visit: Visit): Promise<Content> {
    visit.quota = { daily: 0, perMinute: this.#options.findPerMinute };
    const minute = this.#limits.finds.count(clientOfAddress(visit.address));
    const options = { ...this.#options, access: undefined };
    return answerSearch(findOperation(this.#publisher), visit, this.#search, options, minute);
  }

  async #health(visit: Visit): Promise<Content> {
    try {
      this.#search.check();
      await this.#options.access?.check();
      return { body: '{"status":"ok"}' };
    } catch (error) {
      this.#logFailure(visit, error);
      return { status: 503, body: '{"status":"degraded"}' };
    }
  }
}

const NOT_FROM_OWN_PAGE: Refusal = {
  status: 403,
  code: 'ORIGIN_NOT_ALLOWED',
  message: 'only the pages of this service may ask this; programs use the API',
};

function refusedContent({ status, code = '', message, headers = {} }: Refusal): Content {
  return { status, headers, body: errorBody(code, message), code };
}

/** The path of the public URL, without a slash at its end. */
function baseOf(publicUrl: string): string {
  // A handler may be asked for a URL of any kind: its origin is then `null`.
  return URL.canParse(publicUrl) ? new URL(publicUrl).pathname.replace(/\/+$/, '') : '';
}

function notFound(): SkillSearchError {
  return new SkillSearchError('ENDPOINT_NOT_FOUND', 'nothing is served at this path');
}

const MAX_LOGGED_PATH = 200;

/** A path as printable ASCII of limited length: clients must not be able to forge log lines. */
function loggable(path: string): string {
  const shown = path.length > MAX_LOGGED_PATH ? `${path.slice(0, MAX_LOGGED_PATH - 3)}...` : path;
  return shown.replace(/[^\x20-\x7e]/g, '?');
}
