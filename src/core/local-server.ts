import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { orUndefined } from './errors.js';
import { makeFolder } from './files.js';
import { joinPaths, type Surroundings, surroundings, userFolders } from './user-folders.js';

// Processes of one user ask each other at a socket: one line of JSON, and one line back. A process listens at an
// address of its own, and a file in a folder of this user alone says which address answers for a catalogue or a model.

/** Bounds of a local server. They cannot be changed. Times are in milliseconds. */
export const LOCAL_LIMITS: Readonly<Record<'messageBytes' | 'connections' | 'connectTime' | 'requestTime', number>> = {
  /** Longest line, in bytes: a prompt that was cut, or a page of skills with their descriptions. */
  messageBytes: 256 * 1024,
  /** Open connections. Each asks once; a person has a few agents. */
  connections: 32,
  /** How long connecting may take. A process that listens accepts at once, unless it is busy. */
  connectTime: 100,
  /** How long the line of a question may be under way. It is sent in one piece. */
  requestTime: 2000,
};

/** Of what is asked and answered. A client never reads what a server of another version meant: it finds none. */
const VERSION = 2;

/** The shortest of what the systems take for the path of a socket, in bytes. */
const LONGEST_SOCKET_PATH = 103;

interface LocalSubject {
  /** What is asked: the real path of a catalogue, or a text that says which model. */
  readonly subject: string;
  readonly of?: Surroundings;
}

export interface AskOptions extends LocalSubject {
  /** A value that JSON can carry. */
  readonly ask: unknown;
  /** Milliseconds to wait for the answer, once connected. */
  readonly patience: number;
}

/**
 * Asks the process of this user that answers for a catalogue or a model.
 *
 * @returns undefined if there is none, it does not answer in time, or refuses; the caller then does the work itself
 */
export async function askLocally({ ask, patience, ...subject }: AskOptions): Promise<unknown> {
  const { folder, file } = placeOf(subject);
  const address = isPrivateFolder(folder) ? addressIn(file) : undefined;
  if (address === undefined) return undefined;
  const socket = connect(address);
  let timer = setTimeout(() => socket.destroy(), LOCAL_LIMITS.connectTime);
  socket.on('connect', () => {
    clearTimeout(timer);
    timer = setTimeout(() => socket.destroy(), patience);
    socket.write(`${JSON.stringify(ask)}\n`);
  });
  try {
    return JSON.parse((await firstLine(socket)) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

export interface LocalServerOptions extends LocalSubject {
  /** Answers one question. The client hears nothing of why it cannot be answered. */
  readonly answer: (ask: unknown, signal: AbortSignal) => Promise<unknown>;
  /** Milliseconds between two looks whether the process that answered has ended. @default 5000 */
  readonly interval?: number;
}

export interface LocalServer {
  /** Ends connections at once: clients that wait for an answer then do the work themselves. */
  close(): Promise<void>;
}

/**
 * Answers for a catalogue or a model to other processes of the same user. Of several processes with one the first
 * answers; the others look now and then whether it still does. It never keeps the process alive, and never fails: where
 * nothing can listen, clients do the work themselves. Resolves when it listens, or another process does.
 */
export async function answerLocally({ answer, interval = 5000, ...subject }: LocalServerOptions): Promise<LocalServer> {
  const { folder, file, address } = placeOf(subject);
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    void serve(socket, answer);
  });
  server.maxConnections = LOCAL_LIMITS.connections;
  // Too many open files, say: one connection fails, and the server goes on.
  server.on('error', () => {});
  let isClosed = false;
  const takeOver = async (): Promise<void> => {
    const known = addressIn(file);
    const isOther = known !== undefined && known !== address && (await isAnswered(known));
    if (isOther || isClosed || (known === address && server.listening)) return;
    try {
      // Whether that went well tells a look.
      orUndefined(() => makeFolder(folder, { mode: 0o700 }));
      if (!isPrivateFolder(folder)) return;
      if (!server.listening) await once(server.listen(address).unref(), 'listening');
      // Under a name of its own first, so that the file is whole at each moment.
      if (isClosed) return;
      writeFileSync(`${file}.${process.pid}`, address, { mode: 0o600 });
      renameSync(`${file}.${process.pid}`, file);
      // What a killed process left behind.
      if (known !== undefined && known !== address) rmSync(known, { force: true });
    } catch {
      // A folder that cannot be written, or a path that is too long: nobody is asked here.
    }
  };
  const timer = setInterval(() => void takeOver(), interval).unref();
  await takeOver();
  return {
    async close() {
      isClosed = true;
      clearInterval(timer);
      for (const connection of connections) connection.destroy();
      if (addressIn(file) === address) rmSync(file, { force: true });
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function serve(socket: Socket, answer: LocalServerOptions['answer']): Promise<void> {
  const gone = new AbortController();
  const timer = setTimeout(() => socket.destroy(), LOCAL_LIMITS.requestTime).unref();
  socket.unref().on('close', () => gone.abort());
  const line = await firstLine(socket);
  clearTimeout(timer);
  try {
    socket.end(`${JSON.stringify(await answer(JSON.parse(line ?? ''), gone.signal))}\n`);
  } catch {
    socket.destroy();
  }
}

/** @returns undefined if the connection ends before, or the line is too long */
function firstLine(socket: Socket): Promise<string | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    socket.on('error', () => {});
    socket.on('close', () => resolve(undefined));
    socket.on('data', (chunk: Buffer) => {
      const end = chunk.indexOf('\n');
      chunks.push(end < 0 ? chunk : chunk.subarray(0, end));
      bytes += chunk.length;
      if (bytes > LOCAL_LIMITS.messageBytes) socket.destroy();
      else if (end >= 0) resolve(Buffer.concat(chunks).toString());
    });
  });
}

/** Whether a process listens at an address. A socket that a killed process left behind refuses connections. */
function isAnswered(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address).setTimeout(LOCAL_LIMITS.connectTime * 4);
    const end = (answered: boolean): void => {
      socket.destroy();
      resolve(answered);
    };
    // A process that is too busy to accept is there.
    socket.on('connect', () => end(true)).on('timeout', () => end(true));
    socket.on('error', () => end(false));
  });
}

/** Where it stands which address answers, and a new address for this process. */
function placeOf({ subject, of = surroundings() }: LocalSubject): {
  readonly folder: string;
  readonly file: string;
  readonly address: string;
} {
  const name = createHash('sha256').update(`${VERSION} ${subject}`).digest('hex').slice(0, 16);
  const { run } = userFolders(of);
  const own = `${randomUUID().slice(0, 8)}.sock`;
  const isPipe = of.platform === 'win32';
  const fits = isPipe || Buffer.byteLength(joinPaths(of, run, own)) <= LONGEST_SOCKET_PATH;
  const folder = fits ? run : `/tmp/skill-discovery-${process.getuid?.() ?? 0}`;
  // Pipes of Windows lie in no folder, so the name is one that no other user can guess.
  const address = isPipe ? String.raw`\\.\pipe\skill-discovery-${randomUUID()}` : join(folder, own);
  return { folder, file: join(folder, name), address };
}

function addressIn(file: string): string | undefined {
  return orUndefined(() => readFileSync(file, 'utf8'));
}

/**
 * Whether a folder is one that only this user can read or write: then what lies in it was put there by this user. On
 * Windows there is nothing to look at; the folder of the user's own data is closed to others.
 */
function isPrivateFolder(path: string): boolean {
  // Not what a link leads to: that is the decision of the link's owner.
  const facts = orUndefined(() => lstatSync(path));
  const user = process.getuid?.();
  const isOpenToUser = user === undefined || (facts?.uid === user && (facts.mode & 0o077) === 0);
  return facts?.isDirectory() === true && isOpenToUser;
}
