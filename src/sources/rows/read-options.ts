import type { Readable } from 'node:stream';

/** A source that exists and is of a kind that can be read. Made by `checkSource`. */
export interface ResolvedSource {
  readonly kind: 'stdin' | 'folder' | 'file';
  /** As the caller named it. */
  readonly name: string;
  /** Absolute path; empty for standard input. */
  readonly path: string;
  /** Size of a file in bytes, as it lies on disk (compressed); undefined for a folder and standard input. */
  readonly bytes: number | undefined;
}

/** How a source is read. */
export interface ReadOptions {
  /** Ends the reading: the signal's reason is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** Told how many bytes of the source were read so far (compressed ones where it is compressed), for a progress bar. */
  readonly onBytes?: ((read: number) => void) | undefined;
  /**
   * Told the fingerprint of each row of a JSON source: one that is known is handed on without being read. What it says
   * must hold until the next row is asked for.
   */
  readonly isKnown?: ((fingerprint: string) => boolean) | undefined;
  /** Author of the skills of a folder that stands in no git repository. */
  readonly author?: string | undefined;
  /** Address that the folder's path inside the source is appended to, where there is no git remote. */
  readonly codehostBase?: string | undefined;
  /** Address that a skill's id-like path is appended to. */
  readonly skillUrlBase?: string | undefined;
  /** Read for the source `-`. @default process.stdin */
  readonly stdin?: Readable | undefined;
  /** How long one call of git may take, in milliseconds. @default 20000 */
  readonly gitTimeout?: number | undefined;
}
