/** What there is to tell an operator. Nothing in it is a key, a question or the full address of a person. */
export type LogEvent = RequestEvent | FailureEvent;

/** A request that was answered. */
export interface RequestEvent {
  readonly kind: 'request';
  /** The `X-Request-Id` of the answer. */
  readonly requestId: string;
  readonly method: string;
  /** Path without query: printable ASCII, at most 200 characters. */
  readonly path: string;
  readonly status: number;
  /** The error's code, where there was one. */
  readonly code?: string;
  /** From the request to the answer, before it is sent. */
  readonly milliseconds: number;
  /** `key:<id>`, or an address without its last part. */
  readonly client: string;
}

/** What the client of a request was not told. */
export interface FailureEvent {
  readonly kind: 'failure';
  readonly requestId: string;
  readonly error: unknown;
}
