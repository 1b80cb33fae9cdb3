import { statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type Surroundings, surroundings } from '../../core/index.js';
import {
  FirstLine,
  isPrivateFolder,
  LOCAL_LIMITS,
  LOCAL_VERSION,
  localAddress,
  pipeName,
  readMessage,
  readPipeKey,
  socketName,
  writeMessage,
} from './local-protocol.js';

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
