import type { Pieces } from './keyword-index.js';

/** What comes out of work, all pieces of which are done at once. */
export function allPieces<Result>(pieces: Pieces<Result>): Result {
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return value;
  }
}
