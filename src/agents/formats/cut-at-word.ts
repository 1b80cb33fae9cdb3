let segmenter: Intl.Segmenter | undefined;

/** Longer words are cut like scripts without blanks: addresses, or encoded data. In characters. */
const LONGEST_WORD = 40;

/** Longer characters are cut between code points: no writing has them, only marks heaped on a letter. In code units. */
const LONGEST_CHARACTER = 32;

/** Code units that are looked at first. */
const FIRST_LOOK = 64;

/** A blank, or a character of a script that writes words without blanks between them. */
const BREAK =
  /^[\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/**
 * The longest beginning of a text that fits and ends with a word, or with a character where there is no end of a word
 * nearby; empty if no character fits. Never the whole text, never half a character. Characters are looked for where the
 * text may be cut only: splitting all of a long one takes some milliseconds.
 *
 * @param fits asked for some 20 beginnings, without blanks at their end; says yes to what is shorter than what fits
 */
export function cutAtWord(text: string, longest: number, fits: (beginning: string) => boolean): string {
  segmenter ??= new Intl.Segmenter();
  const looked = text.slice(0, longest);
  const characters = segmenter.segment(looked);
  const startOf = (at: number): number => {
    const { index, segment } = characters.containing(at)!;
    if (segment.length <= LONGEST_CHARACTER) return index;
    return at > 0 && looked.codePointAt(at - 1)! > 0xffff ? at - 1 : at;
  };
  const beginning = (end: number): string => looked.slice(0, end).trimEnd();
  // The last character may have been cut by slice().
  let [low, high] = [0, looked.length];
  while (low + 1 < high) {
    // Most of a long text may be far from fitting: looking begins with a short beginning.
    const middle = Math.min((low + high) >> 1, 2 * low + FIRST_LOOK);
    if (fits(beginning(startOf(middle)))) low = middle;
    else high = middle;
  }
  const end = low === 0 ? 0 : startOf(low);
  // The size of half a word may be larger than that of the word.
  const shorter = beginning(endOfWord(looked, end, startOf));
  return shorter !== '' && fits(shorter) ? shorter : beginning(end);
}

/** The last place up to `end` where a word ends; `end` itself if there is none nearby. */
function endOfWord(text: string, end: number, startOf: (at: number) => number): number {
  const isBreak = (at: number): boolean => BREAK.test(text.slice(at, at + 2));
  for (let at = end, seen = 0; at > 0 && seen < LONGEST_WORD; seen++) {
    const before = startOf(at - 1);
    if (isBreak(before) || isBreak(at)) return at;
    at = before;
  }
  return end;
}
