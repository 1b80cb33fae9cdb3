import { lstat, realpath, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { decodePart, isInside, madeOnce, OneAtATime } from '../../core/index.js';
import { pathInside, systemReason } from '../rows/texts.js';
import { describeRepository, makeGitFolder, runGit } from './git-command.js';
import {
  checkGitObjects,
  findGitFolder,
  GitFault,
  type GitFolder,
  MAX_GIT_LIST_BYTES,
  readGitFile,
  readHead,
} from './git-repository.js';
import type { LinkRoots } from './walk-folder.js';

/**
 * Commit times that are kept of one repository: bytes of the paths, and 100 for each. Half a million files are more
 * than git log gets through in its time.
 */
const MAX_COMMIT_TIMES_BYTES: number = 64 * 1024 * 1024;

/** Once the time of a source is spent, git has this long to read a configuration that it is handed. */
const LAST_TIMEOUT_MS = 1000;

/** The exit status of `git config` if nothing matches. */
const NO_SUCH_KEY = 1;

/** What git knows of one work tree. */
export interface GitOrigin {
  /** Real path of the work tree. */
  readonly root: string;
  /** Where it was cloned from; undefined for a repository without a remote. */
  readonly remote: GitRemote | undefined;
  /**
   * Time of the newest commit of each file, in Unix seconds, by path from the root with `/`. Only files of the source.
   */
  readonly committedAt: ReadonlyMap<string, number>;
}

/** What git may take. */
export interface GitLimits {
  /** Milliseconds for one repository. */
  readonly timeout: number;
  /** Milliseconds for all repositories of a source together. */
  readonly budget: number;
  readonly signal: AbortSignal | undefined;
}

/** A repository that git told less of than it could, and why. */
export interface GitProblem {
  /** Real path of the work tree. */
  readonly root: string;
  /** Real path of the source that it belongs to. */
  readonly bound: string;
  readonly message: string;
  /** Whether even the remote is unknown: ids of skills depend on it. */
  readonly hidesRemote: boolean;
}

/**
 * Finds the work tree of a folder of a source. Runs git at most twice for each work tree, and once at a time: each run
 * may take the memory of its limit.
 */
export class GitOrigins {
  /** Grows with each repository. */
  readonly problems: GitProblem[] = [];
  readonly #roots: LinkRoots;
  readonly #repositories: ReadonlySet<string>;
  readonly #limits: GitLimits;
  readonly #known = new Map<string, Promise<GitOrigin>>();
  /** By source, the nearest folder above it with a `.git`. */
  readonly #above = new Map<string, Promise<string | undefined>>();
  readonly #turns = new OneAtATime();
  /** Milliseconds. */
  #left: number;
  /** Whether git did not even read a configuration once the time was spent. */
  #gaveUp = false;
  /** The git folder of our own, once it is needed. */
  #scratch: string | undefined;

  /**
   * @param roots the source, and others that links of it may lead into
   * @param repositories real paths of the folders in these with a `.git`
   */
  constructor(roots: LinkRoots, repositories: ReadonlySet<string>, limits: GitLimits) {
    this.#roots = roots;
    this.#repositories = repositories;
    this.#limits = limits;
    this.#left = limits.budget;
  }

  /** The work tree of a folder inside the source. Throws only the signal's reason. */
  async of(folder: string): Promise<GitOrigin | undefined> {
    const bound = this.#roots.rootOf(folder) ?? this.#roots.own;
    const root = await this.#workTreeOf(folder, bound);
    if (root === undefined) return undefined;
    return madeOnce(this.#known, root, () => this.#turns.run(() => this.#read(root, bound)));
  }

  /** Waits for what is going on, and removes temporary files. */
  async close(): Promise<void> {
    await this.#turns.run(async () => {}).catch(() => {});
    if (this.#scratch !== undefined) await rm(this.#scratch, { recursive: true, force: true });
  }

  async #workTreeOf(folder: string, bound: string): Promise<string | undefined> {
    for (let at = folder; isInside(at, bound); at = dirname(at)) {
      if (this.#repositories.has(at)) return at;
      if (at === dirname(at)) break;
    }
    return madeOnce(this.#above, bound, () => findAbove(bound));
  }

  async #read(root: string, bound: string): Promise<GitOrigin> {
    const { signal, timeout, budget } = this.#limits;
    signal?.throwIfAborted();
    const isAbove = isInside(bound, root);
    const started = performance.now();
    const isSpent = this.#left <= 0;
    // The remote is told even if the time of the source is spent, since ids depend on it: reading it takes no time,
    // unless git itself is out of order.
    const remoteUntil = started + Math.min(timeout, this.#gaveUp ? 0 : Math.max(this.#left, LAST_TIMEOUT_MS));
    let remote: GitRemote | undefined;
    let committedAt: ReadonlyMap<string, number> = new Map();
    let hidesRemote = true;
    try {
      this.#scratch ??= await makeGitFolder();
      const folder = await findGitFolder(root, isAbove ? root : bound);
      const repository: Repository = { root, folder, scratch: this.#scratch, signal };
      remote = await readRemote(repository, remoteUntil);
      hidesRemote = false;
      if (isSpent) throw new GitFault(`git has taken the ${budget / 1000} s that a source may take`);
      const until = started + Math.min(timeout, this.#left);
      committedAt = await readCommitTimes(repository, isAbove ? bound : root, until);
    } catch (error) {
      signal?.throwIfAborted();
      const isFault = error instanceof GitFault;
      this.#gaveUp ||= isSpent && hidesRemote && isFault && error.status === 'timeout';
      // The skills are there even if git fails. The message of the system may have a path.
      const reason = isFault ? error.message : systemReason(error);
      const instead = hidesRemote ? 'author, address and dates come from elsewhere' : 'dates are those of the files';
      const message = `git was not asked, or did not answer: ${reason}; ${instead}`;
      this.problems.push({ root, bound, message, hidesRemote });
    } finally {
      this.#left -= performance.now() - started;
    }
    return { root, remote, committedAt };
  }
}

/** The nearest folder above `folder` with a `.git`. */
async function findAbove(folder: string): Promise<string | undefined> {
  for (let at = dirname(folder), below = folder; at !== below; below = at, at = dirname(at)) {
    const found = await lstat(join(at, '.git')).catch(() => undefined);
    if (found !== undefined) return at;
  }
  return undefined;
}

/** A repository that git is asked about. */
interface Repository {
  readonly root: string;
  readonly folder: GitFolder;
  readonly scratch: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * The remote `origin`, else the first remote with an address on a host. Git is handed the text of the configuration and
 * follows no `include` in it.
 *
 * @param until when git must be done, by `performance.now()`
 */
async function readRemote(
  { root, folder, scratch, signal }: Repository,
  until: number,
): Promise<GitRemote | undefined> {
  const input = (await readGitFile(join(folder.common, 'config'), 'config', folder.bound)) ?? '';
  const addresses: [name: string, address: string][] = [];
  let workTree: string | undefined;
  const onPiece = (piece: string): void => {
    const end = piece.indexOf('\n');
    const [key, value] = [piece.slice(0, end), piece.slice(end + 1)];
    if (key === 'core.worktree') workTree = value;
    else addresses.push([key.slice('remote.'.length, -'.url'.length), value]);
  };
  const wanted = '^(remote\\..*\\.url|core\\.worktree)$';
  const args = ['config', '--file', '-', '--no-includes', '-z', '--get-regexp', wanted];
  await runGit(scratch, { args, input, onPiece, timeout: timeLeft(until), signal }).catch((error: unknown) => {
    // No remote is told from a remote that is not known: ids would change.
    if (!(error instanceof GitFault && error.status === NO_SUCH_KEY)) throw error;
  });
  if (folder.unproven) {
    const named = workTree && (await realpath(resolve(folder.own, workTree)).catch(() => undefined));
    if (named !== root) {
      throw new GitFault('.git leads out of the source, to a repository that does not name this folder');
    }
  }
  addresses.sort(([a], [b]) => Number(b === 'origin') - Number(a === 'origin'));
  for (const [, address] of addresses) {
    const remote = parseRemote(address);
    if (remote !== undefined) return remote;
  }
  return undefined;
}

/**
 * The time of the newest commit of every file in `scope`, from one log.
 *
 * @param until when git must be done, by `performance.now()`
 */
async function readCommitTimes(
  { root, folder, scratch, signal }: Repository,
  scope: string,
  until: number,
): Promise<Map<string, number>> {
  const { common, bound } = folder;
  const times = new Map<string, number>();
  const commit = await readHead(folder);
  const objects = commit && (await checkGitObjects(join(common, 'objects'), bound, signal));
  if (commit === undefined || objects === undefined) return times;
  const shallow = await readGitFile(join(common, 'shallow'), 'shallow', bound, MAX_GIT_LIST_BYTES);
  await describeRepository(scratch, commit, shallow);

  let committed = 0;
  let bytes = 0;
  const onPiece = (piece: string): void => {
    const [, time] = /^\x01(\d+)\x01$/.exec(piece) ?? [];
    if (time !== undefined) {
      committed = Number(time);
      return;
    }
    // The first path after a commit begins with a line feed.
    const path = piece.replace(/^\n/, '');
    const known = times.get(path);
    if (committed <= (known ?? -1)) return;
    times.set(path, committed);
    if (known === undefined) bytes += path.length + 100;
    if (bytes > MAX_COMMIT_TIMES_BYTES) throw new GitFault('more paths than are kept');
  };
  const log = ['log', '-z', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color', '--no-show-signature'];
  const what = ['--name-only', '--format=%x01%ct%x01', commit, '--', pathInside(root, scope) || '.'];
  const args = ['--literal-pathspecs', ...log, ...what];
  await runGit(scratch, { args, objects, onPiece, timeout: timeLeft(until), signal });
  return times;
}

/** @throws {GitFault} if none is left */
function timeLeft(until: number): number {
  const left = until - performance.now();
  if (left <= 0) throw new GitFault('git took too long', 'timeout');
  return left;
}

/** The repository that a remote address names. */
interface GitRemote {
  /** First segment of the path on the host: user, organisation or group. */
  readonly owner: string;
  /** Whole path on the host: `owner/repo`, with nested groups `group/subgroup/repo`. */
  readonly repository: string;
  /** `https://<host>/<repository>`, `http:` for such a remote; undefined if the host is only an alias of SSH. */
  readonly webUrl: string | undefined;
}

const MAX_ADDRESS = 2048;
const HOST = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i;
const SEGMENT = /^(?!\.{1,2}$)[\p{L}\p{N}._~+-]+$/u;
const URL_ADDRESS = /^(https?|git|ssh|git\+ssh|git\+https):\/\/([^/?#]+)\/([^?#]+)/i;
/** `git@host:owner/repo.git`. A single letter before the colon is a Windows drive. */
const SCP_ADDRESS = /^(?:[^@/\s]+@)?((?!file:)[^:/\s@]{2,}):(?!\/\/)([^\s]+)$/i;

/**
 * Parses the address of a remote: `https://`, `http://`, `git://`, `ssh://` or `git@host:owner/repo.git`. Drops user
 * names and passwords.
 *
 * @returns undefined for a local path, and whatever else names no repository on a host
 */
function parseRemote(given: string): GitRemote | undefined {
  if (given.length > MAX_ADDRESS) return undefined;
  const address = given.trim();
  const url = URL_ADDRESS.exec(address);
  const [, scheme = '', authority = '', urlPath = ''] = url ?? [];
  const [, scpHost = '', scpPath = ''] = SCP_ADDRESS.exec(address) ?? [];
  // The port is kept of a web address only.
  const port = { http: /:80$/, https: /:443$/, 'git+https': /:443$/ }[scheme.toLowerCase()] ?? /:\d*$/;
  const host = (
    url === null ? scpHost : authority.slice(authority.lastIndexOf('@') + 1).replace(port, '')
  ).toLowerCase();
  const segments = (url === null ? scpPath : (decodePart(urlPath) ?? urlPath))
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/i, '')
    .split('/');
  const [owner = ''] = segments;
  const [hostname = ''] = host.split(':');
  if (segments.length < 2 || !HOST.test(hostname) || !segments.every((segment) => SEGMENT.test(segment))) {
    return undefined;
  }
  const repository = segments.join('/');
  const web = /^https?$/i.exec(scheme)?.[0].toLowerCase() ?? (hostname.includes('.') ? 'https' : undefined);
  return { owner, repository, webUrl: web && `${web}://${host}/${repository}` };
}
