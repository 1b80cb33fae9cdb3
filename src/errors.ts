/** The machine-readable codes of {@link SkillSearchError}: those of the HTTP interface first, then the library's own. */
export const ERROR_CODES = [
  'MISSING_QUERY',
  'INVALID_QUERY',
  'INVALID_PARAMETER',
  'MISSING_API_KEY',
  'INVALID_API_KEY',
  'ENDPOINT_NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'RATE_LIMIT_EXCEEDED',
  'DAILY_QUOTA_EXCEEDED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
  'DATABASE_NOT_FOUND',
  'DATABASE_NOT_READABLE',
  'DATABASE_NOT_WRITABLE',
  'NOT_A_CATALOGUE',
  'UNSUPPORTED_FORMAT',
  'LOAD_IN_PROGRESS',
  'SOURCE_NOT_FOUND',
  'INVALID_SOURCE',
  'INVALID_OPTION',
  'NO_VECTORS',
  'MODEL_NOT_FOUND',
  'MODEL_NOT_READABLE',
  'MODEL_MISMATCH',
  'MODEL_RUNTIME_MISSING',
  'EMBEDDER_FAILED',
  'NOT_A_STATE_FILE',
  'KEY_NOT_FOUND',
  'ADDRESS_NOT_AVAILABLE',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** Facts an error carries beside its sentence: which parameter, which file, which value. */
export interface ErrorFacts {
  readonly parameter?: string;
  readonly path?: string;
  /** Seconds after which it is worth asking again. */
  readonly retryAfter?: number;
  readonly cause?: unknown;
}

/**
 * The one error class of this library. The message says what was expected, what came and where; `code` is stable and
 * meant for programs.
 *
 * Not thrown for: a question that matches nothing (an empty result), a row that cannot become a skill (it is in the
 * load report), an aborted call (the signal's own reason is thrown).
 */
export class SkillSearchError extends Error {
  override readonly name = 'SkillSearchError' as const;
  readonly code: ErrorCode;
  readonly parameter: string | undefined;
  readonly path: string | undefined;
  /** Of a limit that was reached: seconds after which it is worth asking again. */
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.parameter = facts.parameter;
    this.path = facts.path;
    this.retryAfter = facts.retryAfter;
  }
}
