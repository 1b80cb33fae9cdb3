import type { Skill, SkillInstallation, SkillProperties } from '../../skill.js';
import type { DraftContents } from './draft-contents.js';

/** Where a row comes from, for reports. Never part of a search answer. */
export interface Origin {
  /** The source as the caller named it; for a folder, with the path of the file inside it. */
  readonly source: string;
  /** Line of the row, counted from 1; absent if the source has no lines. */
  readonly line?: number;
}

/** The folder of a skill. */
export interface RowFolder {
  /** Absolute, without symbolic links. */
  readonly path: string;
  /** Whether the folder is the skill's only origin: no remote of a git repository names another. */
  readonly isOrigin: boolean;
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
  readonly folder?: RowFolder;
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

/** A part of a source that cannot become a row: a line that is not JSON, a folder that cannot be read. */
export interface UnreadableRow {
  readonly kind: 'unreadable';
  readonly origin: Origin;
  readonly reason: string;
  /** Location of the skill that cannot be read, if it is known. What is stored of the skill must not be pruned. */
  readonly location?: string;
  /** The folder of that skill. */
  readonly folder?: RowFolder;
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

/** A file of a skill before it is stored. */
export interface DraftFile {
  readonly filename: string;
  readonly text: string;
}

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
  readonly files: readonly DraftFile[];
  /** Undefined if there is nothing but excerpts of texts, which the files are. */
  readonly contents: DraftContents | undefined;
}
