import { setImmediate } from 'node:timers';

// Not the global one: tests of programs put others in its place, which may never call back.

/** Milliseconds that work may take before the event loop gets a turn. */
const LONGEST_TURN = 5;

/** When the present turn of the event loop began, by `performance.now()`; undefined if nobody has asked in it. */
let began: number | undefined;

/** Work that waits for a turn, in the order in which it came. */
const waiting: { readonly since: number; readonly goOn: () => void }[] = [];

/** Turns that were counted, and whether they are being counted: as long as there is work. */
let turns = 0;
let isCounting = false;

/**
 * Gives way to the event loop if all that was done in its present turn has taken some milliseconds: then timers,
 * messages and other calls get their turn. Work of all searches of a process counts together, and each turn goes to one
 * of those that wait: eight searches at the same time block the event loop no longer than one does.
 *
 * The first call in a turn only notes that it has begun.
 *
 * @throws the signal's reason when aborted meanwhile
 */
export async function giveWay(signal?: AbortSignal): Promise<void> {
  if (!isTurnSpent()) return;
  await nextTurn();
  signal?.throwIfAborted();
}

/** Whether what was done in the present turn has taken so long that the event loop should get the next one. */
function isTurnSpent(): boolean {
  if (began === undefined) begin();
  return performance.now() - began! >= LONGEST_TURN;
}

/** Waits for a turn of the event loop that is left to the caller. */
export function nextTurn(): Promise<void> {
  if (began === undefined) begin();
  return new Promise((resolve) => waiting.push({ since: turns, goOn: resolve }));
}

function begin(): void {
  began = performance.now();
  if (isCounting) return;
  isCounting = true;
  setImmediate(countTurn);
}

function countTurn(): void {
  turns += 1;
  began = undefined;
  const [next] = waiting;
  isCounting = next !== undefined;
  if (next === undefined) return;
  setImmediate(countTurn);
  // The work may have begun to wait among events of the turn before. Those behind it come first.
  if (turns < next.since + 2) return;
  waiting.shift();
  began = performance.now();
  next.goOn();
}

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

/** Work in pieces: after each of them something else may be done. */
export type Pieces<Result> = Generator<undefined, Result, undefined>;

/** What comes out of work, all pieces of which are done at once. */
export function allPieces<Result>(pieces: Pieces<Result>): Result {
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return value;
  }
}
