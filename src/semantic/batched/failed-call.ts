/** Answers to a request that came at a bad moment. All other answers below 500 say that the request is wrong. */
const TRANSIENT: readonly number[] = [408, 409, 425, 429];

/** What errors of HTTP clients have, by various names. */
interface HttpError {
  readonly status?: unknown;
  readonly statusCode?: unknown;
  readonly cause?: unknown;
  readonly retryAfter?: unknown;
  readonly headers?: unknown;
  readonly response?: { readonly status?: unknown; readonly headers?: unknown } | undefined;
}

/** Whether a call that failed may succeed later; see `BatchedEmbedderOptions.isTransient`. */
export function isTransientError(error: unknown): boolean {
  const { status, statusCode, response, cause } = asHttpError(error);
  const code = [status, statusCode, response?.status].find((one) => typeof one === 'number');
  if (code !== undefined) return TRANSIENT.includes(code as number) || (code as number) >= 500;
  // `fetch` tells failures of the network by a TypeError with a cause. Without one it is a fault of the program.
  if (error instanceof TypeError) return cause !== undefined;
  return !(error instanceof RangeError || error instanceof ReferenceError || error instanceof SyntaxError);
}

/**
 * How long a service wants to be left alone: `retryAfter` of the error, or the header `Retry-After` in its `headers` or
 * those of its `response`. Each is a number of seconds, or a date.
 *
 * @param now as `Date.now()`
 * @returns milliseconds; undefined if the error does not say
 */
export function retryAfter(error: unknown, now: number): number | undefined {
  const { retryAfter: own, headers, response } = asHttpError(error);
  const told = own ?? headerOf(headers) ?? headerOf(response?.headers);
  if (told === undefined || told === null || told === '') return undefined;
  const seconds = Number(told);
  if (!Number.isNaN(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(String(told));
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The header in an object of the type `Headers`, or in a plain one. */
function headerOf(headers: unknown): unknown {
  if (typeof headers !== 'object' || headers === null) return undefined;
  if (headers instanceof Headers) return headers.get('retry-after') ?? undefined;
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'retry-after')?.[1];
}

function asHttpError(error: unknown): HttpError {
  return typeof error === 'object' && error !== null ? (error as HttpError) : {};
}
