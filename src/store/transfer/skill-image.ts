import type { ContentRow } from '../checksums.js';
import type { SkillColumns, SkillToStore } from '../stored-skill.js';

/**
 * All that a catalogue stores of a skill, but for what follows from it (checksums, signatures) and for what belongs to
 * one file (numbers). Two catalogues with the same images give the same answers.
 */
export interface SkillImage {
  /** `record` is the JSON of the eight fields, not packed. */
  readonly columns: SkillColumns;
  readonly files: SkillToStore['files'];
  /** Absent if nothing but excerpts of texts is stored. Bytes that are kept as a blob lie under their digest. */
  readonly contents?: { readonly complete: boolean; readonly files: readonly ContentRow[] } | undefined;
  /** What a classifier found of this version of the skill: a JSON array of slugs. Absent if none has seen it. */
  readonly derivedCategories?: string | undefined;
  /** Whether its text has a vector of the catalogue's model. It lies under the hash of the text. */
  readonly hasVector: boolean;
  /** In the order of the sources' names. */
  readonly claims: readonly ImageClaim[];
}

/** Says that a source has a skill. */
export interface ImageClaim {
  /** Key of the source. */
  readonly source: string;
  /** What the source's row became, if that is known; see the table `known_row`. */
  readonly row?: { readonly fingerprint: Buffer; readonly hash: Buffer } | undefined;
}

/** A claim as a row of a database has it. */
export interface ClaimRow {
  readonly source: string;
  readonly fingerprint: Buffer | null;
  readonly hash: Buffer | null;
}

export function claimOf({ source, fingerprint, hash }: ClaimRow): ImageClaim {
  return fingerprint === null || hash === null ? { source } : { source, row: { fingerprint, hash } };
}
