/**
 * A text without the white space around it, whatever kind that is. Without a pattern for trailing white space: that
 * takes quadratic time if there is much white space inside.
 */
export function trimWhiteSpace(text: string): string {
  const isSpace = (i: number): boolean => /\p{White_Space}/u.test(text[i]!);
  let start = 0;
  while (start < text.length && isSpace(start)) start++;
  let end = text.length;
  while (end > start && isSpace(end - 1)) end--;
  return text.slice(start, end);
}
