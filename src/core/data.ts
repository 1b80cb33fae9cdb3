/**
 * A file or folder of `data/`, which lies two folders above the code: that of this file, or of a bundle with it. So all
 * modules ask here, however deep they lie.
 *
 * @param path relative to `data/`
 */
export function dataFile(path: string): URL {
  return new URL(`../../data/${path}`, import.meta.url);
}
