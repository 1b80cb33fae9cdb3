import { opendir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathInRepository, readGitFile, UnsafeRepository } from './git-file.js';
import { MAX_GIT_FILE_BYTES } from './git-folder.js';
import { reasonOf } from './list-folder.js';

/** Files among the objects of a repository. Git packs objects long before there are so many. */
const MAX_GIT_OBJECT_FILES = 1_000_000;

/** Largest index of a pack, in bytes. Git maps it as a whole, and this is half of the address space that it gets. */
const MAX_PACK_INDEX_BYTES: number = 512 * 1024 * 1024;

/** Object folders that borrow from each other are followed so far, as git does. */
const MAX_BORROWING = 5;

/**
 * Checks everything that git may open among the objects of a repository: regular files inside the bounds, and no index
 * that git would map into more memory than it gets. Opens nothing but folders and the list of borrowed folders.
 *
 * @param bounds real paths of the folders that objects must lie in
 * @param limit files that there may be
 * @returns the real path of the folder of objects; undefined if there is none
 * @throws {UnsafeRepository}
 */
export async function checkGitObjects(
  path: string,
  bounds: readonly string[],
  signal?: AbortSignal,
  limit: number = MAX_GIT_OBJECT_FILES,
): Promise<string | undefined> {
  return new ObjectsCheck(bounds, signal, limit).check(path, 0);
}

class ObjectsCheck {
  readonly #bounds: readonly string[];
  readonly #signal: AbortSignal | undefined;
  readonly #checked = new Set<string>();
  #filesLeft: number;

  constructor(bounds: readonly string[], signal: AbortSignal | undefined, limit: number) {
    this.#bounds = bounds;
    this.#signal = signal;
    this.#filesLeft = limit;
  }

  async check(path: string, depth: number): Promise<string | undefined> {
    const objects = await pathInRepository(path, 'objects', this.#bounds);
    if (objects === undefined || this.#checked.has(objects)) return objects;
    this.#checked.add(objects);
    for await (const { name, isFolder } of this.#list(objects)) {
      // Other folders hold nothing that a log reads; the list of borrowed folders is read below.
      if (isFolder && (name === 'pack' || /^[0-9a-f]{2}$/.test(name))) await this.#checkFiles(join(objects, name));
    }
    const list = await readGitFile(
      join(objects, 'info', 'alternates'),
      'objects/info/alternates',
      this.#bounds,
      MAX_GIT_FILE_BYTES,
    );
    for (const line of list?.split('\n') ?? []) {
      if (line === '' || line.startsWith('#')) continue;
      if (line.startsWith('"') || depth === MAX_BORROWING) {
        throw new UnsafeRepository('objects/info/alternates cannot be followed');
      }
      await this.check(resolve(objects, line), depth + 1);
    }
    return objects;
  }

  async #checkFiles(folder: string): Promise<void> {
    for await (const { name, isFolder } of this.#list(folder)) {
      if (isFolder || name.endsWith('.pack') || !/^(?:pack-|multi-pack-index)/.test(name)) continue;
      const { size } = await stat(join(folder, name));
      if (size > MAX_PACK_INDEX_BYTES) throw new UnsafeRepository('the index of a pack is too large');
    }
  }

  async *#list(folder: string): AsyncGenerator<{ readonly name: string; readonly isFolder: boolean }> {
    this.#signal?.throwIfAborted();
    try {
      for await (const entry of await opendir(folder, { bufferSize: 256 })) {
        const isFolder = entry.isDirectory();
        if (!isFolder && this.#filesLeft-- === 0) throw new UnsafeRepository('too many objects in files of their own');
        if (!isFolder && !entry.isFile()) throw new UnsafeRepository('not everything in objects is a regular file');
        yield { name: entry.name, isFolder };
      }
    } catch (error) {
      if (error instanceof UnsafeRepository) throw error;
      throw new UnsafeRepository(`objects cannot be read: ${reasonOf(error)}`);
    }
  }
}
