import { madeOnce } from './arrays/growing-array.js';

/** Settles as a promise does, or rejects when the signal is aborted. The work behind the promise goes on. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/**
 * Lets the event loop do what else there is.
 *
 * @throws the signal's reason when aborted
 */
export async function loopTurn(signal: AbortSignal | undefined): Promise<void> {
  await new Promise(setImmediate);
  signal?.throwIfAborted();
}

/** A signal for one piece of work; see {@link anyOf}. */
export interface JoinedSignal {
  readonly signal: AbortSignal;
  /** Call it once the work has ended. */
  end(): void;
}

/** What is joined of a signal. All share one listener: Node warns of a signal that has more than ten. */
class Followers {
  readonly #signal: AbortSignal;
  readonly #controllers = new Set<AbortController>();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  add(controller: AbortController): void {
    if (this.#signal.aborted) controller.abort(this.#signal.reason);
    else if (this.#controllers.add(controller).size === 1) this.#signal.addEventListener('abort', this.#abort);
  }

  delete(controller: AbortController): void {
    this.#controllers.delete(controller);
    if (this.#controllers.size === 0) this.#signal.removeEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => {
    for (const controller of this.#controllers) controller.abort(this.#signal.reason);
  };
}

const followersOf = new WeakMap<AbortSignal, Followers>();

/**
 * A signal that is aborted with any of others, until its end. Then nothing is left of it at those that live longer:
 * `AbortSignal.any` leaves some bytes at them for ever in Node 22.
 */
export function anyOf(signals: readonly (AbortSignal | undefined)[]): JoinedSignal {
  const controller = new AbortController();
  const followed: Followers[] = [];
  for (const signal of signals) {
    if (signal === undefined) continue;
    const followers = madeOnce(followersOf, signal, () => new Followers(signal));
    followers.add(controller);
    followed.push(followers);
  }
  return {
    signal: controller.signal,
    end() {
      for (const followers of followed) followers.delete(controller);
    },
  };
}

/** Pieces of work of which each begins when the one before it has ended, in the order of the calls. */
export class OneAtATime {
  #last: Promise<unknown> | undefined;

  /** Does a piece of work; at once if there is no other. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.#last;
    const result = before === undefined ? work() : before.then(() => work());
    const ended = Promise.allSettled([result]);
    this.#last = ended;
    try {
      return await result;
    } finally {
      if (this.#last === ended) this.#last = undefined;
    }
  }
}

/**
 * Applies `work` to each item and yields the results in the order of the items. Up to `ahead` items are in progress at
 * the same time, because reading many small files is mostly waiting.
 *
 * @param work gets a promise that is kept when its result is the next one that is wanted, and broken if none is any
 *   more
 */
export async function* readAhead<T, R>(
  items: Iterable<T>,
  ahead: number,
  work: (item: T, turn: Promise<void>) => Promise<R>,
): AsyncGenerator<R> {
  const inProgress: { readonly turn: Resolvers<void>; readonly result: Promise<R> }[] = [];
  const next = (): Promise<R> => {
    const { turn, result } = inProgress.shift()!;
    turn.resolve();
    return result;
  };
  try {
    for (const item of items) {
      const turn = withResolvers<void>();
      const result = work(item, turn.promise);
      inProgress.push({ turn, result });
      // Handled when its turn comes. This only prevents unhandled rejections.
      for (const one of [turn.promise, result]) one.catch(() => {});
      if (inProgress.length >= ahead) yield await next();
    }
    while (inProgress.length > 0) yield await next();
  } finally {
    for (const { turn } of inProgress) turn.reject(new Error('wanted by nobody any more'));
  }
}

/** A promise, and what settles it. */
export interface Resolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/** `Promise.withResolvers`, which Node has from version 22. */
export function withResolvers<T>(): Resolvers<T> {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/** A listener, or a log, whose failure must not end the work that calls it. */
export function quietly<Told extends unknown[]>(
  listener: ((...told: Told) => void) | undefined,
): (...told: Told) => void {
  return (...told) => {
    try {
      listener?.(...told);
    } catch {
      // The listener's own matter: there is nowhere to report it.
    }
  };
}
