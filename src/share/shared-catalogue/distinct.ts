/** Each of some digests once. */
export function distinct(digests: readonly Buffer[]): Buffer[] {
  return [...new Map(digests.map((digest) => [digest.toString('hex'), digest])).values()];
}
