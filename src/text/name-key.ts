import { foldCase, normaliseText } from './characters.js';

/** A name without case, white space and punctuation: what makes two names the same. */
export function nameKey(name: string): string {
  return keyOfNormalised(normaliseText(name));
}

/** {@link nameKey} of a text that went through `normaliseText` already, or of a part of one. */
export function keyOfNormalised(text: string): string {
  return foldCase(text).replace(/[^\p{L}\p{N}+#]/gu, '');
}
