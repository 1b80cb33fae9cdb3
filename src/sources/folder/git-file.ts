import { Buffer } from 'node:buffer';
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { isInside } from '../../core/index.js';
import { reasonOf } from './list-folder.js';

/** Why git is not asked about a repository. The message names files of the repository only, never where they lie. */
export class UnsafeRepository extends Error {
  override readonly name = 'UnsafeRepository' as const;
}

// Non-blocking, because opening a pipe would wait for a writer.
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * The real path of something in a repository.
 *
 * @param bounds real paths of the folders that it must lie in
 * @returns undefined if nothing is there
 * @throws {UnsafeRepository} if it lies elsewhere
 */
export async function pathInRepository(
  path: string,
  what: string,
  bounds: readonly string[],
): Promise<string | undefined> {
  const real = await realpath(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw new UnsafeRepository(`${what} cannot be read: ${reasonOf(error)}`);
  });
  if (real === undefined || bounds.some((bound) => isInside(real, bound))) return real;
  throw new UnsafeRepository(`${what} leads out of the source`);
}

/**
 * The text of a file of a repository.
 *
 * @param bounds real paths of the folders that it must lie in, links followed
 * @param limit bytes that it may have
 * @returns undefined if there is no such file
 * @throws {UnsafeRepository} if it is not a regular file, lies elsewhere, or is larger
 */
export async function readGitFile(
  path: string,
  what: string,
  bounds: readonly string[],
  limit: number,
): Promise<string | undefined> {
  const real = await pathInRepository(path, what, bounds);
  if (real === undefined) return undefined;
  try {
    return await readRegular(real, what, limit);
  } catch (error) {
    if (error instanceof UnsafeRepository) throw error;
    throw new UnsafeRepository(`${what} cannot be read: ${reasonOf(error)}`);
  }
}

async function readRegular(path: string, what: string, limit: number): Promise<string> {
  const file = await open(path, OPEN_FLAGS);
  try {
    const found = await file.stat();
    const { size } = found;
    if (!found.isFile()) throw new UnsafeRepository(`${what} is not a regular file`);
    // One more than its size: a file that grows, or that says it is empty and is not.
    const bytes = Buffer.allocUnsafeSlow(Math.min(size, limit) + 1);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    if (size > limit) throw new UnsafeRepository(`${what} is over ${limit.toLocaleString('en')} bytes`);
    if (length > size) throw new UnsafeRepository(`${what} grows while it is read`);
    return bytes.toString('utf8', 0, length);
  } finally {
    await file.close();
  }
}
