/** What stands between the values of JSON: white space and comments. */

/** Where the white space and comments end that begin at an offset. An open comment ends with the text. */
export function afterTrivia(text: string, offset: number): number {
  let at = offset;
  for (;;) {
    const next = afterComment(text, afterBlanks(text, at, /\s/));
    if (next === at) return at;
    at = next;
  }
}

/** Where the comments end that follow an offset in its line: the offset itself if none does. */
export function afterTriviaOfLine(text: string, offset: number): number {
  let at = offset;
  for (;;) {
    const start = afterBlanks(text, at, /[^\S\r\n]/);
    const next = afterComment(text, start);
    if (next === start || /[\r\n]/.test(text.slice(start, next))) return at;
    at = next;
  }
}

/** Whether there is a comment between two offsets that have only white space and comments between them. */
export function hasComment(text: string, from: number, to: number): boolean {
  return text.slice(from, to).trim() !== '';
}

/** Where the line begins in which an offset is. */
export function lineStart(text: string, offset: number): number {
  return Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;
}

function afterBlanks(text: string, offset: number, blank: RegExp): number {
  let at = offset;
  while (at < text.length && blank.test(text[at]!)) at++;
  return at;
}

function afterComment(text: string, offset: number): number {
  if (text.startsWith('//', offset)) {
    const end = text.slice(offset).search(/[\r\n]/);
    return end === -1 ? text.length : offset + end;
  }
  if (!text.startsWith('/*', offset)) return offset;
  const end = text.indexOf('*/', offset + 2);
  return end === -1 ? text.length : end + 2;
}
