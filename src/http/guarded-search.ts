import {
  type Admission,
  type Client,
  type KeysAndQuotas,
  type Quota,
  type SharedAdmission,
  UNLIMITED_ADMISSION,
} from '../access/index.js';
import { type ErrorCode, type SkillSearch, SkillSearchError } from '../index.js';
import { type Content, clientTurn, type Visit } from './call.js';
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
export async function answerSearch<Query>(
  operation: SearchOperation<Query>,
  visit: Visit,
  search: SkillSearch,
  options: ResolvedHandlerOptions,
  minute?: MinuteLeft,
): Promise<Content> {
  const { access, log, longestWait } = options;
  const { call, requestId, publicUrl } = visit;
  const compatible = options.compatibility !== undefined;
  if (access !== undefined) {
    visit.client = await identify(access, operation, visit);
    visit.quota ??= visit.client.quota;
  }
  const { query, fault } = readQuestion(() => operation.read(visit.query, compatible));
  // A faulty question counts as a request of the minute, too, and that limit is reported first.
  if (fault !== undefined && access === undefined) throw fault;
  const admitted = access === undefined ? UNLIMITED_ADMISSION : access.admit(visit.client!, fault);
  const admission = await admitted;
  try {
    // A database may admit many requests at one moment: their searches take turns, as requests do when they arrive.
    if (admitted instanceof Promise) await clientTurn(call);
    const waited = (performance.now() - call.ready) / 1000;
    if (longestWait > 0 && waited > longestWait) throw busy();
    const { body, truncated, worth, damaged } = await operation.answer(query!, {
      search,
      call,
      publicUrl,
      compatible,
      meta: () => `{"requestId":"${requestId}","responseTimeMs":${Math.round(performance.now() - visit.started)}}`,
      longestWait: patienceLeft(longestWait, waited),
    });
    if (damaged !== undefined) logDamaged(damaged, search, requestId, log);
    // A truncated answer is to a question that was too costly to finish.
    const more = {
      ...(truncated === true && { 'X-Result-Truncated': 'true' }),
      ...(worth !== undefined && { 'X-Result-Confident': String(worth > 0), 'X-Result-Worth': String(worth) }),
    };
    return { headers: { ...quotaHeaders(admission, minute), ...more }, body, compressed: true };
  } catch (error) {
    await giveBack(admission, (failure) => logFailure(failure, search, requestId, log));
    throw error;
  }
}

function readQuestion<Query>(read: () => Query): { readonly query?: Query; readonly fault?: SkillSearchError } {
  try {
    return { query: read() };
  } catch (error) {
    if (error instanceof SkillSearchError) return { fault: error };
    throw error;
  }
}

async function identify(
  access: KeysAndQuotas,
  { key }: Pick<SearchOperation, 'key'>,
  { call, address }: Visit,
): Promise<Client> {
  const authorization = key === 'ignored' ? undefined : call.header('authorization');
  if (key === 'required' && authorization === undefined) {
    throw new SkillSearchError('MISSING_API_KEY', 'this search needs an API key: `Authorization: Bearer <key>`');
  }
  return access.identify(authorization, address);
}

/** Gives a request back to the day. An error of that is for the log: the client gets the one before. */
export async function giveBack(
  admission: Admission | SharedAdmission | undefined,
  onFailure: (error: unknown) => void,
): Promise<void> {
  try {
    await admission?.giveBack();
  } catch (error) {
    onFailure(error);
  }
}

/** Seconds. A search that is not too late may wait at least so long: 0 would be no limit. */
const LEAST_PATIENCE = 0.001;

/** Seconds that a search may still wait; 0 for no limit. */
export function patienceLeft(longestWait: number, waited: number): number {
  return longestWait === 0 ? 0 : Math.max(LEAST_PATIENCE, longestWait - waited);
}

/** Whoever asks again in a second finds most of those gone that waited with it. */
export function busy(): SkillSearchError {
  return new SkillSearchError('BUSY', 'too many requests wait; try again in 1 s', { retryAfter: 1 });
}

/**
 * What an answered search tells of the day and of the minute.
 *
 * @param minute of a limit of its own, where that counts in place of the client's
 */
export function quotaHeaders(admission: Admission | SharedAdmission, minute?: MinuteLeft): Record<string, string> {
  return {
    'X-RateLimit-Daily-Limit': String(admission.dailyLimit),
    'X-RateLimit-Daily-Remaining': String(admission.dailyRemaining),
    ...minuteHeaders(minute ?? { limit: admission.minuteLimit, remaining: admission.minuteRemaining }),
  };
}

/** What an answer tells of the minute. */
export function minuteHeaders({ limit, remaining }: MinuteLeft): Record<string, string> {
  return { 'X-RateLimit-Minute-Limit': String(limit), 'X-RateLimit-Minute-Remaining': String(remaining) };
}

/** What a refused request tells: the limit that refuses it, of which nothing is left. */
export function exceededHeaders(code: ErrorCode | undefined, quota: Quota | undefined): Record<string, string> {
  if (quota === undefined) return {};
  if (code === 'RATE_LIMIT_EXCEEDED') return minuteHeaders({ limit: quota.perMinute, remaining: 0 });
  if (code !== 'DAILY_QUOTA_EXCEEDED') return {};
  return { 'X-RateLimit-Daily-Limit': String(quota.daily), 'X-RateLimit-Daily-Remaining': '0' };
}
