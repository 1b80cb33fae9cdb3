/** How long a single look may take where there is a copy already, in milliseconds. */
export const LONGEST_WITH_COPY = 5000;

/** Why the copy that is there is used as it is. */
export function tookTooLong(): Error {
  return new Error(`bringing it up to date takes longer than ${LONGEST_WITH_COPY / 1000} s`);
}
