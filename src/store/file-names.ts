/** The file that stands beside a catalogue while a load runs; one that was killed leaves it behind. */
export function loadLockOf(catalogue: string): string {
  return `${catalogue}.loading-lock`;
}
