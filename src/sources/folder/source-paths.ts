import { relative, sep } from 'node:path';

/** Joins a path inside the source, with `/`. */
export function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** The path from a folder to something inside it, with `/`; empty for the folder itself. */
export function pathInside(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/');
}
