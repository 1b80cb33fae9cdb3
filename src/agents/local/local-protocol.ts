import { createHash, randomBytes } from 'node:crypto';
import { lstatSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { isObject, joinPaths, makeFolder, type Surroundings, surroundings, userFolders } from '../../core/index.js';

/** Bounds of the local socket. Times are in milliseconds. */
interface LocalLimits {
  /** Longest line, in bytes: a prompt that was cut, or a page of skills with their descriptions. */
  readonly messageBytes: number;
  /** Open connections. Each asks once; a person has a few agents. */
  readonly connections: number;
  /** How long connecting may take. A process that listens accepts at once, unless it is busy. */
  readonly connectTime: number;
  /** How long the line of a question may be under way. It is sent in one piece. */
  readonly requestTime: number;
}

/** The limits of the socket by which processes of one user ask each other. They cannot be changed. */
export const LOCAL_LIMITS: LocalLimits = {
  messageBytes: 256 * 1024,
  connections: 32,
  connectTime: 100,
  requestTime: 2000,
};

/**
 * The protocol: the client sends one line of JSON, the server one line back, and closes. Another version is refused,
 * so a client of one version of this library never reads what a server of another meant.
 */
export const LOCAL_VERSION = 1;

/** What the client sends. */
export interface LocalRequest {
  readonly version: typeof LOCAL_VERSION;
  /** Real path of the catalogue that is meant. */
  readonly database: string;
  /** What is asked. This room only carries it. */
  readonly ask: unknown;
}

/** What the server sends back: an answer, or the code of why there is none. */
export type LocalReply =
  | { readonly version: typeof LOCAL_VERSION; readonly answer: unknown }
  | { readonly version: typeof LOCAL_VERSION; readonly refused: string };

/** @returns undefined if the text is not JSON, or no object of this version */
export function readMessage(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) && value['version'] === LOCAL_VERSION ? value : undefined;
  } catch {
    return undefined;
  }
}

export function writeMessage(message: LocalRequest | LocalReply): string {
  return `${JSON.stringify(message)}\n`;
}

/** Collects what arrives until the first line is whole. */
export class FirstLine {
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** @returns the line once it is whole; `too long` if it is longer than a message may be */
  add(chunk: Buffer): { readonly line: string } | 'too long' | undefined {
    const end = chunk.indexOf(0x0a);
    const part = end < 0 ? chunk : chunk.subarray(0, end);
    this.#bytes += part.length;
    if (this.#bytes > LOCAL_LIMITS.messageBytes) return 'too long';
    this.#chunks.push(part);
    if (end < 0) return undefined;
    const line = Buffer.concat(this.#chunks).toString('utf8');
    this.#chunks = [];
    return { line };
  }
}

/** Where the process listens that answers for a catalogue on this machine. */
export interface LocalAddress {
  /** A folder of this user alone: it has the socket, and on Windows the key of the pipe's name. */
  readonly folder: string;
  /** 16 hexadecimal digits that stand for the catalogue. */
  readonly name: string;
  readonly isPipe: boolean;
}

/**
 * Longest path of a socket, in bytes: the shortest of what the systems take (104 with the end of the text on macOS and
 * the BSDs), less the dot and the number of a process that a new socket has behind it until it takes its place.
 */
const LONGEST_SOCKET_PATH = 103 - '.4194304'.length;

/**
 * The address of the catalogue at a real path. In the user's run folder, or, where that is too deep for a socket, in
 * the temporary folder of the system.
 *
 * @param user number of the user; undefined on Windows
 */
export function localAddress(database: string, of: Surroundings, user: number | undefined): LocalAddress {
  const name = createHash('sha256').update(database).digest('hex').slice(0, 16);
  const { run } = userFolders(of);
  const isPipe = of.platform === 'win32';
  const fits = isPipe || Buffer.byteLength(joinPaths(of, run, socketName(name))) <= LONGEST_SOCKET_PATH;
  return { folder: fits ? run : `/tmp/skill-discovery-${user ?? 0}`, name, isPipe };
}

/** File name of a catalogue's socket. */
export function socketName(name: string): string {
  return `${name}.sock`;
}

const FILE = 'pipe-key';
const KEY = /^[0-9a-f]{32}$/;

/**
 * The secret part of the names of this user's pipes. Pipes of Windows lie in no folder: whoever knows a name could
 * listen at it first, and would be asked.
 *
 * @returns undefined if there is none yet, or it cannot be read
 */
export function readPipeKey(folder: string): string | undefined {
  try {
    const key = readFileSync(join(folder, FILE), 'utf8');
    return KEY.test(key) ? key : undefined;
  } catch {
    return undefined;
  }
}

/** The same, made where there is none. */
export function ensurePipeKey(folder: string): string | undefined {
  try {
    writeFileSync(join(folder, FILE), randomBytes(16).toString('hex'), { flag: 'wx', mode: 0o600 });
  } catch {
    // Another process was first, or nothing can be written; reading tells.
  }
  return readPipeKey(folder);
}

/** The name of the pipe at which a catalogue's process listens. */
export function pipeName(name: string, key: string): string {
  return String.raw`\\.\pipe\skill-discovery-${name}-${key}`;
}

/**
 * Whether a folder is one that only this user can read or write: then what lies in it was put there by this user. On
 * Windows there is nothing to look at; the folder of the user's own data is closed to others.
 *
 * @param user number of the user; undefined on Windows
 */
function isPrivateFolder(path: string, user: number | undefined): boolean {
  try {
    const { uid, mode, isDirectory } = asFacts(path);
    return isDirectory && (user === undefined || (uid === user && (mode & 0o077) === 0));
  } catch {
    return false;
  }
}

/** Makes such a folder where there is none. @returns whether there is one now */
export function ensurePrivateFolder(path: string, user: number | undefined): boolean {
  try {
    makeFolder(path, { mode: 0o700 });
  } catch {
    return false;
  }
  return isPrivateFolder(path, user);
}

// Not what a link leads to: whoever made the link decides that.
function asFacts(path: string): { readonly uid: number; readonly mode: number; readonly isDirectory: boolean } {
  const facts = lstatSync(path);
  return { uid: facts.uid, mode: facts.mode, isDirectory: facts.isDirectory() };
}

export interface AskOptions {
  /** Real path of the catalogue. */
  readonly database: string;
  /** A value that JSON can carry. */
  readonly ask: unknown;
  /** Milliseconds to wait for the answer, once connected. */
  readonly patience: number;
  readonly of?: Surroundings;
}

/**
 * Asks the process that answers for a catalogue on this machine.
 *
 * @returns undefined if there is none, it does not answer in time, or refuses; whoever asks then does the work
 */
export async function askLocally({ database, ask, patience, of }: AskOptions): Promise<unknown> {
  const path = listeningPath(database, of ?? surroundings());
  if (path === undefined) return undefined;
  return new Promise((resolve) => {
    const socket = connect(path);
    const line = new FirstLine();
    const end = (answer?: unknown): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    let timer = setTimeout(end, LOCAL_LIMITS.connectTime);
    socket.on('error', () => end());
    socket.on('close', () => end());
    socket.on('connect', () => {
      clearTimeout(timer);
      timer = setTimeout(end, patience);
      socket.write(writeMessage({ version: LOCAL_VERSION, database, ask }));
    });
    socket.on('data', (chunk: Buffer) => {
      const read = line.add(chunk);
      if (read === undefined) return;
      end(read === 'too long' ? undefined : readMessage(read.line)?.['answer']);
    });
  });
}

/** @returns undefined if nobody of this user can be listening */
function listeningPath(database: string, of: Surroundings): string | undefined {
  const user = process.getuid?.();
  const { folder, name, isPipe } = localAddress(database, of, user);
  if (!isPrivateFolder(folder, user)) return undefined;
  if (isPipe) {
    const key = readPipeKey(folder);
    return key === undefined ? undefined : pipeName(name, key);
  }
  const path = join(folder, socketName(name));
  // Most often there is none, and looking is cheaper than connecting.
  return statSync(path, { throwIfNoEntry: false })?.isSocket() === true ? path : undefined;
}
