/** Limits of a server. Times are in milliseconds. */
interface ServerLimits {
  /** Bytes of the request line and all headers together. */
  readonly headerBytes: number;
  /** From the first byte of a request to the end of its headers. */
  readonly headersTimeout: number;
  /** From the first byte of a request to its last. */
  readonly requestTimeout: number;
  /** How long a connection may be idle between two requests. */
  readonly keepAliveTimeout: number;
  /** How long the sending of an answer may make no progress. */
  readonly idleTimeout: number;
  /** Open connections. */
  readonly connections: number;
  /** Requests of one connection that are answered at a time. Those behind them wait. */
  readonly pipelined: number;
  /** How often the server looks for slow clients. */
  readonly checkingInterval: number;
}

/** The limits of `startServer`. They cannot be changed. */
export const SERVER_LIMITS: ServerLimits = {
  // 2,000 characters of any script are up to 24 KB of a URL.
  headerBytes: 32 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  // Longer than the timeout of common proxies (60 s), so that the proxy closes first. Otherwise a request may arrive
  // while the server closes the connection.
  keepAliveTimeout: 65_000,
  idleTimeout: 60_000,
  connections: 2_000,
  pipelined: 16,
  checkingInterval: 1_000,
};
