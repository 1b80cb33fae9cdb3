declare const kind: unique symbol;

/**
 * A number of one kind. A plain number is accepted for it, so elements of typed arrays need no cast. A number of
 * another kind is not: the compiler finds a document number that is passed as a term number.
 */
type NumberOf<Kind extends string> = number & { readonly [kind]?: Kind };

/** Number of a document, from 0: by last update, latest first, then by id. Changes from load to load. */
export type DocumentNumber = NumberOf<'document'>;

/** Number of a skill in the database, from 1: `skill.number`. Stays the same while the skill is in the catalogue. */
export type SkillNumber = NumberOf<'skill'>;

/** Number of a term in an index of words, from 0: in the order of the terms. */
export type TermNumber = NumberOf<'term'>;

/** Number of a vector in the database, from 1: `vector.number`. Never used again after the vector is removed. */
export type VectorNumber = NumberOf<'vector'>;

/** Place of a vector among those of an index of vectors, from 0: in the order of vector numbers. */
export type VectorPlace = NumberOf<'place'>;

/** The vectors of a catalogue as they are stored. */
export interface VectorSet {
  readonly dimensions: number;
  /** Numbers of the vectors in the store, ascending. They stay the same from load to load and are never reused. */
  readonly keys: Float64Array;
  /** The vectors, one after the other, each of unit length; from the store in memory that threads can share. */
  readonly values: Float32Array;
}
