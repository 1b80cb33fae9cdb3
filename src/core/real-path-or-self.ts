import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';

/** The path without symbolic links, as the disk writes it; of what is not there the absolute path as it is given. */
export async function realPathOrSelf(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}
