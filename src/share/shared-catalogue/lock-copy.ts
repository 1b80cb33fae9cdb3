import { FileLock, filesBeside } from '../../store/index.js';

/**
 * Takes the lock of a copy, which is held by those who work on it. It is another one than that of a load, which they
 * take, too. Long work, such as indexing, is done without it.
 *
 * @param database the copy, in a folder that is there
 * @throws the signal's reason when aborted
 */
export async function lockCopy(database: string, signal: AbortSignal | undefined): Promise<FileLock> {
  return (await FileLock.takeInTurn(`${database}.shared-lock`, signal, () => true))!;
}

/**
 * Takes the lock of those who write the derived files of a copy, or put a file with other numbers in its place. Whoever
 * has it never waits for {@link lockCopy}.
 *
 * @param isNeeded asked again and again while somebody else has it
 * @returns undefined if it is not needed any more
 * @throws the signal's reason when aborted
 */
export function lockIndexing(
  database: string,
  signal: AbortSignal | undefined,
  isNeeded: () => boolean = () => true,
): Promise<FileLock | undefined> {
  return FileLock.takeInTurn(filesBeside(database).indexingLock, signal, isNeeded);
}
