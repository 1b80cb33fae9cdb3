/**
 * Goes on with a value, or with what a promise will be fulfilled with. A value is gone on with at once: an answer that
 * waits for nobody is made in one piece, without a turn through the queue of promises.
 */
export function after<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
