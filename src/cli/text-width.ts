import { createRequire } from 'node:module';
import type stringWidth from 'string-width';

/**
 * Characters that take one column, or two, whatever stands before and after them: no marks, nothing that joins or is
 * joined, and no characters that are pictures only with a selector. In the order of their code points.
 */
const SIMPLE: ReadonlyArray<readonly [first: number, last: number, columns: 1 | 2]> = [
  [0x20, 0x7e, 1],
  [0xa1, 0xac, 1],
  [0xae, 0x2ff, 1], // Latin with accents
  [0x386, 0x482, 1], // Greek, Cyrillic
  [0x48a, 0x52f, 1],
  [0x2010, 0x2027, 1], // dashes, quotation marks, bullets, …
  [0x2030, 0x205e, 1],
  [0x2190, 0x22ff, 1], // arrows, mathematics
  [0x2500, 0x25fc, 1], // frames, blocks
  [0x2605, 0x2606, 1], // stars
  [0x2705, 0x2705, 2],
  [0x2728, 0x2728, 2],
  [0x274c, 0x274c, 2],
  [0x3000, 0x3029, 2], // punctuation of Chinese and Japanese
  [0x3041, 0x3096, 2],
  [0x30a1, 0x30ff, 2],
  [0x4e00, 0x9fff, 2],
  [0xac00, 0xd7a3, 2], // Korean syllables
  [0xff01, 0xff60, 2],
  [0x1f600, 0x1f64f, 2], // faces
  [0x1f680, 0x1f6c5, 2], // vehicles
];

/** The columns that a text takes on a terminal; East Asian characters take two. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    const columns = columnsOfSimple(character.codePointAt(0) as number);
    if (columns === undefined) return exactWidth(text);
    width += columns;
  }
  return width;
}

/** @returns undefined for a character that is not {@link SIMPLE} */
function columnsOfSimple(code: number): 1 | 2 | undefined {
  if (code <= 0x7e) return code >= 0x20 ? 1 : undefined;
  for (const [first, last, columns] of SIMPLE) {
    if (code <= last) return code >= first ? columns : undefined;
  }
  return undefined;
}

let measure: typeof stringWidth | undefined;

/** Loading the package takes as long as a search, with all that leads to it, so it is loaded for texts that need it. */
function exactWidth(text: string): number {
  measure ??= (createRequire(import.meta.url)('string-width') as { readonly default: typeof stringWidth }).default;
  return measure(text);
}
