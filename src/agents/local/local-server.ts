import { chmodSync, renameSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { type Surroundings, surroundings } from '../../core/index.js';
import {
  ensurePipeKey,
  ensurePrivateFolder,
  FirstLine,
  LOCAL_LIMITS,
  LOCAL_VERSION,
  type LocalReply,
  localAddress,
  pipeName,
  readMessage,
  socketName,
  writeMessage,
} from './local-protocol.js';

export interface LocalServerOptions {
  /** Real path of the catalogue. */
  readonly database: string;
  /** Answers one question. What it throws is told as the code of the error, or not at all. */
  readonly answer: (ask: unknown, signal: AbortSignal) => Promise<unknown>;
  readonly of?: Surroundings;
  /** Milliseconds between two attempts to take the address over from a process that has ended. @default 5000 */
  readonly interval?: number;
}

const DEFAULT_INTERVAL = 5000;

/**
 * Answers for a catalogue to other processes of the same user. Of several processes with one catalogue the first
 * answers; the others look now and then whether it is still there. It never keeps the process alive, and never fails:
 * where nothing can listen, whoever asks does the work itself.
 */
export class LocalServer {
  readonly #options: LocalServerOptions;
  readonly #user: number | undefined;
  readonly #connections = new Set<Socket>();
  readonly #closing = new AbortController();
  #server: Server | undefined;
  /** Path and inode of the socket that is ours. */
  #socket: { readonly path: string; readonly inode: bigint } | undefined;
  readonly #timer: NodeJS.Timeout;

  private constructor(options: LocalServerOptions) {
    this.#options = options;
    this.#user = process.getuid?.();
    this.#timer = setInterval(() => void this.#listenUnlessAnswered(), options.interval ?? DEFAULT_INTERVAL).unref();
  }

  /** Resolves when it listens, or another process does, or nothing can. */
  static async start(options: LocalServerOptions): Promise<LocalServer> {
    const server = new LocalServer(options);
    await server.#listenUnlessAnswered();
    return server;
  }

  /** Whether this process is the one that answers. */
  get isListening(): boolean {
    return this.#server?.listening === true;
  }

  /** Ends connections at once: whoever waits for an answer then does the work itself. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort();
    for (const connection of this.#connections) connection.destroy();
    this.#removeSocket();
    const server = this.#server;
    this.#server = undefined;
    if (server !== undefined) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  async #listenUnlessAnswered(): Promise<void> {
    try {
      if (this.#closing.signal.aborted || (this.isListening && this.#isOurs())) return;
      const { folder, name, isPipe } = localAddress(
        this.#options.database,
        this.#options.of ?? surroundings(),
        this.#user,
      );
      if (!ensurePrivateFolder(folder, this.#user)) return;
      if (isPipe) {
        const key = ensurePipeKey(folder);
        if (key !== undefined && this.#server === undefined) await this.#listen(pipeName(name, key));
        return;
      }
      const path = join(folder, socketName(name));
      const { signal } = this.#closing;
      if ((await isAnswered(path)) || signal.aborted) return;
      // Bound under a name of its own and renamed, because then there is never a moment without a socket, nor one in
      // which a socket that another process has just bound is removed.
      const own = `${path}.${process.pid}`;
      rmSync(own, { force: true });
      await this.#listen(own);
      if (signal.aborted) return;
      chmodSync(own, 0o600);
      renameSync(own, path);
      this.#socket = { path, inode: statSync(path, { bigint: true }).ino };
    } catch {
      // A folder that cannot be written, a path that is too long, a pipe that another process has: nobody listens here.
      this.#server?.close();
      this.#server = undefined;
    }
  }

  async #listen(path: string): Promise<void> {
    this.#server?.close();
    const server = createServer((socket) => this.#serve(socket));
    server.maxConnections = LOCAL_LIMITS.connections;
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      // Closed before it listened.
      server.once('close', resolve);
      server.listen(path, () => {
        server.off('error', reject);
        // Too many open files, say: one connection fails, and the server goes on.
        server.on('error', () => {});
        resolve();
      });
    });
    server.unref();
  }

  #serve(socket: Socket): void {
    socket.unref();
    this.#connections.add(socket);
    const gone = new AbortController();
    const line = new FirstLine();
    const timer = setTimeout(() => socket.destroy(), LOCAL_LIMITS.requestTime).unref();
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      this.#connections.delete(socket);
      gone.abort();
    });
    const onData = (chunk: Buffer): void => {
      const read = line.add(chunk);
      if (read === undefined) return;
      socket.off('data', onData);
      clearTimeout(timer);
      const reply = read === 'too long' ? Promise.resolve(refused('TOO_LONG')) : this.#reply(read.line, gone.signal);
      void reply.then((message) => socket.end(writeMessage(message)));
    };
    socket.on('data', onData);
  }

  async #reply(line: string, signal: AbortSignal): Promise<LocalReply> {
    const request = readMessage(line);
    if (request === undefined) return refused('NOT_UNDERSTOOD');
    if (request['database'] !== this.#options.database) return refused('OTHER_CATALOGUE');
    try {
      return { version: LOCAL_VERSION, answer: await this.#options.answer(request['ask'], signal) };
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      return refused(typeof code === 'string' ? code : 'FAILED');
    }
  }

  /** Whether the socket at the path is still the one of this process. */
  #isOurs(): boolean {
    if (this.#socket === undefined) return true;
    const { path, inode } = this.#socket;
    return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino === inode;
  }

  #removeSocket(): void {
    try {
      if (this.#socket !== undefined && this.#isOurs()) rmSync(this.#socket.path, { force: true });
    } catch {
      // It is left behind, and the next process finds that nobody answers at it.
    }
    this.#socket = undefined;
  }
}

function refused(code: string): LocalReply {
  return { version: LOCAL_VERSION, refused: code };
}

/** Whether a process listens at a socket. One that a killed process left behind refuses connections. */
function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.setTimeout(LOCAL_LIMITS.connectTime * 4);
    const end = (answered: boolean): void => {
      socket.destroy();
      resolve(answered);
    };
    socket.on('connect', () => end(true));
    // It exists, and is busy.
    socket.on('timeout', () => end(true));
    socket.on('error', () => end(false));
  });
}
