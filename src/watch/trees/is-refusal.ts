/** Whether an error says that the system can watch no more folders, or no files at all. */
export function isRefusal(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code !== undefined && REFUSALS.has(code);
}

const REFUSALS: ReadonlySet<string> = new Set([
  'ENOSPC',
  'EMFILE',
  'ENFILE',
  'ENOSYS',
  'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM',
]);
