import type { Stats } from 'node:fs';
import type { ReadOptions } from './read-options.js';
import type { SourceItem } from './row.js';

/** A source that exists and is of a known kind. */
export interface ResolvedSource {
  readonly kind: SourceKind;
  /** As the caller named it. */
  readonly name: string;
  /** Absolute path; empty if the source is not a path. */
  readonly path: string;
  /** Size of a file on disk (compressed if it is), in bytes; undefined if it is not known. */
  readonly bytes: number | undefined;
}

/** A kind of source. To add one, write a file with it, and add it to the table in `open-source.ts`. */
export interface SourceKind {
  /** Skills are claimed under this name and the source's path: it must never change. */
  readonly name: string;
  /** What a source of this kind is, for the end of the sentence "a source must be". */
  readonly description: string;
  /** Whether a name is a source of this kind by itself, without being a path. */
  isName?(name: string): boolean;
  /** Whether what was found at a path is a source of this kind. */
  isPath?(path: string, found: Stats): boolean;
  /**
   * Reads everything in the source, one item at a time, in constant memory. A row that cannot be read is an item, not
   * an error.
   *
   * @throws Error that says what broke if the source itself fails, after everything that could be read
   * @throws the signal's reason when aborted
   */
  read(source: ResolvedSource, options: ReadOptions): AsyncGenerator<SourceItem>;
}
