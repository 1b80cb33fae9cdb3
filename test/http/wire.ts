import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** How long anything may take before it counts as a hang, in milliseconds. */
const PATIENCE = 10_000;

/** An answer as it came, byte for byte. */
export interface WireReply {
  readonly status: number;
  /** Names in lower case; one that comes twice is a fault. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** The text of a request: `request('/api/health', 'Host: localhost')` has that header only. */
export function request(path: string, ...headers: readonly string[]): string {
  return `GET ${path} HTTP/1.1\r\n${(headers.length === 0 ? ['Host: localhost'] : headers).map((line) => `${line}\r\n`).join('')}\r\n`;
}

/** A connection whose bytes are sent and read as they are: nothing is repaired, repeated or hidden. */
export class Wire {
  readonly socket: Socket;
  readonly #chunks: Buffer[] = [];
  #ended = false;
  #wake = (): void => {};

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#wake();
    });
    // A connection that is reset is one that is closed.
    socket.on('error', () => {});
    for (const event of ['end', 'close']) {
      socket.on(event, () => {
        this.#ended = true;
        this.#wake();
      });
    }
  }

  /** Connects to a port of this machine, from one of its addresses; cut when the test ends. */
  static async open(port: number, localAddress = '127.0.0.1'): Promise<Wire> {
    const wire = new Wire(connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true }));
    onTestFinished(() => wire.cut());
    await once(wire.socket, 'connect');
    return wire;
  }

  send(bytes: string | Uint8Array): this {
    this.socket.write(bytes);
    return this;
  }

  /** Says that nothing more will be sent, and goes on reading. */
  finish(): this {
    this.socket.end();
    return this;
  }

  cut(): void {
    this.socket.destroy();
  }

  /** Whether the server has ended its side. */
  get ended(): boolean {
    return this.#ended;
  }

  /** What came and was not read as a reply yet. */
  get rest(): Buffer {
    const all = Buffer.concat(this.#chunks);
    this.#chunks.splice(0, this.#chunks.length, all);
    return all;
  }

  /**
   * The next answer; 'closed' where the connection ended before its first byte.
   *
   * @throws where there is none in time, or it is cut off or malformed
   */
  async reply(method = 'GET', patience = PATIENCE): Promise<WireReply | 'closed'> {
    return this.#until(
      () => {
        const { rest } = this;
        const found = readReply(rest, method);
        if (found !== undefined) {
          this.#chunks.splice(0, this.#chunks.length, rest.subarray(found.length));
          return found.reply;
        }
        if (!this.#ended) return undefined;
        if (rest.length === 0) return 'closed';
        throw new Error(`the connection ended within an answer: ${rest.toString('latin1', 0, 300)}`);
      },
      'answer',
      patience,
    );
  }

  /** Waits until the server has ended the connection. */
  async closed(patience = PATIENCE): Promise<void> {
    await this.#until(() => this.#ended || undefined, 'end of the connection', patience);
  }

  async #until<T>(look: () => T | undefined, what: string, patience: number): Promise<T> {
    const end = performance.now() + patience;
    for (;;) {
      const seen = look();
      if (seen !== undefined) return seen;
      const left = end - performance.now();
      if (left <= 0) {
        const came = JSON.stringify(this.rest.toString('latin1', 0, 300));
        throw new Error(`no ${what} within ${patience} ms; so far came ${came}`);
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}

function readReply(bytes: Buffer, method: string): { readonly reply: WireReply; readonly length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.1 ([1-5]\d\d) [\x20-\x7e]+$/.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) throw new Error(`this is not how an answer begins: ${JSON.stringify(statusLine)}`);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name = '', value = ''] = /^([A-Za-z0-9-]+): ([\x20-\x7e]*)$/.exec(line) ?? [];
    if (name === '' || headers.has(name.toLowerCase())) throw new Error(`a header that must not be: ${line}`);
    headers.set(name.toLowerCase(), value);
  }
  const from = end + 4;
  if (headers.get('transfer-encoding') === 'chunked') return readEmptyChunks(bytes, from, { status, headers });
  const isBare = method === 'HEAD' || status === 204 || status === 304;
  const length = isBare ? 0 : Number(headers.get('content-length') ?? 0);
  if (bytes.length < from + length) return undefined;
  return { reply: { status, headers, body: bytes.toString('utf8', from, from + length) }, length: from + length };
}

/** Node itself refuses some requests, in chunks of which there are none; the service never sends any. */
function readEmptyChunks(bytes: Buffer, from: number, head: Omit<WireReply, 'body'>): ReturnType<typeof readReply> {
  const end = '0\r\n\r\n';
  if (bytes.length < from + end.length) return undefined;
  if (bytes.toString('latin1', from, from + end.length) !== end) throw new Error('a body in chunks');
  return { reply: { ...head, body: '' }, length: from + end.length };
}

/** @throws if the connection was closed */
export function answered(reply: WireReply | 'closed'): WireReply {
  if (reply === 'closed') throw new Error('the connection was closed instead of answered');
  return reply;
}
