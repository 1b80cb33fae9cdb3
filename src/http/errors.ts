import { type ErrorCode, SkillSearchError } from '../index.js';
import type { Content } from './call.js';

/** The error codes of the API, and the HTTP status of each. */
export const ERROR_STATUS = {
  MISSING_QUERY: 400,
  INVALID_QUERY: 400,
  INVALID_PARAMETER: 400,
  MISSING_API_KEY: 401,
  INVALID_API_KEY: 401,
  ENDPOINT_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  RATE_LIMIT_EXCEEDED: 429,
  DAILY_QUOTA_EXCEEDED: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
  BUSY: 503,
} as const;

type HttpCode = keyof typeof ERROR_STATUS;

function isHttpCode(code: ErrorCode): code is ErrorCode & HttpCode {
  return code in ERROR_STATUS;
}

/**
 * Errors that become `SERVICE_UNAVAILABLE`, and the message for clients. File, model and cause go to the log only.
 * Codes that are neither here nor above do not occur in a search.
 */
const LACKING: Partial<Record<ErrorCode, string>> = {
  SERVICE_UNAVAILABLE: 'the service is not available',
  DATABASE_NOT_FOUND: 'the database cannot answer',
  DATABASE_NOT_READABLE: 'the database cannot answer',
  DATABASE_NOT_WRITABLE: 'the database cannot answer',
  DATABASE_DAMAGED: 'the database cannot answer',
  NOT_A_CATALOGUE: 'the database cannot answer',
  NOT_A_STATE_FILE: 'the database cannot answer',
  UNSUPPORTED_FORMAT: 'the database cannot answer',
  MISSING_BINDING: 'the database cannot answer',
  NO_VECTORS: 'semantic search is not available: this catalogue has no vectors',
  MODEL_MISMATCH: 'semantic search is not available',
  MODEL_NOT_FOUND: 'semantic search is not available',
  MODEL_NOT_READABLE: 'semantic search is not available',
  MODEL_RUNTIME_MISSING: 'semantic search is not available',
  EMBEDDER_FAILED: 'semantic search is not available',
};

/** The client closed the connection. Nobody sees the answer; its status 499 (of nginx, no standard) is for the log. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone' as const;
}

/** An error as clients see it. */
export interface TranslatedError {
  readonly code: HttpCode | undefined;
  readonly message: string;
  readonly content: Content;
  /** Whether the client does not see the cause, so that it must be logged. */
  readonly hidden: boolean;
}

/** Known errors have a status; all others become a 500 without details. */
export function translateError(error: unknown): TranslatedError {
  if (error instanceof ClientGone)
    return { code: undefined, message: '', content: { status: 499, body: '' }, hidden: false };
  const known = error instanceof SkillSearchError ? error : undefined;
  const lacking = known === undefined ? undefined : LACKING[known.code];
  const retryAfter = known?.retryAfter === undefined ? {} : { 'Retry-After': String(known.retryAfter) };
  if (lacking !== undefined) return translated('SERVICE_UNAVAILABLE', lacking, retryAfter, true);
  if (known === undefined || !isHttpCode(known.code)) {
    return translated('INTERNAL_ERROR', 'unexpected error: the server logs it under the id of this request', {}, true);
  }
  const { code } = known;
  const authenticate = ERROR_STATUS[code] === 401 ? { 'WWW-Authenticate': 'Bearer' } : {};
  return translated(code, known.message, { ...retryAfter, ...authenticate }, false);
}

/** An error as clients see it, for those that are told the error itself. The same one if nothing of it is hidden. */
export function publicError(error: SkillSearchError): SkillSearchError {
  const { code = 'INTERNAL_ERROR', message, hidden } = translateError(error);
  return hidden ? new SkillSearchError(code, message) : error;
}

function translated(
  code: HttpCode,
  message: string,
  headers: Readonly<Record<string, string>>,
  hidden: boolean,
): TranslatedError {
  return { code, message, hidden, content: { status: ERROR_STATUS[code], headers, body: errorBody(code, message) } };
}

/** The body of every error. */
export function errorBody(code: string, message: string): string {
  return JSON.stringify({ success: false, error: { code, message } });
}
