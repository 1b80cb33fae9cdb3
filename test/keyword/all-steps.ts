import type { Steps } from '../../src/keyword/keyword-index.js';

/** What comes out of a piece of work, all steps of which are done at once. */
export function allSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
