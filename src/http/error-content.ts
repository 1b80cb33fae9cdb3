import { type ErrorCode, SkillSearchError } from '../index.js';
import type { Content } from './call.js';

/** The codes of the interface, and the status that each is sent with. */
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
} as const;

type HttpCode = keyof typeof ERROR_STATUS;

/**
 * What the service lacks, and what its clients are told: which file, which model and why is for the log. Codes that are
 * neither here nor above are not foreseen to occur while searching.
 */
const LACKING: Partial<Record<ErrorCode, string>> = {
  SERVICE_UNAVAILABLE: 'the service is not available',
  DATABASE_NOT_FOUND: 'the database cannot answer',
  DATABASE_NOT_READABLE: 'the database cannot answer',
  DATABASE_NOT_WRITABLE: 'the database cannot answer',
  NOT_A_CATALOGUE: 'the database cannot answer',
  NOT_A_STATE_FILE: 'the database cannot answer',
  UNSUPPORTED_FORMAT: 'the database cannot answer',
  NO_VECTORS: 'semantic search is not available: this catalogue has no vectors',
  MODEL_MISMATCH: 'semantic search is not available',
  MODEL_NOT_FOUND: 'semantic search is not available',
  MODEL_NOT_READABLE: 'semantic search is not available',
  MODEL_RUNTIME_MISSING: 'semantic search is not available',
  EMBEDDER_FAILED: 'semantic search is not available',
};

/** The client left before it was answered. Nobody sees the answer; its status, which is no standard one, is for the log. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone' as const;
}

/** An error as clients see it. */
export interface TranslatedError {
  readonly code: HttpCode | undefined;
  readonly content: Content;
  /** Whether the operator has to know: the client was not told all. */
  readonly hidden: boolean;
}

/** Known errors have a status; whatever else was thrown becomes a bare 500. */
export function translateError(error: unknown): TranslatedError {
  if (error instanceof ClientGone) return { code: undefined, content: { status: 499, body: '' }, hidden: false };
  const known = error instanceof SkillSearchError ? error : undefined;
  const lacking = known === undefined ? undefined : LACKING[known.code];
  if (known === undefined || (lacking === undefined && !(known.code in ERROR_STATUS))) {
    return translated(
      'INTERNAL_ERROR',
      'unexpected error: the log of the server has it under the id of this request',
      {},
      true,
    );
  }
  if (lacking !== undefined) return translated('SERVICE_UNAVAILABLE', lacking, {}, true);
  const code = known.code as HttpCode;
  const retryAfter = known.retryAfter === undefined ? {} : { 'Retry-After': String(known.retryAfter) };
  const authenticate = ERROR_STATUS[code] === 401 ? { 'WWW-Authenticate': 'Bearer' } : {};
  return translated(code, known.message, { ...retryAfter, ...authenticate }, false);
}

function translated(
  code: HttpCode,
  message: string,
  headers: Readonly<Record<string, string>>,
  hidden: boolean,
): TranslatedError {
  return { code, hidden, content: { status: ERROR_STATUS[code], headers, body: errorBody(code, message) } };
}

/** The one shape of all errors. */
export function errorBody(code: string, message: string): string {
  return JSON.stringify({ success: false, error: { code, message } });
}
