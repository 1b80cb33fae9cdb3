/**
 * An event for the operator's log. It never contains a question or a full client address, and what looks like an API key
 * is `sk_live_***`, also where a client puts it into a path.
 */
export type LogEvent = RequestEvent | FailureEvent;

/** A request and its answer. */
export interface RequestEvent {
  readonly kind: 'request';
  /** The `X-Request-Id` of the answer. */
  readonly requestId: string;
  /** The request method, such as `GET`; empty if the request could not be read. */
  readonly method: string;
  /** Path without query: printable ASCII, at most 200 characters. Other characters are `?`. */
  readonly path: string;
  /** The HTTP status; 499 if the client closed the connection before the answer. */
  readonly status: number;
  /** Of a request for MCP: its method, and the tool that it calls. Absent where it has none that looks like a name. */
  readonly operation?: string;
  /** The error's code, such as `INVALID_QUERY`; absent for a success. */
  readonly code?: string;
  /** From the arrival of the request until the answer is ready to send. */
  readonly milliseconds: number;
  /** `key:<id>`, or the client's address without its last part; see `shortenAddress`. */
  readonly client: string;
}

/**
 * An error that the client sees only as `INTERNAL_ERROR` or `SERVICE_UNAVAILABLE`. While a database of keys and quotas
 * does not answer, only the first request that fails by it has one, and none where `connectAccess` has an `onChange`,
 * which is told.
 */
export interface FailureEvent {
  readonly kind: 'failure';
  /** The `X-Request-Id` of the answer. */
  readonly requestId: string;
  /** What was thrown. */
  readonly error: unknown;
}
