import { type KeysAndQuotas, openAccess, UNLIMITED } from '../access/index.js';
import {
  checkChoice,
  checkFlag,
  checkInteger,
  checkListener,
  checkNumber,
  invalidArgument,
  MAX_LONGEST_WAIT,
  optionOf,
  quietly,
} from '../core/index.js';
import { type SkillSearch, SkillSearchError } from '../index.js';
import type { UnpublishedListener } from '../mcp/index.js';
import { resolveTrustedHops, type TrustedHops } from './forwarded-address.js';
import { type LogEvent, withoutKeys } from './log.js';
import { AllowedHosts, LOOPBACK, resolveHosts } from './origins.js';
import { checkPublishRules, type PublishRule } from './published/publication.js';

/** The limits of `/mcp`, beside those of the server. They cannot be changed. */
export const MCP_HTTP_LIMITS = {
  /** Largest body, in bytes. Nothing that a tool takes is longer than some kilobytes. */
  bodyBytes: 65_536,
  /** Bytes of a body that are read and thrown away, so that its sender reads why it is refused. */
  skippedBytes: 33_554_432,
  /** What a byte of a body counts for until it is answered: about what it becomes when it is parsed. */
  bytesPerByte: 8,
  /** What a request counts for until it is answered, beside its body: about what the SDK makes for it. */
  exchangeBytes: 32_768,
  /** Open streams of notifications. Half of the connections that there may be. */
  streams: 1000,
  /** Open streams of one client. An agent has one for each of its windows. */
  streamsPerClient: 32,
  /** Milliseconds between two signs of life on a stream: proxies close what is silent for a minute. */
  keepAlive: 15_000,
  /** Milliseconds between two looks at the catalogue while a stream is open. */
  lookInterval: 500,
};

/** Services whose clients the API can serve beyond the specification; see {@link HandlerOptions.compatibility}. */
export const COMPATIBILITIES = ['skillsmp'] as const;
/** A name of {@link COMPATIBILITIES}. */
export type Compatibility = (typeof COMPATIBILITIES)[number];

/** What limits are unless an option of the same name says otherwise. Of the second, ten times as many at once. */
export const DEFAULT_LIMITS = {
  pagesPerMinute: 120,
  pageSearchesPerMinute: 120,
  findPerMinute: 60,
  publishedPerMinute: 3000,
  /** In seconds. */
  longestWait: 5,
  connectionsPerAddress: 500,
  connectionsPerSecond: 50,
  requestsPerSecond: 500,
} as const;

/** Options of `createHandler` and `startServer`. */
export interface HandlerOptions {
  /**
   * API keys and quotas, from `openAccess` or `connectAccess`. `false` needs no key and counts nothing: for a service
   * that another layer protects.
   *
   * @default anonymous access with the default quotas, counted in memory; without keys there is no semantic search
   */
  readonly access?: KeysAndQuotas | false | undefined;
  /**
   * The http or https URL by which clients reach the service, for links to its pages.
   *
   * @default the origin of each request
   */
  readonly publicUrl?: string | undefined;
  /**
   * The proxies whose `X-Forwarded-For` is believed: a number of hops, 0 or more, or a list of addresses, networks
   * (`10.0.0.0/8`) and names (`loopback`, `linklocal`, `uniquelocal`).
   *
   * @default none: the address of the connection counts
   */
  readonly trustProxy?: number | readonly string[] | undefined;
  /**
   * `skillsmp` adds `githubUrl` to skills, adds `hasNext` and `hasPrev` to the pagination, takes a `limit` up to 100, and
   * a larger one as 100, gives semantic search pages, and serves `GET /api/search` for `npx skills find`; with
   * {@link publish} also `GET /api/download/…`.
   *
   * @default none: exactly what the specification says
   */
  readonly compatibility?: Compatibility | undefined;
  /**
   * Whether to serve also pages for people: a search page at `/`, a page for each skill (`/skills/<id>`),
   * and `/openapi.json`.
   *
   * @default false
   */
  readonly pages?: boolean | undefined;
  /**
   * How often each address may ask for a page within a minute, an integer from 0; 0 for no limit. Counted in memory.
   *
   * @default 120; with `access: false` 0
   */
  readonly pagesPerMinute?: number | undefined;
  /**
   * How often each address may search on the search page within a minute, an integer from 0; 0 for no limit. The page
   * searches as somebody types. Counted in memory, apart from the quotas of searches.
   *
   * @default 120; with `access: false` 0
   */
  readonly pageSearchesPerMinute?: number | undefined;
  /**
   * How often each address may ask `GET /api/search` within a minute, an integer from 0; 0 for no limit. Counted in
   * memory, apart from the quotas of searches.
   *
   * @default 60; with `access: false` 0
   */
  readonly findPerMinute?: number | undefined;
  /**
   * Which skills to publish for installers, such as `npx skills add`: those that any of these rules chooses, 1,000 at
   * most, if all of their files are stored and they keep the rules of the Agent Skills specification. They are served
   * below `/.well-known/agent-skills/` and `/.well-known/skills/`, and below the address of each skill's page.
   *
   * @default none
   */
  readonly publish?: readonly PublishRule[] | undefined;
  /**
   * How often each address may ask for what is published within a minute, an integer from 0; 0 for no limit. An
   * installer asks once for each skill, or once for each file. Counted in memory.
   *
   * @default 3000; with `access: false` 0
   */
  readonly publishedPerMinute?: number | undefined;
  /**
   * Seconds that a search may wait for others before it, at most 3600; 0 for no limit. If it would wait longer it is
   * answered 503 `BUSY` with `Retry-After`, and uses nothing of the day's quota.
   *
   * @default 5
   */
  readonly longestWait?: number | undefined;
  /**
   * Whether to serve also `/mcp`: the Model Context Protocol by Streamable HTTP, with the same keys and quotas. Needs
   * the optional package `@modelcontextprotocol/server`.
   *
   * @default false
   */
  readonly mcp?: boolean | undefined;
  /**
   * Names or addresses, without ports, by which clients reach `/mcp`, beside `localhost`, the host of `publicUrl` and
   * the one that `startServer` listens at. Requests for any other host are refused. So are those for any path where the
   * catalogue has installed skills, or where `startServer` listens at a loopback address without `trustProxy`.
   *
   * @default none
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /**
   * Whether any web page may read all answers but those of `/mcp`, and ask for any host, also where the catalogue has
   * installed skills or the server listens at a loopback address. Without it, pages read nothing of installed skills,
   * and at a loopback address only the searches and health.
   *
   * @default false
   */
  readonly cors?: boolean | undefined;
  /**
   * Told of each skill that is found but not published, whenever it is met: `everywhere`, because what is stored of it
   * is not the skill as it is, or its name breaks the naming rules; `for-installers`, because {@link publish} cannot
   * hand it on; `in-index`, because another skill has the same name there.
   *
   * @default none
   */
  readonly onUnpublished?: UnpublishedListener | undefined;
  /** Receives an event for each answered request, and for each error whose details clients do not see. @default none */
  readonly log?: ((event: LogEvent) => void) | undefined;
}

type Kept = Exclude<keyof HandlerOptions, 'access' | 'publicUrl' | 'trustProxy' | 'compatibility' | 'allowedHosts'>;

/** With what is left out filled in. */
export interface ResolvedHandlerOptions extends Required<{ [Name in Kept]: NonNullable<HandlerOptions[Name]> }> {
  readonly access: KeysAndQuotas | undefined;
  /** Without a slash at its end; undefined to use the origin of each request. */
  readonly publicUrl: string | undefined;
  readonly isTrusted: TrustedHops;
  readonly compatibility: Compatibility | undefined;
  readonly hosts: AllowedHosts;
  /** Whether only this machine reaches the server, and no proxy stands before it. */
  readonly isLocal: boolean;
}

/** The names of {@link HandlerOptions}, for `namesOf`: whoever adds options lists them together with these. */
export const HANDLER_OPTIONS: Readonly<Record<keyof HandlerOptions, true>> = {
  ...({ access: true, publicUrl: true, trustProxy: true, compatibility: true, longestWait: true, mcp: true } as const),
  ...({ pages: true, pagesPerMinute: true, pageSearchesPerMinute: true, findPerMinute: true } as const),
  ...({ publish: true, publishedPerMinute: true, onUnpublished: true } as const),
  ...({ allowedHosts: true, cors: true, log: true } as const),
};

/**
 * @param listensAt the host that a server of our own listens at
 * @throws {SkillSearchError} `INVALID_OPTION`
 */
export function resolveHandlerOptions(options: HandlerOptions, listensAt?: string): ResolvedHandlerOptions {
  const { compatibility, pages = false, mcp = false, cors = false, log = () => {}, onUnpublished } = options;
  if (compatibility !== undefined) checkChoice(optionOf('compatibility'), compatibility, COMPATIBILITIES);
  for (const [name, flag] of Object.entries({ pages, mcp, cors })) checkFlag(name, flag);
  checkListener('log', log);
  checkListener('onUnpublished', onUnpublished);
  const isTrusted = resolveTrustedHops(options.trustProxy);
  const publicUrl = resolvePublicUrl(options.publicUrl);
  const longestWait = checkNumber(optionOf('longestWait'), options.longestWait, 0, MAX_LONGEST_WAIT);
  return {
    ...{ publicUrl, isTrusted, compatibility, pages, mcp, cors },
    publish: checkPublishRules(options.publish),
    access: options.access === false ? undefined : (checkAccess(options.access) ?? openAccess({ state: ':memory:' })),
    pagesPerMinute: limitOf('pagesPerMinute', options),
    pageSearchesPerMinute: limitOf('pageSearchesPerMinute', options),
    findPerMinute: limitOf('findPerMinute', options),
    publishedPerMinute: limitOf('publishedPerMinute', options),
    longestWait: longestWait ?? DEFAULT_LIMITS.longestWait,
    hosts: new AllowedHosts({ publicUrl, hosts: resolveHosts('allowedHosts', options.allowedHosts), listensAt }),
    isLocal: LOOPBACK.test(listensAt ?? '') && !isTrusted('127.0.0.1', 0),
    onUnpublished: quietly(onUnpublished),
    log: quietly((event) => log(withoutKeys(event))),
  };
}

/**
 * A limit of each address, which a service that another layer protects has only if it is given.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`
 */
export function limitOf<Name extends keyof typeof DEFAULT_LIMITS>(
  name: Name,
  options: Pick<HandlerOptions, 'access'> & { readonly [name in Name]?: number | undefined },
): number {
  return (
    checkInteger(optionOf(name), options[name], 0, UNLIMITED) ?? (options.access === false ? 0 : DEFAULT_LIMITS[name])
  );
}

/** @throws {SkillSearchError} `INVALID_OPTION` unless it can be asked as a search is: each request would fail */
export function checkSearch(search: unknown): void {
  if (typeof (search as Partial<SkillSearch> | null | undefined)?.keyword === 'function') return;
  throw invalidArgument(optionOf('search'), 'an open search', search);
}

function checkAccess(access: KeysAndQuotas | undefined): KeysAndQuotas | undefined {
  if (access === undefined || typeof access?.admit === 'function') return access;
  throw invalidArgument(optionOf('access'), 'what openAccess() or connectAccess() returns, or false', access);
}

function resolvePublicUrl(publicUrl: string | undefined): string | undefined {
  if (publicUrl === undefined) return undefined;
  const url = URL.canParse(publicUrl) ? new URL(publicUrl) : undefined;
  const plain = url !== undefined && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
  if (plain && url.username === '' && url.password === '') return url.href.replace(/\/+$/, '');
  throw new SkillSearchError(
    'INVALID_OPTION',
    `publicUrl must be an http or https URL without user, query and fragment, got ${JSON.stringify(publicUrl)}`,
  );
}
