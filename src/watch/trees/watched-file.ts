import { stat } from 'node:fs/promises';
import { stateText } from '../../sources/index.js';
import type { TreeListener, TreeWatch } from './tree-watch.js';

/**
 * Looks at one file again and again: it may be replaced by renaming, or lie behind a link, and one look costs nothing.
 * It is told of when two looks find the same, so nobody reads half of a file that is being written.
 *
 * @param interval milliseconds between two looks
 */
export async function watchFile(path: string, interval: number, listener: TreeListener): Promise<TreeWatch> {
  let told = await stateOf(path);
  let last = told;
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    const now = await stateOf(path);
    isLooking = false;
    if (now !== told && now === last && now !== GONE) {
      told = now;
      listener.onPath(path);
    }
    last = now;
  };
  const timer = setInterval(look, interval);
  return { close: () => clearInterval(timer) };
}

const GONE = '';

async function stateOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return found === undefined ? GONE : stateText(found);
}
