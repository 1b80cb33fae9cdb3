import { type ErrorCode, SkillSearchError } from '../index.js';

/** The error codes of the API, and the HTTP status of each. */
const ERROR_STATUS = {
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
 * Errors that become `SERVICE_UNAVAILABLE`, by the message for clients. File, model and cause go to the log only. Codes
 * that are neither here nor above do not occur in a search.
 */
const UNAVAILABLE: Readonly<Record<string, readonly ErrorCode[]>> = {
  'the service is not available': ['SERVICE_UNAVAILABLE'],
  'the database cannot answer': [
    ...(['DATABASE_NOT_FOUND', 'DATABASE_NOT_READABLE', 'DATABASE_NOT_WRITABLE', 'DATABASE_DAMAGED'] as const),
    ...(['NOT_A_CATALOGUE', 'NOT_A_STATE_FILE', 'UNSUPPORTED_FORMAT', 'MISSING_BINDING'] as const),
  ],
  'semantic search is not available: this catalogue has no vectors': ['NO_VECTORS'],
  'semantic search is not available': [
    ...(['MODEL_MISMATCH', 'MODEL_NOT_FOUND', 'MODEL_NOT_READABLE', 'MODEL_RUNTIME_MISSING'] as const),
    'EMBEDDER_FAILED',
  ],
};

/** The client closed the connection. Nobody sees the answer; its status 499 (of nginx, no standard) is for the log. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone' as const;
}

/** An error as clients see it. */
export interface TranslatedError {
  readonly code: HttpCode | undefined;
  readonly message: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the client does not see the cause, so that it must be logged. */
  readonly hidden: boolean;
}

/** Known errors have a status; all others become a 500 without details. */
export function translateError(error: unknown): TranslatedError {
  if (error instanceof ClientGone) return { code: undefined, message: '', status: 499, headers: {}, hidden: false };
  const known = error instanceof SkillSearchError ? error : undefined;
  const headers = known?.retryAfter === undefined ? {} : { 'Retry-After': String(known.retryAfter) };
  const lacking = Object.entries(UNAVAILABLE).find(([, codes]) => known !== undefined && codes.includes(known.code));
  if (lacking !== undefined) {
    return { code: 'SERVICE_UNAVAILABLE', message: lacking[0], status: 503, headers, hidden: true };
  }
  if (known === undefined || !isHttpCode(known.code)) {
    const message = 'unexpected error: the server logs it under the id of this request';
    return { code: 'INTERNAL_ERROR', message, status: 500, headers: {}, hidden: true };
  }
  const { code, message } = known;
  const status = ERROR_STATUS[known.code];
  const authenticate = status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {};
  return { code, message, status, headers: { ...headers, ...authenticate }, hidden: false };
}

/** An error as clients see it, for those that are told the error itself. The same one if nothing of it is hidden. */
export function publicError(error: SkillSearchError): SkillSearchError {
  const { code = 'INTERNAL_ERROR', message, hidden } = translateError(error);
  return hidden ? new SkillSearchError(code, message) : error;
}

/** The body of every error. */
export function errorBody(code: string, message: string): string {
  return JSON.stringify({ success: false, error: { code, message } });
}
