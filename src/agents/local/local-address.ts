import { createHash } from 'node:crypto';
import { joinPaths, type Surroundings, userFolders } from '../../core/index.js';

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
