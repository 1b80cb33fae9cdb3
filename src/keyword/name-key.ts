import { foldCase, normaliseText } from './characters.js';

/** A name without case, white space and punctuation: what makes two names the same. */
export function nameKey(name: string): string {
  return foldCase(normaliseText(name)).replace(/[^\p{L}\p{N}+#]/gu, '');
}
