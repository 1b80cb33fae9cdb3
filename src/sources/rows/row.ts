import type { Skill, SkillProperties } from '../../skill.js';

/** Where a row stands, for reports. Never part of a search answer. */
export interface Origin {
  /** The source as the caller named it, for a folder with the path of the file inside it. */
  readonly source: string;
  /** Line of the row, counted from 1; absent where lines mean nothing. */
  readonly line?: number;
}

/** What one source hands over for one skill, not yet checked: an object of a JSON source, or a SKILL.md folder read. */
export interface RawRow {
  readonly kind: 'row';
  readonly origin: Origin;
  /** The row as parsed. Anything may stand in it. */
  readonly value: unknown;
  /** Problems met while reading the row that did not prevent it. */
  readonly warnings?: readonly string[];
  /**
   * Where the skill is, `owner/repository/path` or the like: an id is derived from it when the row brings none.
   * Depends on the place only, never on the text.
   */
  readonly place?: string;
  /** Stands for the bytes of the row and the rules they are read by, where the source has bytes. */
  readonly fingerprint?: string;
}

/** A row that an earlier load has stored as it stands: {@link ReadOptions.isKnown} said so. */
export interface KnownRow {
  readonly kind: 'known';
  readonly origin: Origin;
  readonly fingerprint: string;
}

/** A piece of a source that cannot even become a row: a line that is no JSON, a folder that cannot be read. */
export interface UnreadableRow {
  readonly kind: 'unreadable';
  readonly origin: Origin;
  readonly reason: string;
  /** Where the skill is that cannot be read, if that is known: what is stored of it must not be pruned. */
  readonly place?: string;
  /** Whether any number of skills may be behind it: a folder that cannot be entered. Nothing can be pruned then. */
  readonly hidesSkills?: true;
}

/** Something worth telling that belongs to no row: a link that leads outside the source. */
export interface SourceRemark {
  readonly kind: 'remark';
  readonly origin: Origin;
  readonly message: string;
}

export type SourceItem = RawRow | KnownRow | UnreadableRow | SourceRemark;

/** A file of a skill before it is stored. */
export interface DraftFile {
  readonly filename: string;
  readonly text: string;
}

/** A row that was checked and normalised, ready for the store. */
export interface SkillDraft extends Omit<Skill, 'id'> {
  /** The id the row brings; undefined where one has to be derived. */
  readonly id: string | undefined;
  /** Where the skill is; see {@link RawRow.place}. The slug of a derived id is made of it. */
  readonly place: string;
  /**
   * What tells this skill from others of the same slug: the place, and the name where the place is a repository that may
   * hold many skills.
   */
  readonly identity: string;
  readonly properties: SkillProperties;
  /** At least one. */
  readonly files: readonly DraftFile[];
}
