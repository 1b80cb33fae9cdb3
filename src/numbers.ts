declare const kind: unique symbol;

/**
 * A number of one kind. A plain number may stand for it, so elements of typed arrays need no cast; a number of another
 * kind may not, so the compiler finds a document number that is passed where a term number belongs.
 */
type NumberOf<Kind extends string> = number & { readonly [kind]?: Kind };

/** Number of a document: from 0, in the order of the last update, latest first, then by id. Changes from load to load. */
export type DocumentNumber = NumberOf<'document'>;

/** Number of a skill in the database, from 1: `skill.number`. The same as long as the skill is in the catalogue. */
export type SkillNumber = NumberOf<'skill'>;

/** Number of a term in an index of words: from 0, in the order of the terms. */
export type TermNumber = NumberOf<'term'>;

/** Number of a vector in the database, from 1: `vector.number`. Never given again. */
export type VectorNumber = NumberOf<'vector'>;

/** Place of a vector among those of an index of vectors: from 0, in the order of their numbers. */
export type VectorPlace = NumberOf<'place'>;
