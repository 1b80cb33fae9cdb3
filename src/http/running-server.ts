/** A server that accepts requests until {@link RunningServer.close}. */
export interface RunningServer {
  /** The host as it was given. */
  readonly host: string;
  /** The port in use, also where 0 was given. */
  readonly port: number;
  /** `http://<host>:<port>`. For a server that listens at all addresses it names the loopback address. */
  readonly url: string;
  /** Requests that wait for their turn, or for their answers, now. */
  readonly waiting: number;
  /**
   * Accepts no more connections, answers the requests that have arrived, and stops. The search and `access` stay open.
   *
   * @param grace milliseconds until connections that are still open are cut; 0 or more @default 10000
   */
  close(grace?: number): Promise<void>;
}
