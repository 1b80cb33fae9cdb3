import { clientOfAddress, shortenAddress } from '../access/index.js';
import { type DamagedSkill, type SkillSearch, SkillSearchError } from '../index.js';
import { type Answer, after, beginVisit, type Call, type Content, clientTurn, JSON_TYPE, type Visit } from './call.js';
import { encodeContent, gzipped } from './encode-content.js';
import { ClientGone, errorBody, translateError } from './errors.js';
import { answerSearch, askHealth, exceededHeaders, minuteHeaders, QUOTA_HEADERS } from './guarded-search.js';
import { logDamaged, logFailure } from './log.js';
import { type McpContent, McpMount } from './mcp-mount.js';
import { describeApi } from './openapi.js';
import type { ResolvedHandlerOptions } from './options.js';
import { mayBeFromOwnPage } from './origins.js';
import { errorPage, prefersHtml } from './pages/layout.js';
import { PAGE_PATHS, type PageAnswer } from './pages/page.js';
import { findPage, type Page } from './pages/page-routes.js';
import { readPublishedPath } from './published/publication.js';
import { Publisher } from './published/publisher.js';
import { type MinuteLeft, MinuteLimit } from './rate-limits.js';
import type { Refusal } from './request-body.js';
import { type OperationName, PATHS, type ServedExtras, servedRoutes } from './routes.js';
import { findOperation, KEYWORD_OPERATION, SEMANTIC_OPERATION, type SearchOperation } from './search-operations.js';

const ALLOWED_METHODS = 'GET, HEAD, OPTIONS';

/** Headers of every answer that any web page may read: the service only reads. */
const OPEN_HEADERS = Object.entries({
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': `${QUOTA_HEADERS.join(', ')}, X-Result-Truncated, Retry-After, WWW-Authenticate, X-Request-Id`,
}).flat();

/** What web pages may read of a server of this machine alone; empty where a request could not be read. */
const OPEN_AT_HOME = [PATHS.keyword, PATHS.semantic, PATHS.health, ''];

const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Methods': ALLOWED_METHODS,
  // The last is sent by browser libraries of long ago without being asked, and would be refused with all the rest.
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, X-Requested-With',
  'Access-Control-Max-Age': '86400',
};
const PREFLIGHT: Content = { status: 204, headers: { Allow: ALLOWED_METHODS, ...PREFLIGHT_HEADERS }, body: '' };
/** Of a path that is not served: a browser then asks, and its page sees the 404 in place of an unreadable failure. */
const PREFLIGHT_OF_NOTHING: Content = { status: 204, headers: PREFLIGHT_HEADERS, body: '' };

/** Paths that programs ask. Their errors are JSON, whatever a client accepts. */
const FOR_PROGRAMS = /^\/(?:api|mcp|page)(?:\/|$)|^\/openapi\.json$|^(?:\/skills\/.+)?\/\.well-known\//;

/** The path of a download: owner, repository and name of a skill. */
const DOWNLOAD = /^\/api\/download\/([^/]+)\/([^/]+)\/([^/]+)$/;

/** Files of skills are by strangers: where a browser shows one, it may do nothing. */
const FILE_POLICY = { 'Content-Security-Policy': "default-src 'none'; sandbox" };

type Answerer = (visit: Visit) => Content | Promise<Content>;

/** The Skill Discovery API: which request gets which answer. Knows nothing of sockets. */
export class SkillDiscoveryService {
  readonly #search: SkillSearch;
  readonly #options: ResolvedHandlerOptions;
  readonly #findOptions: ResolvedHandlerOptions;
  readonly #extras: ServedExtras;
  readonly #operations: ReadonlyMap<string, Answerer>;
  readonly #pages: MinuteLimit;
  readonly #pageSearches: MinuteLimit;
  readonly #finds: MinuteLimit;
  readonly #files: MinuteLimit;
  readonly #publisher: Publisher | undefined;
  readonly #mcp: McpMount | undefined;
  /** Whether a state of the catalogue has installed skills. */
  #installed: { readonly stamp: string | undefined; readonly any: boolean } = { stamp: undefined, any: false };

  constructor(search: SkillSearch, options: ResolvedHandlerOptions) {
    this.#search = search;
    this.#options = options;
    this.#findOptions = { ...options, access: undefined };
    this.#pages = new MinuteLimit('pages', options.pagesPerMinute);
    this.#pageSearches = new MinuteLimit('searches', options.pageSearchesPerMinute);
    this.#finds = new MinuteLimit('searches', options.findPerMinute);
    this.#files = new MinuteLimit('requests', options.publishedPerMinute);
    const { publish, onUnpublished } = options;
    this.#publisher = publish.length === 0 ? undefined : new Publisher(search, publish, onUnpublished);
    this.#mcp = options.mcp ? new McpMount(search, options) : undefined;
    const { compatibility, mcp, pages } = options;
    const publishes = this.#publisher !== undefined;
    this.#extras = { compatible: compatibility !== undefined, mcp, pages, publishes };
    const answerWith =
      <Query>(operation: SearchOperation<Query>): Answerer =>
      (visit) =>
        answerSearch(operation, visit, search, options);
    const answerers: Readonly<Record<Exclude<OperationName, 'mcp' | 'download'>, Answerer>> = {
      keyword: answerWith(KEYWORD_OPERATION),
      semantic: answerWith(SEMANTIC_OPERATION),
      health: (visit) => this.#health(visit),
      find: (visit) => this.#find(visit),
    };
    this.#operations = new Map(
      servedRoutes(this.#extras).flatMap(({ path, name }) =>
        name === undefined || name === 'mcp' || name === 'download' ? [] : [[path, answerers[name]]],
      ),
    );
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
    return (
      target.startsWith(PATHS.health) && (target.length === PATHS.health.length || target[PATHS.health.length] === '?')
    );
  }

  /** Synchronous where possible, as for keyword searches. Never throws: errors become answers, too. */
  answer(call: Call): Answer | Promise<Answer> {
    const { publicUrl, isTrusted } = this.#options;
    const visit = beginVisit(call, publicUrl, isTrusted);
    if (this.#mcp !== undefined && visit.path === PATHS.mcp) {
      return this.#mcp.answer(visit).then((content) => this.#finish(visit, content, content.code));
    }
    if (!this.#options.cors && (this.#options.isLocal || this.#hasInstalled())) {
      const fault = this.#options.hosts.faultOf(call);
      if (fault !== undefined) {
        return this.#finish(visit, { status: fault.status, body: errorBody(fault.code, fault.message) }, fault.code);
      }
    }
    let content: Content | Promise<Content>;
    try {
      content = this.#route(visit);
    } catch (error) {
      return this.#fail(visit, error);
    }
    if (!(content instanceof Promise)) return this.#complete(visit, content, content.code);
    return content.then(
      (found) => this.#complete(visit, found, found.code),
      (error) => this.#fail(visit, error),
    );
  }

  /** The answer to a request that could not be read, or is one too many. */
  refuse({ status, code, message }: Refusal, address: string | undefined): Answer {
    const call = {
      method: '',
      target: '',
      origin: '',
      address,
      arrived: performance.now(),
      ready: performance.now(),
      header: () => undefined,
      signal: undefined,
      body: async () => Buffer.alloc(0),
      turn: async () => {},
    };
    const visit = beginVisit(call, undefined, () => false);
    const headers = {
      ...(status === 405 && { Allow: ALLOWED_METHODS }),
      ...(status === 429 && { 'Retry-After': '1' }),
    };
    return this.#finish(visit, { status, headers, body: errorBody(code, message) }, code);
  }

  /** Finishes a content, in the encoding that its client takes. */
  #complete(visit: Visit, content: Content, code: string | undefined): Answer | Promise<Answer> {
    // Operations are never compressed: programs that ask much would rather have them at once.
    if (content.tagged !== true && content.gzip === undefined) return this.#finish(visit, content, code);
    const encoded = encodeContent(content, (name) => visit.call.header(name));
    if (!(encoded instanceof Promise)) return this.#finish(visit, encoded, code);
    return encoded.then(
      (found) => this.#finish(visit, found, code),
      (error) => {
        this.#logFailure(visit, error);
        return this.#finish(visit, content, code);
      },
    );
  }

  /** Logs the request, and adds the headers of every answer. */
  #finish(visit: Visit, content: McpContent, code: string | undefined): Answer {
    const { call, requestId, client, address, path, started } = visit;
    const { status = 200, headers, body, stream, operation = '' }: McpContent = content;
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
    const all = body === '' || headers?.['Content-Type'] !== undefined ? [] : ['Content-Type', JSON_TYPE];
    if (this.#isOpen(path)) all.push(...OPEN_HEADERS);
    all.push('Cache-Control', content.tagged === true ? 'no-cache' : 'no-store', 'X-Content-Type-Options', 'nosniff');
    all.push('X-Request-Id', requestId);
    for (const name in headers) all.push(name, headers[name]!);
    return stream === undefined ? { status, headers: all, body } : { status, headers: all, body, stream };
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

  #fail(visit: Visit, error: unknown): Answer | Promise<Answer> {
    const { content, code, message, hidden } = translateError(error);
    if (hidden) this.#logFailure(visit, error);
    const allow = code === 'METHOD_NOT_ALLOWED' ? { Allow: ALLOWED_METHODS } : {};
    const headers = { ...content.headers, ...allow, ...(visit.quota && exceededHeaders(code, visit.quota)) };
    return this.#complete(visit, this.#forPeople(visit, { ...content, headers }, message), code);
  }

  /** An error as a page where people may see it: pages are served, and this is no path of programs. */
  #forPeople({ call, path, publicUrl, requestId }: Visit, content: Content, message: string): Content {
    if (!this.#options.pages || FOR_PROGRAMS.test(path) || message === '') return content;
    const headers: Record<string, string> = { ...content.headers, Vary: 'Accept' };
    if (!prefersHtml(call.header('accept'))) return { ...content, headers };
    const { status = 500 } = content;
    const retryAfter = headers['Retry-After'];
    const page = errorPage({ status, message, retryAfter, requestId, base: baseOf(publicUrl) });
    return { ...compressible(page), headers: { ...headers, ...page.headers } };
  }

  #logFailure({ requestId }: Visit, error: unknown): void {
    logFailure(error, this.#search, requestId, this.#options.log);
  }

  #route(visit: Visit): Content | Promise<Content> {
    const { method } = visit.call;
    const route = this.#operations.get(visit.path) ?? this.#publishedAt(visit.path) ?? this.#pageOf(visit.path);
    if (route === undefined) {
      if (method === 'OPTIONS' && isPreflight(visit.call)) return PREFLIGHT_OF_NOTHING;
      throw notFound();
    }
    if (method === 'GET' || method === 'HEAD') return route(visit);
    if (method === 'OPTIONS') return PREFLIGHT;
    throw new SkillSearchError('METHOD_NOT_ALLOWED', `the method must be one of ${ALLOWED_METHODS}`);
  }

  /** What installers ask for, if this is one of their paths. */
  #publishedAt(path: string): Answerer | undefined {
    const publisher = this.#publisher;
    if (publisher === undefined) return undefined;
    const counted = (answer: (turn: () => Promise<void>) => Promise<Content>): Answerer => {
      return async (visit) => {
        visit.quota = { daily: 0, perMinute: this.#options.publishedPerMinute };
        // Before anything is read: what is not there costs as much.
        this.#files.count(clientOfAddress(visit.address));
        return answer(() => clientTurn(visit.call));
      };
    };
    const [, owner, repository, skill] = (this.#extras.compatible && DOWNLOAD.exec(path)) || [];
    if (owner !== undefined) {
      return counted(async (turn) => {
        const download = await publisher.download(owner, repository!, skill!, turn);
        if (download === undefined) throw notFound();
        return { body: JSON.stringify(download) };
      });
    }
    if (readPublishedPath(path) === undefined) return undefined;
    return counted(async (turn) => {
      const file = await publisher.file(path, turn);
      if (file === undefined) throw notFound();
      const { type, ...sent } = file;
      return { tagged: true, headers: { 'Content-Type': type, ...FILE_POLICY }, ...sent };
    });
  }

  #pageOf(path: string): Answerer | undefined {
    if (!this.#options.pages) return undefined;
    if (path === PATHS.description) return (visit) => this.#description(visit);
    const page = findPage(path);
    return page === undefined ? undefined : (visit) => this.#page(page, visit);
  }

  async #description({ publicUrl, address }: Visit): Promise<Content> {
    this.#pages.count(clientOfAddress(address));
    return { tagged: true, body: await describeApi(publicUrl, this.#extras) };
  }

  #page(page: Page, visit: Visit): Content | Promise<Content> {
    const { signal } = visit.call;
    const request = {
      search: this.#search,
      path: visit.path,
      query: visit.query,
      publicUrl: visit.publicUrl,
      base: baseOf(visit.publicUrl),
      longestWait: this.#options.longestWait,
      installAddress: async (id: string) => this.#publisher?.addressOf(id, visit.publicUrl),
      signal,
      turn: () => clientTurn(visit.call),
      logDamaged: (damaged: readonly DamagedSkill[] | undefined) => {
        if (damaged !== undefined) logDamaged(damaged, this.#search, visit.requestId, this.#options.log);
      },
      logFailure: (error: unknown) => this.#logFailure(visit, error),
    };
    // Refused before it counts: other pages must not use up what is our own page's.
    if (page.forOwnPages === true && !mayBeFromOwnPage(visit.call, visit.publicUrl)) return NOT_FROM_OWN_PAGE;
    const counted = page.counted(request);
    const limit = { pages: this.#pages, searches: this.#pageSearches };
    // Before anything is read: what is not there, or is damaged, costs as much.
    const left = counted === undefined ? undefined : limit[counted].count(clientOfAddress(visit.address));
    const toContent = (answer: PageAnswer | undefined): Content => {
      if (answer === undefined) throw notFound();
      const sent = compressible(answer);
      if (page.forOwnPages !== true) return { tagged: true, ...sent };
      return { ...sent, headers: { ...answer.headers, ...pageSearchHeaders(left) } };
    };
    const answer = page.show(request);
    if (!(answer instanceof Promise)) return toContent(answer);
    return answer.then(toContent, (error) => {
      throw signal?.aborted === true ? new ClientGone() : error;
    });
  }

  /** The installer asks at each key press. So this has a limit of its own, and uses no quota. */
  #find(visit: Visit): Content | Promise<Content> {
    visit.quota = { daily: 0, perMinute: this.#options.findPerMinute };
    const minute = this.#finds.count(clientOfAddress(visit.address));
    return answerSearch(findOperation(this.#publisher), visit, this.#search, this.#findOptions, minute);
  }

  #health(visit: Visit): Content | Promise<Content> {
    return after(askHealth(this.#search, this.#options.access), ({ healthy, error }): Content => {
      if (healthy) return { body: '{"status":"ok"}' };
      this.#logFailure(visit, error);
      return { status: 503, body: '{"status":"degraded"}' };
    });
  }
}

const NOT_FROM_OWN_PAGE: Content = {
  status: 403,
  code: 'ORIGIN_NOT_ALLOWED',
  body: errorBody('ORIGIN_NOT_ALLOWED', 'only the pages of this service may ask this; programs use the API'),
};

/** What the script of the page goes by, so that it does not run into the limit. */
function pageSearchHeaders(left: MinuteLeft | undefined): Readonly<Record<string, string>> {
  return left === undefined ? {} : { ...minuteHeaders(left), 'X-RateLimit-Minute-Reset': String(left.reset) };
}

/** Texts of pages may be compressed. Bytes are files of skills: they are sent as they are. */
function compressible(answer: PageAnswer): Content {
  const { body } = answer;
  return typeof body === 'string' ? { gzip: () => gzipped(body, false), ...answer } : answer;
}

/** The path of the public URL, without a slash at its end. */
function baseOf(publicUrl: string): string {
  // A handler may be asked for a URL of any kind: its origin is then `null`.
  return URL.canParse(publicUrl) ? new URL(publicUrl).pathname.replace(/\/+$/, '') : '';
}

/** Whether a browser asks before a request of a page; OPTIONS alone may come from anybody. */
function isPreflight(call: Call): boolean {
  return call.header('access-control-request-method') !== undefined;
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
