import {
  type Admission,
  type Client,
  type KeysAndQuotas,
  type Quota,
  type SharedAdmission,
  UNLIMITED_ADMISSION,
} from '../access/index.js';
import { type ErrorCode, type SkillSearch, SkillSearchError } from '../index.js';
import { after, type Body, type Content, type Visit } from './call.js';
import { ClientGone } from './errors.js';
import { logDamaged, logFailure } from './log.js';
import type { ResolvedHandlerOptions } from './options.js';
import type { MinuteLeft } from './rate-limits.js';
import type { SearchOperation } from './search-operations.js';

/**
 * Answers a search. The order of checks: the key, the limit of the minute, the question, the limit of the day. Then the
 * search runs, and may fail. Only an answered search uses the day's quota.
 *
 * @param minute of a limit of its own that the request was counted for already
 * @throws {SkillSearchError} for a failed check, and what the search throws
 */
export function answerSearch<Query>(
  operation: SearchOperation<Query>,
  visit: Visit,
  search: SkillSearch,
  options: ResolvedHandlerOptions,
  minute?: MinuteLeft,
): Content | Promise<Content> {
  const { access, compatibility } = options;
  const compatible = compatibility !== undefined;
  const identified = access === undefined ? undefined : identify(access, operation, visit);
  return after<Client | undefined, Content>(identified, (client) => {
    visit.client = client;
    visit.quota ??= client?.quota;
    const admit = (fault?: SkillSearchError): Admission | Promise<SharedAdmission> => {
      if (access !== undefined && client !== undefined) return access.admit(client, fault);
      if (fault !== undefined) throw fault;
      return UNLIMITED_ADMISSION;
    };
    let query: Query;
    try {
      query = operation.read(visit.query, compatible);
    } catch (error) {
      if (!(error instanceof SkillSearchError)) throw error;
      // A faulty question counts as a request of the minute, too, and that limit is reported first.
      return after<unknown, Content>(admit(error), () => {
        throw error;
      });
    }
    const answerAdmitted = (admission: Admission | SharedAdmission): Content | Promise<Content> =>
      answerCounted(operation, query, { admission, visit, search, options, minute });
    const admission = admit();
    return admission instanceof Promise
      ? inTurn(admission, visit, search, options, answerAdmitted)
      : answerAdmitted(admission);
  });
}

/** What the answer to a search that was counted is made of. */
interface Counted {
  readonly admission: Admission | SharedAdmission;
  readonly visit: Visit;
  readonly search: SkillSearch;
  readonly options: ResolvedHandlerOptions;
  readonly minute: MinuteLeft | undefined;
}

/** Many requests may be admitted at one moment: their searches take turns, as requests do when they arrive. */
async function inTurn(
  admitted: Promise<SharedAdmission>,
  visit: Visit,
  search: SkillSearch,
  options: ResolvedHandlerOptions,
  answer: (admission: SharedAdmission) => Content | Promise<Content>,
): Promise<Content> {
  const admission = await admitted;
  await visit.call.turn();
  if (visit.call.signal?.aborted !== true) return answer(admission);
  await giveBack(admission, visit, search, options);
  throw new ClientGone();
}

function answerCounted<Query>(
  operation: SearchOperation<Query>,
  query: Query,
  { admission, visit, search, options, minute }: Counted,
): Content | Promise<Content> {
  const { compatibility, longestWait, log } = options;
  const compatible = compatibility !== undefined;
  const takeBack = (error: unknown): Promise<never> | never => {
    const gaveBack = giveBack(admission, visit, search, options);
    if (gaveBack === undefined) throw error;
    return gaveBack.then(() => {
      throw error;
    });
  };
  let isTruncated = false;
  const toContent = (body: Body): Content => ({
    headers: { ...quotaHeaders(admission, minute), ...(isTruncated ? TRUNCATED : {}) },
    body,
  });
  let answered: Body | Promise<Body>;
  try {
    // It may have waited for its turn already.
    const waited = (performance.now() - visit.call.ready) / 1000;
    if (longestWait > 0 && waited > longestWait) throw busy();
    answered = operation.answer(query, {
      search,
      record: { publicUrl: visit.publicUrl, githubUrl: compatible },
      compatible,
      meta: () => metaOf(visit),
      longestWait: longestWait === 0 ? 0 : Math.max(LEAST_PATIENCE, longestWait - waited),
      noteTruncated: (truncated) => {
        isTruncated = truncated === true;
      },
      call: visit.call,
      logDamaged: (damaged) => {
        if (damaged !== undefined) logDamaged(damaged, search, visit.requestId, log);
      },
    });
  } catch (error) {
    return takeBack(error);
  }
  return answered instanceof Promise ? answered.then(toContent, takeBack) : toContent(answered);
}

/** Gives a request back to the day. An error of that is for the log: the client gets the one before. */
function giveBack(
  admission: Admission | SharedAdmission,
  { requestId }: Visit,
  search: SkillSearch,
  { log }: ResolvedHandlerOptions,
): Promise<void> | undefined {
  const onFailure = (error: unknown): void => logFailure(error, search, requestId, log);
  try {
    return admission.giveBack()?.catch(onFailure);
  } catch (error) {
    onFailure(error);
    return undefined;
  }
}

/** Seconds. A search that is not too late may wait at least so long: 0 would be no limit. */
export const LEAST_PATIENCE = 0.001;

/** Whoever asks again in a second finds most of those gone that waited with it. */
export function busy(): SkillSearchError {
  return new SkillSearchError('BUSY', 'too many requests wait; try again in 1 s', { retryAfter: 1 });
}

function identify(
  access: KeysAndQuotas,
  { key }: SearchOperation,
  { call, address, started }: Visit,
): Client | Promise<Client> {
  const authorization = key === 'ignored' ? undefined : call.header('authorization');
  if (key === 'required' && authorization === undefined) {
    throw new SkillSearchError('MISSING_API_KEY', 'this search needs an API key: `Authorization: Bearer <key>`');
  }
  return access.identify(authorization, address, started);
}

/** Says that the question was too costly to finish. */
const TRUNCATED = { 'X-Result-Truncated': 'true' };

function metaOf({ requestId, started }: Visit): string {
  return `{"requestId":"${requestId}","responseTimeMs":${Math.round(performance.now() - started)}}`;
}

/** The headers that tell a client its quota, as every description and every list of exposed headers has them. */
export const QUOTA_HEADERS = [
  'X-RateLimit-Daily-Limit',
  'X-RateLimit-Daily-Remaining',
  'X-RateLimit-Minute-Limit',
  'X-RateLimit-Minute-Remaining',
] as const;

/**
 * What an answered search tells of the day and of the minute.
 *
 * @param minute of a limit of its own, where that counts in place of the client's
 */
export function quotaHeaders(admission: Admission, minute?: MinuteLeft): Record<string, string> {
  return {
    'X-RateLimit-Daily-Limit': String(admission.dailyLimit),
    'X-RateLimit-Daily-Remaining': String(admission.dailyRemaining),
    ...minuteHeaders(minute ?? { limit: admission.minuteLimit, remaining: admission.minuteRemaining }),
  };
}

/** What an answer tells of the minute. */
export function minuteHeaders({ limit, remaining }: Pick<MinuteLeft, 'limit' | 'remaining'>): Record<string, string> {
  return { 'X-RateLimit-Minute-Limit': String(limit), 'X-RateLimit-Minute-Remaining': String(remaining) };
}

/** What a refused request tells: the limit that refuses it, of which nothing is left. */
export function exceededHeaders(
  code: ErrorCode | undefined,
  { daily, perMinute }: Quota,
): Readonly<Record<string, string>> {
  if (code === 'RATE_LIMIT_EXCEEDED') return minuteHeaders({ limit: perMinute, remaining: 0 });
  if (code !== 'DAILY_QUOTA_EXCEEDED') return {};
  return { 'X-RateLimit-Daily-Limit': String(daily), 'X-RateLimit-Daily-Remaining': '0' };
}

/** Whether what every search needs can be read now. */
export interface Health {
  readonly healthy: boolean;
  readonly error?: unknown;
}

/** Never throws nor rejects. */
export function askHealth(search: SkillSearch, access: KeysAndQuotas | undefined): Health | Promise<Health> {
  try {
    search.check();
    const checked = after(access?.check(), (): Health => ({ healthy: true }));
    return checked instanceof Promise ? checked.catch((error: unknown) => ({ healthy: false, error })) : checked;
  } catch (error) {
    return { healthy: false, error };
  }
}
