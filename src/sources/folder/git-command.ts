import { Buffer } from 'node:buffer';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { GitFault, MAX_GIT_FILE_BYTES } from './git-repository.js';

/** Memory that git may fill, in bytes. A log of 100,000 commits takes less than half of it. */
const GIT_HEAP_BYTES: number = 128 * 1024 * 1024;

/** Address space of git, in bytes: its memory, and the indexes of packs. */
const GIT_ADDRESS_BYTES: number = 1024 * 1024 * 1024;

/** A call of git. */
export interface GitCall {
  readonly args: readonly string[];
  /** Given to git on its standard input. */
  readonly input?: string;
  /** The folder of objects that git reads; none if left out. */
  readonly objects?: string;
  /** Called with each NUL-terminated piece of the output. What it throws ends the call. */
  readonly onPiece: (piece: string) => void;
  /** In milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
}

/** The exit status of a shell that finds no such program. */
const NOT_FOUND = 127;

/** Files beside the objects that git would read without need, and the memory that it takes for packs. */
const SETTINGS = [
  'core.commitGraph=false',
  'core.multiPackIndex=false',
  'core.deltaBaseCacheLimit=32m',
  'core.packedGitLimit=128m',
  'core.packedGitWindowSize=16m',
  'protocol.allow=never',
].flatMap((setting) => ['-c', setting]);

/**
 * Starts git with limits of the system: core files, heap, address space (both in KiB) and seconds of work. What a
 * system does not limit is left as it is: macOS limits only the last.
 */
const LIMITED = 'ulimit -c 0; ulimit -d "$1"; ulimit -v "$2"; ulimit -t "$3"; shift 3; exec git "$@"';

/**
 * A git folder of our own. Git reads its configuration, references and attributes here, and of a repository only the
 * objects. So nothing that a stranger wrote into a `.git` can name a program, a file or another repository.
 *
 * @throws the file system's error if there is no room for temporary files
 */
export async function makeGitFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'skill-discovery-git-'));
  // Without these three git does not take the folder for a repository.
  await mkdir(join(folder, 'objects'));
  await mkdir(join(folder, 'refs'));
  await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/none\n');
  return folder;
}

/**
 * Prepares a git folder of our own for one repository.
 *
 * @param commit in hex digits: its length tells the kind of hashes
 * @param shallow text of the list of commits whose parents are missing; undefined if none are
 */
export async function describeRepository(folder: string, commit: string, shallow: string | undefined): Promise<void> {
  const isSha256 = commit.length === 64;
  const format = isSha256 ? '\trepositoryFormatVersion = 1\n[extensions]\n\tobjectFormat = sha256\n' : '';
  await writeFile(join(folder, 'config'), `[core]\n\tbare = true\n${format}`);
  await rm(join(folder, 'shallow'), { force: true });
  if (shallow !== undefined) await writeFile(join(folder, 'shallow'), shallow);
}

/**
 * Runs git in a folder of our own. Git does not inherit the caller's git variables, fetches nothing, prompts for
 * nothing, and starts no program. It gets a bounded amount of memory and time.
 *
 * @throws {GitFault} if git takes too long, or fails
 * @throws the system's error if it cannot be started
 * @throws the signal's reason when aborted
 */
export function runGit(folder: string, call: GitCall): Promise<void> {
  const { onPiece, timeout, signal } = call;
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = start(folder, call);
    let failure: unknown;
    const stop = (reason: unknown): void => {
      failure ??= reason;
      child.kill('SIGKILL');
      // A helper process of git could keep the pipe open, and then 'close' would not come.
      child.stdout.destroy();
    };
    const onAbort = (): void => stop(signal?.reason);
    const timer = setTimeout(() => stop(new GitFault('git took too long', 'timeout')), timeout);
    signal?.addEventListener('abort', onAbort, { once: true });
    const settle = (error: unknown): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      if (error === undefined) resolve();
      else reject(error);
    };

    let rest: Buffer = Buffer.alloc(0);
    child.stdout.on('data', (chunk: Buffer) => {
      const bytes = Buffer.concat([rest, chunk]);
      let start = 0;
      try {
        for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, start)) {
          onPiece(bytes.toString('utf8', start, end));
          start = end + 1;
        }
        rest = bytes.subarray(start);
        if (rest.length > MAX_GIT_FILE_BYTES) throw new GitFault('git wrote a piece that is too long');
      } catch (error) {
        stop(error);
      }
    });
    // Git may end without having read its input.
    child.stdin.on('error', () => {});
    child.stdin.end(call.input ?? '');
    child.on('error', settle);
    child.on('close', (code, signalName) => {
      if (failure !== undefined || code === 0) settle(failure);
      else if (code === NOT_FOUND) settle(new GitFault('git was not found'));
      else settle(new GitFault(`git ended with ${code ?? signalName}`, code ?? undefined));
    });
  });
}

function start(folder: string, call: GitCall): ChildProcessByStdio<Writable, Readable, null> {
  const args = ['--no-pager', ...SETTINGS, ...call.args];
  const limits = [GIT_HEAP_BYTES / 1024, GIT_ADDRESS_BYTES / 1024, Math.ceil(call.timeout / 1000) + 1].map(String);
  const options = {
    cwd: folder,
    env: gitEnvironment(folder, call.objects),
    stdio: ['pipe', 'pipe', 'ignore'] as ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  };
  // Windows has neither the shell nor such limits.
  if (process.platform === 'win32') return spawn('git', args, options);
  return spawn('sh', ['-c', LIMITED, 'sh', ...limits, ...args], options);
}

function gitEnvironment(folder: string, objects: string | undefined): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.toUpperCase().startsWith('GIT_'));
  return {
    ...Object.fromEntries(inherited),
    LC_ALL: 'C',
    // No configuration of the user either: the same folder gives the same rows to everybody.
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_DIR: folder,
    ...(objects !== undefined && { GIT_OBJECT_DIRECTORY: objects }),
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
  };
}
