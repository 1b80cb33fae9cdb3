import { relative, sep } from 'node:path';
import { isInside } from '../../core/index.js';

/** A path as people write it: `~` for the home folder, and `/`. */
export function shownPath(path: string, home: string): string {
  if (home === '' || !isInside(path, home)) return path;
  const inside = relative(home, path).split(sep).join('/');
  return inside === '' ? '~' : `~/${inside}`;
}
