/** Work in pieces: after each of them something else may be done. */
export type Pieces<Result> = Generator<undefined, Result, undefined>;

/** What comes out of work, all pieces of which are done at once. */
export function allPieces<Result>(pieces: Pieces<Result>): Result {
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return value;
  }
}
