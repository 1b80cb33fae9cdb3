import type { Readable } from 'node:stream';

/** How a source is read. */
export interface ReadOptions {
  /** Stops the reading, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of bytes read so far (compressed ones if the source is compressed), for a progress bar. */
  readonly onBytes?: ((read: number) => void) | undefined;
  /**
   * Called with the fingerprint of each row of a JSON source. A known row is passed on without being parsed. The answer
   * must hold until the next row is asked for.
   */
  readonly isKnown?: ((fingerprint: string) => boolean) | undefined;
  /** Bytes that a file or standard input may have, after unpacking. 0 means no limit. @default 32 GiB */
  readonly maxUnpackedBytes?: number | undefined;
  /** How many times its compressed size a gzip source may have. 0 means no limit. @default 100 */
  readonly maxRatio?: number | undefined;
  /** Author of the skills of a folder that is in no git repository. */
  readonly author?: string | undefined;
  /** Address to which the path inside the source is appended, if there is no git remote. */
  readonly codehostBase?: string | undefined;
  /** Address to which the path of a skill, in the form of an id, is appended. */
  readonly skillUrlBase?: string | undefined;
  /** Real paths of folders outside the source that links in it may lead into. @default none */
  readonly linkRoots?: readonly string[] | undefined;
  /** Folders of a folder source, or of installed skills: only these and what is below them is read. @default all */
  readonly folders?: readonly string[] | undefined;
  /** Read for the source `-`. @default process.stdin */
  readonly stdin?: Readable | undefined;
  /** False if the bytes of a folder's files are not read. @default true */
  readonly contents?: boolean | undefined;
  /** False if git is asked nothing. @default true */
  readonly git?: boolean | undefined;
  /** How long git may work on one repository, in milliseconds. @default 20000 */
  readonly gitTimeout?: number | undefined;
  /** How long git may work on all repositories of the source, in milliseconds. @default 120000 */
  readonly gitBudget?: number | undefined;
}
