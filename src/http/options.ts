import { type Access, openAccess } from '../access/index.js';
import { SkillSearchError } from '../index.js';
import { resolveTrustedHops, type TrustedHops } from './client-address.js';
import type { LogEvent } from './log-event.js';

/** What the service adds for clients of the public service that speaks the same interface. The one there is. */
export const COMPATIBILITIES = ['skillsmp'] as const;
export type Compatibility = (typeof COMPATIBILITIES)[number];

export interface HandlerOptions {
  /**
   * Keys and quotas. `false` asks nobody for a key and counts nothing, for who guards the service himself.
   *
   * @default the default quotas, counted in memory; there is no key then, hence no semantic search
   */
  readonly access?: Access | false | undefined;
  /** Where clients reach the service, for links to its own pages. @default the address that the request was sent to */
  readonly publicUrl?: string | undefined;
  /**
   * Whose `X-Forwarded-For` is believed: how many hops, or addresses, networks (`10.0.0.0/8`) and the names `loopback`,
   * `linklocal`, `uniquelocal`.
   *
   * @default nobody's: the address of the connection counts
   */
  readonly trustProxy?: number | readonly string[] | undefined;
  /**
   * `skillsmp` adds `githubUrl` to skills, `hasNext` and `hasPrev` to the pagination, takes a `limit` above 50 as 50, and
   * serves `GET /api/search` as `npx skills find` asks it.
   *
   * @default the specification to the letter
   */
  readonly compatibility?: Compatibility | undefined;
  /** Whether `/`, `/openapi.json` and a page for each skill (`/skills/<id>`) are served, too. @default false */
  readonly pages?: boolean | undefined;
  /** Told of every request when it has been answered, and of what clients are not told. */
  readonly log?: ((event: LogEvent) => void) | undefined;
}

export interface ResolvedHandlerOptions {
  readonly access: Access | undefined;
  /** Without a slash at its end; undefined where each request tells. */
  readonly publicUrl: string | undefined;
  readonly isTrusted: TrustedHops;
  readonly compatibility: Compatibility | undefined;
  readonly pages: boolean;
  readonly log: (event: LogEvent) => void;
}

/** @throws {SkillSearchError} `INVALID_OPTION` */
export function resolveHandlerOptions(options: HandlerOptions = {}): ResolvedHandlerOptions {
  const { compatibility, pages = false, log = () => {} } = options;
  if (compatibility !== undefined && !COMPATIBILITIES.includes(compatibility)) {
    const message = `compatibility must be one of ${COMPATIBILITIES.join(', ')}, got ${String(compatibility)}`;
    throw new SkillSearchError('INVALID_OPTION', message);
  }
  if (typeof pages !== 'boolean') throw new SkillSearchError('INVALID_OPTION', 'pages must be true or false');
  if (typeof log !== 'function') throw new SkillSearchError('INVALID_OPTION', 'log must be a function');
  const isTrusted = resolveTrustedHops(options.trustProxy);
  const publicUrl = resolvePublicUrl(options.publicUrl);
  const access = options.access === false ? undefined : (options.access ?? openAccess({ state: ':memory:' }));
  return { access, publicUrl, isTrusted, compatibility, pages, log: quietly(log) };
}

/** A log that fails is no reason not to answer. */
function quietly(log: (event: LogEvent) => void): (event: LogEvent) => void {
  return (event) => {
    try {
      log(event);
    } catch {
      // There is nobody left to tell.
    }
  };
}

function resolvePublicUrl(publicUrl: string | undefined): string | undefined {
  if (publicUrl === undefined) return undefined;
  const url = URL.canParse(publicUrl) ? new URL(publicUrl) : undefined;
  const plain = url !== undefined && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
  if (plain && url.username === '' && url.password === '') return url.href.replace(/\/+$/, '');
  throw new SkillSearchError(
    'INVALID_OPTION',
    `publicUrl must be an http or https address without query, got ${JSON.stringify(publicUrl)}`,
  );
}
