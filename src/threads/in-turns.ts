/** Milliseconds that work may take before the event loop gets a turn. */
const LONGEST_TURN = 5;

/**
 * Does work that comes in pieces. After each piece that ends later than some milliseconds, timers, messages and other
 * calls get their turn. So the event loop is blocked for no longer than that and one piece.
 *
 * @throws the signal's reason when aborted; then the rest of the work is not done
 */
export async function inTurns<Result>(
  pieces: Generator<undefined, Result, undefined>,
  signal?: AbortSignal,
): Promise<Result> {
  let began = performance.now();
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return value;
    if (performance.now() - began < LONGEST_TURN) continue;
    await new Promise(setImmediate);
    signal?.throwIfAborted();
    began = performance.now();
  }
}
