/** The codes of {@link SkillSearchError}: first those that the HTTP interface uses, then those of the library alone. */
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
  'BUSY',
  'DATABASE_NOT_FOUND',
  'DATABASE_NOT_READABLE',
  'DATABASE_NOT_WRITABLE',
  'DATABASE_DAMAGED',
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
  'MCP_SDK_MISSING',
  'METRICS_PACKAGE_MISSING',
  'NOT_A_STATE_FILE',
  'KEY_NOT_FOUND',
  'ADDRESS_NOT_AVAILABLE',
  'CATALOGUE_EXISTS',
  'SKILL_NOT_FOUND',
  'INSTALL_REFUSED',
  'MISSING_BINDING',
  'FILE_NOT_WRITABLE',
  'SNAPSHOT_NOT_AVAILABLE',
  'SNAPSHOT_NOT_WRITABLE',
  'INVALID_SNAPSHOT',
  'POSTGRES_CLIENT_MISSING',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** What a program may want to know about an error beside its code and message. */
export interface ErrorFacts {
  /** Name of the parameter or option at fault. */
  readonly parameter?: string;
  /** Path of the file or folder at fault. */
  readonly path?: string;
  /** Id of the skill at fault. */
  readonly skill?: string;
  /** Seconds after which the call may succeed. */
  readonly retryAfter?: number;
  readonly cause?: unknown;
}

/**
 * The only error class of this library. The message, for people, says what was expected, what came instead, and where.
 * The `code`, for programs, stays the same between versions.
 *
 * These are not errors of this class: a query that matches nothing gives an empty result; a row that cannot become a
 * skill is listed in the load report; an aborted call throws the signal's reason.
 *
 * @example
 * try {
 *   await openSkillSearch({ database: 'skills.db' });
 * } catch (error) {
 *   if (error instanceof SkillSearchError && error.code === 'DATABASE_NOT_FOUND') console.error(error.path);
 * }
 */
export class SkillSearchError extends Error {
  override readonly name = 'SkillSearchError' as const;
  readonly code: ErrorCode;
  /** Name of the parameter or option at fault. */
  readonly parameter: string | undefined;
  /** Path of the file or folder at fault. */
  readonly path: string | undefined;
  /** Id of the skill at fault. */
  readonly skill: string | undefined;
  /** If a limit was reached: seconds after which the call may succeed. */
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.parameter = facts.parameter;
    this.path = facts.path;
    this.skill = facts.skill;
    this.retryAfter = facts.retryAfter;
  }
}

const WITHOUT_MEANING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'NO_VECTORS',
  'MODEL_NOT_FOUND',
  'MODEL_NOT_READABLE',
  'MODEL_MISMATCH',
  'MODEL_RUNTIME_MISSING',
  'EMBEDDER_FAILED',
]);

/** Whether an error says that meaning cannot be searched by, while words still find skills. */
export function isWithoutMeaning(error: unknown): error is SkillSearchError {
  return error instanceof SkillSearchError && WITHOUT_MEANING.has(error.code);
}

export function hasCode(error: unknown, code: ErrorCode): error is SkillSearchError {
  return error instanceof SkillSearchError && error.code === code;
}

/** Whether an error says that too many ask at once. */
export function isBusy(error: unknown): error is SkillSearchError {
  return hasCode(error, 'BUSY');
}

/** Whether an error says that what is stored is damaged. */
export function isDamage(error: unknown): error is SkillSearchError {
  return hasCode(error, 'DATABASE_DAMAGED');
}

/**
 * What work returns; undefined if it fails.
 *
 * @param isExpected of which errors that is so; any other is thrown
 */
export function orUndefined<T>(work: () => T, isExpected: (error: unknown) => boolean = () => true): T | undefined {
  try {
    return work();
  } catch (error) {
    if (isExpected(error)) return undefined;
    throw error;
  }
}

/**
 * To `catch` the import of an optional package: says that it is not installed. Bundlers leave out a package that is not
 * there only where `catch` follows its import, or a `try` is around.
 */
export function orMissing(code: ErrorCode, message: string): (cause: unknown) => never {
  return (cause) => {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new SkillSearchError(code, message, { cause });
  };
}

/** An error as it goes from thread to thread: only plain values keep what they are. */
export interface ErrorMessage {
  readonly code: ErrorCode | undefined;
  readonly message: string;
  readonly parameter: string | undefined;
  readonly path: string | undefined;
}

/** What is sent of an error. */
export function messageOf(error: unknown): ErrorMessage {
  const message = error instanceof Error ? error.message : String(error);
  const known = error instanceof SkillSearchError ? error : undefined;
  return { code: known?.code, message, parameter: known?.parameter, path: known?.path };
}

/** The error that {@link messageOf} was given. */
export function errorOf({ code, message, parameter, path }: ErrorMessage): Error {
  if (code === undefined) return new Error(message);
  return new SkillSearchError(code, message, {
    ...(parameter !== undefined && { parameter }),
    ...(path !== undefined && { path }),
  });
}

/** By the cause of an outage, which all errors of it share: whether somebody was told of it. */
const outages = new WeakMap<Error, boolean>();

/**
 * Notes that all errors with this cause are of one outage: while a database does not answer, each request fails.
 *
 * @param isTold whether its beginning was told to somebody
 */
export function noteOutage(cause: Error, isTold: boolean): void {
  outages.set(cause, isTold);
}

/**
 * Whether an error need not be told, because it is of an outage that was told before. The first that is asked about is
 * news if nobody was told.
 */
export function isKnownOutage(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return false;
  const isTold = outages.get(cause);
  if (isTold === false) outages.set(cause, true);
  return isTold === true;
}
