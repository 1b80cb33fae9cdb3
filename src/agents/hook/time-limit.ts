/** The work took too long. */
export class TimeLimit extends Error {
  override readonly name = 'TimeLimit' as const;
  readonly code = 'TIME_LIMIT' as const;
}
