import { type Access, type Admission, type Client, UNLIMITED_ADMISSION } from '../access/index.js';
import { type SkillSearch, SkillSearchError } from '../index.js';
import type { Body } from './body.js';
import type { Content } from './call.js';
import { logDamaged } from './damage-log.js';
import type { MinuteLeft } from './minute-limit.js';
import type { ResolvedHandlerOptions } from './options.js';
import { quotaHeaders } from './quota-headers.js';
import type { SearchOperation } from './search-operations.js';
import type { Visit } from './visit.js';

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
  { access, compatibility, longestWait, log }: ResolvedHandlerOptions,
  minute?: MinuteLeft,
): Content | Promise<Content> {
  const compatible = compatibility !== undefined;
  const client = access === undefined ? undefined : identify(access, operation, visit);
  visit.client = client;
  visit.quota ??= client?.quota;
  const admit = (fault?: SkillSearchError): Admission => {
    if (access !== undefined && client !== undefined) return access.admit(client, fault);
    if (fault !== undefined) throw fault;
    return UNLIMITED_ADMISSION;
  };
  const query = readQuestion(() => operation.read(visit.query, compatible), admit);
  const admission = admit();
  const takeBack = (error: unknown): never => {
    try {
      admission.giveBack();
    } catch (failure) {
      // The client gets the first error.
      log({ kind: 'failure', requestId: visit.requestId, error: failure });
    }
    throw error;
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

/** Seconds. A search that is not too late may wait at least so long: 0 would be no limit. */
export const LEAST_PATIENCE = 0.001;

/** Whoever asks again in a second finds most of those gone that waited with it. */
export function busy(): SkillSearchError {
  return new SkillSearchError('BUSY', 'too many requests wait; try again in 1 s', { retryAfter: 1 });
}

function identify(access: Access, { key }: SearchOperation, { call, address, started }: Visit): Client {
  const authorization = key === 'ignored' ? undefined : call.header('authorization');
  if (key === 'required' && authorization === undefined) {
    throw new SkillSearchError('MISSING_API_KEY', 'this search needs an API key: `Authorization: Bearer <key>`');
  }
  return access.identify(authorization, address, started);
}

/** Says that the question was too costly to finish. */
const TRUNCATED = { 'X-Result-Truncated': 'true' };

/** A faulty question counts as a request of the minute, too, and that limit is reported first. */
function readQuestion<Query>(read: () => Query, admit: (fault: SkillSearchError) => unknown): Query {
  try {
    return read();
  } catch (error) {
    if (error instanceof SkillSearchError) admit(error);
    throw error;
  }
}

function metaOf({ requestId, started }: Visit): string {
  return `{"requestId":"${requestId}","responseTimeMs":${Math.round(performance.now() - started)}}`;
}
