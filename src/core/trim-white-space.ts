/**
 * The characters of the Unicode property White_Space. Written out, because Node takes milliseconds to find out which
 * they are, and it does that when it reads a file that names the property.
 */
const WHITE_SPACE = /[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/**
 * A text without the white space around it, whatever kind that is. Without a pattern for trailing white space: that
 * takes quadratic time if there is much white space inside.
 */
export function trimWhiteSpace(text: string): string {
  const isSpace = (i: number): boolean => WHITE_SPACE.test(text[i]!);
  let start = 0;
  while (start < text.length && isSpace(start)) start++;
  let end = text.length;
  while (end > start && isSpace(end - 1)) end--;
  return text.slice(start, end);
}
