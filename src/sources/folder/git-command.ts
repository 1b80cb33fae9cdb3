import { Buffer } from 'node:buffer';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { MAX_GIT_FILE_BYTES } from './git-repository.js';

/** Memory that git may fill, in bytes. A log of 100,000 commits takes less than half of it. */
export const GIT_HEAP_BYTES: number = 128 * 1024 * 1024;

/** Address space of git, in bytes: its memory, and the indexes of packs. */
export const GIT_ADDRESS_BYTES: number = 1024 * 1024 * 1024;

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

/** Git ran out of its time. */
export class GitTimeout extends Error {
  override readonly name = 'GitTimeout' as const;
}

/** Git ended with an error of its own. */
export class GitFailure extends Error {
  override readonly name = 'GitFailure' as const;
  /** Exit status; undefined if it did not exit by itself. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

/** The exit status of a shell that finds no such program. */
const NOT_FOUND = 127;

/**
 * Settings that override every configuration. Git reads none of a stranger: this holds if that should ever fail. The
 * last ones bound the memory that git takes for packs.
 */
const SETTINGS = [
  'core.attributesFile=/dev/null',
  'core.commitGraph=false',
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.multiPackIndex=false',
  'core.pager=cat',
  'diff.external=',
  'diff.orderFile=/dev/null',
  'log.decorate=false',
  'log.follow=false',
  'log.mailmap=false',
  'log.showSignature=false',
  'protocol.allow=never',
  'safe.bareRepository=explicit',
  'core.deltaBaseCacheLimit=32m',
  'core.packedGitLimit=128m',
  'core.packedGitWindowSize=16m',
].flatMap((setting) => ['-c', setting]);

/**
 * Starts git with limits of the system: core files, heap, address space (both in KiB) and seconds of work. What a
 * system does not limit is left as it is: macOS limits only the last.
 */
const LIMITED = 'ulimit -c 0; ulimit -d "$1"; ulimit -v "$2"; ulimit -t "$3"; shift 3; exec git "$@"';

/**
 * Runs git in a folder of our own. Git does not inherit the caller's git variables, fetches nothing, prompts for
 * nothing, and starts no program. It gets a bounded amount of memory and time.
 *
 * @throws {GitTimeout} if git takes too long
 * @throws {GitFailure} if it fails
 * @throws the system's error if it cannot be started
 * @throws the signal's reason when aborted
 */
export function runGit(scratch: GitScratch, call: GitCall): Promise<void> {
  const { onPiece, timeout, signal } = call;
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = start(scratch, call);
    let failure: unknown;
    const stop = (reason: unknown): void => {
      failure ??= reason;
      child.kill('SIGKILL');
      // A helper process of git could keep the pipe open, and then 'close' would not come.
      child.stdout.destroy();
    };
    const onAbort = (): void => stop(signal?.reason);
    const timer = setTimeout(() => stop(new GitTimeout('git took too long')), timeout);
    signal?.addEventListener('abort', onAbort, { once: true });
    const settle = (error: unknown): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      if (error === undefined) resolve();
      else reject(error);
    };

    let rest: Buffer = Buffer.alloc(0);
    child.stdout.on('data', (chunk: Buffer) => {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let start = 0;
      try {
        for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, start)) {
          onPiece(bytes.toString('utf8', start, end));
          start = end + 1;
        }
        rest = bytes.subarray(start);
        if (rest.length > MAX_GIT_FILE_BYTES) throw new GitFailure('git wrote a piece that is too long');
      } catch (error) {
        stop(error);
      }
    });
    // Git may end without having read its input.
    child.stdin.on('error', () => {});
    child.stdin.end(call.input ?? '');
    child.on('error', settle);
    child.on('close', (code, signalName) => {
      if (failure !== undefined) settle(failure);
      else if (code === 0) settle(undefined);
      else if (code === NOT_FOUND) settle(new GitFailure('git was not found', code));
      else settle(new GitFailure(`git ended with ${code ?? signalName}`, code ?? undefined));
    });
  });
}

function start(scratch: GitScratch, call: GitCall): ChildProcessByStdio<Writable, Readable, null> {
  const args = ['--no-pager', ...SETTINGS, ...call.args];
  const limits = [GIT_HEAP_BYTES / 1024, GIT_ADDRESS_BYTES / 1024, Math.ceil(call.timeout / 1000) + 1].map(String);
  const options = {
    cwd: scratch.folder,
    env: gitEnvironment(scratch.folder, call.objects),
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
    GIT_EXTERNAL_DIFF: '',
  };
}

/**
 * A git folder of our own. Git reads its configuration, references and attributes here, and of a repository only the
 * objects. So nothing that a stranger wrote into a `.git` can name a program, a file or another repository.
 */
export class GitScratch {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** @throws the file system's error if there is no room for temporary files */
  static async make(): Promise<GitScratch> {
    const folder = await mkdtemp(join(tmpdir(), 'skill-discovery-git-'));
    // Without these three git does not take the folder for a repository.
    await mkdir(join(folder, 'objects'));
    await mkdir(join(folder, 'refs'));
    await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/none\n');
    return new GitScratch(folder);
  }

  /**
   * Prepares for one repository.
   *
   * @param commit in hex digits: its length tells the kind of hashes
   * @param shallow text of the list of commits whose parents are missing; undefined if none are
   */
  async describe(commit: string, shallow: string | undefined): Promise<void> {
    const sha256 = commit.length === 64;
    const format = sha256 ? '\trepositoryFormatVersion = 1\n[extensions]\n\tobjectFormat = sha256\n' : '';
    await writeFile(join(this.folder, 'config'), `[core]\n\tbare = true\n${format}`);
    if (shallow === undefined) await rm(join(this.folder, 'shallow'), { force: true });
    else await writeFile(join(this.folder, 'shallow'), shallow);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
