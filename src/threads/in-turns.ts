/** Milliseconds that a piece of work may take before the event loop gets a turn. */
const LONGEST_TURN = 5;

/**
 * Does a piece of work that comes in steps. After each step that ends later than some milliseconds, timers, messages
 * and other calls get their turn. So the event loop is blocked for no longer than that and one step.
 *
 * @throws the signal's reason when aborted; then the rest of the work is not done
 */
export async function inTurns<Result>(
  steps: Generator<undefined, Result, undefined>,
  signal?: AbortSignal,
): Promise<Result> {
  let began = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (performance.now() - began < LONGEST_TURN) continue;
    await new Promise(setImmediate);
    signal?.throwIfAborted();
    began = performance.now();
  }
}
