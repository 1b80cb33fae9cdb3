/** By the cause of an outage, which all errors of it share: whether somebody was told of it. */
const outages = new WeakMap<Error, boolean>();

/**
 * Notes that all errors with this cause are of one outage: while a database does not answer, each request fails.
 *
 * @param isTold whether its beginning was told to somebody
 */
export function noteOutage(cause: Error, isTold: boolean): void {
  outages.set(cause, isTold);
}

/**
 * Whether an error need not be told, because it is of an outage that was told before. The first that is asked about is
 * news if nobody was told.
 */
export function isKnownOutage(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return false;
  const isTold = outages.get(cause);
  if (isTold === false) outages.set(cause, true);
  return isTold === true;
}
