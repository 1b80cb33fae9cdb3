import type { Stats } from 'node:fs';
import type { Readable } from 'node:stream';
import type { DraftContents, Skill, SkillFile, SkillFolder, SkillInstallation, SkillProperties } from '../../skill.js';

/** Where a row comes from, for reports. Never part of a search answer. */
export interface Origin {
  /** The source as the caller named it; for a folder, with the path of the file inside it. */
  readonly source: string;
  /** Line of the row, counted from 1; absent if the source has no lines. */
  readonly line?: number;
}

/** One item of a source, not checked yet: a value of a JSON source, or what was read from a folder with a SKILL.md. */
export interface RawRow {
  readonly kind: 'row';
  readonly origin: Origin;
  /** The row as parsed. It may be anything. */
  readonly value: unknown;
  /** What the skill is made of, if it does not follow from the value. */
  readonly contents?: DraftContents;
  /** Problems that did not keep the row from being read. */
  readonly warnings?: readonly string[];
  /**
   * Where the skill lies: `owner/repository/path` or the like. If the row brings no id, the id is derived from this.
   * Must not depend on the text.
   */
  readonly location?: string;
  /** The folder that it was read from; absent if it was not. */
  readonly folder?: SkillFolder;
  /**
   * From which agents' folders it was read, with their paths, in order of precedence. A value of a JSON source may have
   * a field of this name, too; but no path is taken from that: it could name any file of this machine.
   */
  readonly installations?: readonly SkillInstallation[];
  /** Hash of the row's bytes and of the rules by which they are read, if the source has bytes. */
  readonly fingerprint?: string;
}

/** A row that an earlier load has stored as it is, by {@link ReadOptions.isKnown}. */
export interface KnownRow {
  readonly kind: 'known';
  readonly origin: Origin;
  readonly fingerprint: string;
}

/**
 * A part of a source that cannot become a row: a line that is not JSON, a folder that cannot be read. What is stored of
 * the skill at its location, if that is known, must not be pruned.
 */
export interface UnreadableRow extends Pick<RawRow, 'origin' | 'location' | 'folder'> {
  readonly kind: 'unreadable';
  readonly reason: string;
  /** Whether it may hide skills that nobody can name: a folder that cannot be entered, a line. Prevents pruning. */
  readonly hidesSkills?: true;
}

/** A remark for the report that belongs to no row: a link that leads outside the source. */
export interface SourceRemark {
  readonly kind: 'remark';
  readonly origin: Origin;
  readonly message: string;
  /** Whether skills may come under another id than before, or not at all. Nothing can be pruned then. */
  readonly hidesSkills?: true;
  /** Folders that those skills lie in, absolute, without symbolic links: all others can be pruned. */
  readonly hidingFolders?: readonly string[];
}

export type SourceItem = RawRow | KnownRow | UnreadableRow | SourceRemark;

/** A skill made from a checked row. */
export interface SkillDraft extends Omit<Skill, 'id'> {
  /** The id that the row brings; undefined if one has to be derived. */
  readonly id: string | undefined;
  /** Where the skill lies; see {@link RawRow.location}. The slug of a derived id is made from it. */
  readonly location: string;
  /**
   * The location, with the skill's name added if the location is a repository that may hold many skills. It is stored,
   * and a derived id belongs to it.
   */
  readonly exactLocation: string;
  readonly properties: SkillProperties;
  /** At least one. */
  readonly files: readonly Omit<SkillFile, 'fileId'>[];
  /** Undefined if there is nothing but excerpts of texts, which the files are. */
  readonly contents: DraftContents | undefined;
}

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

/**
 * Rows from a program. In reports `name` stands for the source, and `line` is the number of the row, counted from 1.
 *
 * @throws what the iterable throws, and the signal's reason when aborted
 */
export async function* readRows(
  rows: Iterable<unknown> | AsyncIterable<unknown>,
  name: string,
  options: Pick<ReadOptions, 'signal'> = {},
): AsyncGenerator<SourceItem> {
  options.signal?.throwIfAborted();
  let line = 0;
  for await (const value of rows) {
    options.signal?.throwIfAborted();
    line++;
    yield { kind: 'row', origin: { source: name, line }, value };
  }
}
