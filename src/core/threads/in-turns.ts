import { isTurnSpent, nextTurn } from './turns.js';

/**
 * Does work that comes in pieces. Before each piece it gives way to the event loop if its present turn has taken some
 * milliseconds, see `giveWay`. So the event loop is blocked for no longer than that and one piece.
 *
 * @throws the signal's reason when aborted; then the rest of the work is not done
 */
export async function inTurns<Result>(
  pieces: Generator<undefined, Result, undefined>,
  signal?: AbortSignal,
): Promise<Result> {
  for (;;) {
    if (isTurnSpent()) {
      await nextTurn();
      signal?.throwIfAborted();
    }
    const { done, value } = pieces.next();
    if (done === true) return value;
  }
}
