import { sep } from 'node:path';

/** Whether a path is a folder or lies in it. Both must be absolute and without links. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
