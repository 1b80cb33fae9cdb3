/** What a server puts up with. Times are in milliseconds. */
interface ServerLimits {
  /** Bytes of the request line and all headers. */
  readonly headerBytes: number;
  /** From the first byte of a request to the end of its headers. */
  readonly headersTimeout: number;
  /** From the first byte of a request to its last. */
  readonly requestTimeout: number;
  /** How long a connection may be idle between two requests. */
  readonly keepAliveTimeout: number;
  /** How long nothing may move while an answer is sent. */
  readonly idleTimeout: number;
  readonly connections: number;
  /** Requests of one connection that are worked on at a time; those behind them wait. */
  readonly pipelined: number;
  /** How often slow clients are looked for. */
  readonly checkingInterval: number;
}

export const SERVER_LIMITS: ServerLimits = {
  // 2,000 characters of any script are up to 24 KB of a URL.
  headerBytes: 32 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  // Longer than proxies keep theirs, so that it is they who end them: else a request may come just as one is ended.
  keepAliveTimeout: 65_000,
  idleTimeout: 60_000,
  connections: 2_000,
  pipelined: 16,
  checkingInterval: 1_000,
};
