import { realpath, stat } from 'node:fs/promises';
import { isInside } from '../../core/index.js';
import { reasonOf } from './list-folder.js';
import { pathInside } from './source-paths.js';

/** Where a symbolic link leads, if it may be followed. */
export type LinkTarget =
  | {
      readonly kind: 'folder' | 'file' | 'other';
      readonly realPath: string;
      /** The root that it lies in. */
      readonly root: string;
    }
  | { readonly kind: 'refused'; readonly reason: string };

/** The folders that links of a source may lead into. All paths are real: absolute and without links. */
export class LinkRoots {
  /** The source itself. */
  readonly own: string;
  readonly #others: readonly string[];
  /** What all roots together are called. */
  readonly #all: string;

  /**
   * @param others sources of the same load
   * @param all what all of these are called, for problems
   */
  constructor(own: string, others: readonly string[] = [], all?: string) {
    this.own = own;
    this.#all = all ?? (others.some((root) => root !== own) ? 'the sources of the load' : 'the source');
    // The innermost first.
    this.#others = others.filter((root) => root !== own).sort((a, b) => b.length - a.length);
  }

  /** The root that a path lies in; undefined if it lies in none. */
  rootOf(path: string): string | undefined {
    return isInside(path, this.own) ? this.own : this.#others.find((root) => isInside(path, root));
  }

  /** Follows a link, if it leads into one of the roots. Never throws. */
  async follow(link: string): Promise<LinkTarget> {
    try {
      const realPath = await realpath(link);
      const root = this.rootOf(realPath);
      if (root === undefined) {
        return { kind: 'refused', reason: `a link that leads outside ${this.#all}` };
      }
      if (pathInside(root, realPath).split('/').includes('.git')) {
        return { kind: 'refused', reason: 'a link into a .git folder' };
      }
      const found = await stat(realPath);
      return { kind: found.isDirectory() ? 'folder' : found.isFile() ? 'file' : 'other', realPath, root };
    } catch (error) {
      return { kind: 'refused', reason: brokenLink(error) };
    }
  }
}

function brokenLink(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'a link that leads nowhere';
  if (code === 'ELOOP') return 'a link that leads in a circle';
  return `a link that cannot be followed: ${reasonOf(error)}`;
}
