import { GONE } from '../keyword-segment.js';

/** In place of the new number of a document or a term: it is left out of a merged index. */
export const DROPPED: number = GONE;
