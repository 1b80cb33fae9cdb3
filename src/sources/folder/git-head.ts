import { join } from 'node:path';
import { readGitFile, UnsafeRepository } from './git-file.js';
import type { GitFolder } from './git-folder.js';
import { MAX_GIT_FILE_BYTES, MAX_GIT_LIST_BYTES } from './git-folder.js';

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})(?=\s|$)/;

/** References of one work tree, not shared with others. */
const OF_WORK_TREE = /^refs\/(?:bisect|worktree|rewritten)\//;

/** References that lead to others are followed so far, as git does. */
const MAX_STEPS = 5;

/**
 * The commit that HEAD leads to, read without git: git would open whatever a reference is.
 *
 * @returns a hash in hex digits; undefined in a repository without a commit, or with references in another format
 * @throws {UnsafeRepository}
 */
export async function readHead(folder: GitFolder): Promise<string | undefined> {
  let name = 'HEAD';
  for (let step = 0; step < MAX_STEPS; step++) {
    const base = name === 'HEAD' || OF_WORK_TREE.test(name) ? folder.own : folder.common;
    const text = await readGitFile(join(base, name), name, folder.bounds, MAX_GIT_FILE_BYTES);
    if (text === undefined) return name === 'HEAD' ? undefined : readPacked(folder, name);
    const [commit] = COMMIT.exec(text) ?? [];
    if (commit !== undefined) return commit;
    const [, next] = /^ref:\s*(refs\/[^\0\r\n]+?)\s*$/.exec(text) ?? [];
    if (next === undefined || next.split('/').some((part) => part === '' || /^\.+$/.test(part))) {
      throw new UnsafeRepository(`${name === 'HEAD' ? name : 'a reference'} is neither a commit nor a reference`);
    }
    name = next;
  }
  return undefined;
}

/** A reference in the list of packed ones: lines of a commit, a space and a name. */
async function readPacked(folder: GitFolder, name: string): Promise<string | undefined> {
  const packed = join(folder.common, 'packed-refs');
  const text = `\n${(await readGitFile(packed, 'packed-refs', folder.bounds, MAX_GIT_LIST_BYTES)) ?? ''}\n`;
  const end = text.indexOf(` ${name}\n`);
  return end === -1 ? undefined : COMMIT.exec(text.slice(text.lastIndexOf('\n', end) + 1, end))?.[0];
}
