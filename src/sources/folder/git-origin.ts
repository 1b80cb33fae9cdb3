import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type GitLimits, runGit } from './git-command.js';
import { type GitRemote, parseRemote } from './git-remote.js';
import { isInside, pathInside } from './source-paths.js';

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

/** Finds the work tree of a folder of the source. Runs git at most twice for each work tree. */
export class GitOrigins {
  readonly #realRoot: string;
  readonly #inside: ReadonlySet<string>;
  readonly #limits: GitLimits;
  readonly #known = new Map<string, Promise<GitOrigin>>();
  #above: Promise<string | undefined> | undefined;

  /** @param inside real paths of the folders below the source, or of the source, with a `.git` */
  constructor(realRoot: string, inside: ReadonlySet<string>, limits: GitLimits) {
    this.#realRoot = realRoot;
    this.#inside = inside;
    this.#limits = limits;
  }

  /** The work tree of a folder inside the source. Throws only the signal's reason. */
  async of(folder: string): Promise<GitOrigin | undefined> {
    const root = await this.#rootOf(folder);
    if (root === undefined) return undefined;
    let origin = this.#known.get(root);
    if (origin === undefined) {
      origin = readOrigin(root, isInside(this.#realRoot, root) ? this.#realRoot : root, this.#limits);
      this.#known.set(root, origin);
    }
    return origin;
  }

  async #rootOf(folder: string): Promise<string | undefined> {
    for (let at = folder; isInside(at, this.#realRoot); at = dirname(at)) {
      if (this.#inside.has(at)) return at;
      if (at === dirname(at)) break;
    }
    this.#above ??= findAbove(this.#realRoot);
    return this.#above;
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

async function readOrigin(root: string, scope: string, limits: GitLimits): Promise<GitOrigin> {
  // One after the other, so that a repository which answers neither has one process at a time.
  const remote = await orNothing(readRemote(root, limits), limits);
  const committedAt = await orNothing(readCommitTimes(root, scope, limits), limits);
  return { root, remote, committedAt: committedAt ?? new Map() };
}

/** The skills are there even if git fails, so only an abort is passed on. */
async function orNothing<T>(answer: Promise<T>, { signal }: GitLimits): Promise<T | undefined> {
  try {
    return await answer;
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}

/** The remote `origin`, else the first remote with an address on a host. */
async function readRemote(root: string, limits: GitLimits): Promise<GitRemote | undefined> {
  const addresses: [name: string, address: string][] = [];
  const collect = (piece: string): void => {
    const end = piece.indexOf('\n');
    addresses.push([piece.slice('remote.'.length, end - '.url'.length), piece.slice(end + 1)]);
  };
  await runGit(root, ['config', '-z', '--get-regexp', '^remote\\..*\\.url$'], collect, limits);

  addresses.sort(([a], [b]) => Number(b === 'origin') - Number(a === 'origin'));
  for (const [, address] of addresses) {
    const remote = parseRemote(address);
    if (remote !== undefined) return remote;
  }
  return undefined;
}

/** The time of the newest commit of every file in `scope`, from one log. */
async function readCommitTimes(root: string, scope: string, limits: GitLimits): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  let committed = 0;
  const collect = (piece: string): void => {
    const [, time] = /^\x01(\d+)\x01$/.exec(piece) ?? [];
    if (time !== undefined) {
      committed = Number(time);
      return;
    }
    // The first path after a commit begins with a line feed.
    const path = piece.startsWith('\n') ? piece.slice(1) : piece;
    if (committed > (times.get(path) ?? -1)) times.set(path, committed);
  };

  const path = pathInside(root, scope);
  const log = ['log', '-z', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color', '--no-show-signature'];
  const what = ['--name-only', '--format=%x01%ct%x01', 'HEAD', '--', path === '' ? '.' : path];
  await runGit(root, ['--literal-pathspecs', ...log, ...what], collect, limits);
  return times;
}
