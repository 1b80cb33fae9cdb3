/** Stands for the number of a document, or of a term, that is left out of a merged index. */
export const DROPPED = 0xffffffff;
