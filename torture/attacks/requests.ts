import { connect } from 'node:net';

/** A request of a client that is no browser. */
export interface Asked {
  /** `GET` if it is left out. */
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whose key it brings: one with the usual quota, or one without limits. */
  readonly key?: 'usual' | 'unlimited';
}

/** How a request ended: the status, or what became of its connection. */
export type Ending = number | 'closed' | 'refused' | 'no answer';

/** The keys of a server, by who has them. */
export type Keys = Readonly<Record<'usual' | 'unlimited', string>>;

/** Where a request comes from and goes to. */
export interface Line {
  readonly port: number;
  /** An address of this machine, 127.x.x.x: servers tell clients apart by it. */
  readonly from: string;
  readonly keys: Keys;
  /** Milliseconds until the connection is cut. */
  readonly patience: number;
}

/** The bytes of a request, on a connection that is closed afterwards unless `keep`. */
export function bytesOf({ method = 'GET', path, headers = {}, body, key }: Asked, keys: Keys, keep = false): string {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    ...(key === undefined ? [] : [`Authorization: Bearer ${keys[key]}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
    ...(keep ? [] : ['Connection: close']),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
}

/** Sends bytes on a connection of its own, reads until the server closes it, and tells the first status. */
export function send(line: Line, bytes: string): Promise<Ending> {
  return new Promise((resolve) => {
    const socket = connect({ port: line.port, host: '127.0.0.1', localAddress: line.from });
    let [isConnected, isCut] = [false, false];
    let head = '';
    const timer = setTimeout(() => {
      isCut = true;
      socket.destroy();
    }, line.patience);
    socket.once('connect', () => {
      isConnected = true;
      socket.write(bytes);
    });
    socket.on('data', (data: Buffer) => {
      if (head.length < 100) head += data.toString('latin1', 0, 100);
    });
    // The close tells it.
    socket.on('error', () => {});
    socket.once('close', () => {
      clearTimeout(timer);
      const status = /^HTTP\/1\.1 (\d{3})/.exec(head)?.[1];
      if (isCut) resolve('no answer');
      else resolve(status === undefined ? (isConnected ? 'closed' : 'refused') : Number(status));
    });
  });
}
