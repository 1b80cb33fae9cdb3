import { AnswerTimeout } from './postgres-error.js';

/**
 * What some work becomes, if that is soon enough. What becomes of it later is not looked at.
 *
 * @param lateError what it is refused with otherwise
 * @throws {AnswerTimeout} if the work takes longer
 * @throws the signal's reason when aborted
 */
export async function within<T>(
  milliseconds: number,
  work: Promise<T>,
  signal?: AbortSignal,
  lateError: () => Error = () => new AnswerTimeout('no answer came in time'),
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let abort = (): void => {};
  const given = new Promise<never>((_, reject) => {
    const late = (): void => reject(lateError());
    // Where this process itself stood still, what came meanwhile is read before anybody is told that nothing came.
    timer = setTimeout(() => setImmediate(late), Math.max(0, milliseconds));
    abort = (): void => reject(signal?.reason);
    signal?.addEventListener('abort', abort);
    if (signal?.aborted === true) abort();
  });
  work.catch(() => {});
  try {
    return await Promise.race([work, given]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
