let segmenter: Intl.Segmenter | undefined;

/** Longer words are cut like scripts without blanks: addresses, or encoded data. In characters. */
const LONGEST_WORD = 40;

/** Longer characters are cut between code points: no writing has them, only marks heaped on a letter. In code units. */
const LONGEST_CHARACTER = 32;

/** A blank, or a character of a script that writes words without blanks between them. */
const BREAK =
  /^[\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/**
 * The longest beginning of a text that fits and ends with a word, or with a character where there is no end of a word
 * nearby; empty if no character fits. Never the whole text, never half a character.
 *
 * @param fits asked for some 20 beginnings, without blanks at their end; says yes to what is shorter than what fits
 */
export function cutAtWord(text: string, longest: number, fits: (beginning: string) => boolean): string {
  const characters = charactersIn(text.slice(0, longest));
  // The last one may have been cut by slice().
  let count = 0;
  let tooMany = characters.length;
  const beginning = (length: number): string => characters.slice(0, length).join('').trimEnd();
  while (count + 1 < tooMany) {
    const middle = (count + tooMany) >> 1;
    if (fits(beginning(middle))) count = middle;
    else tooMany = middle;
  }
  const atWord = endOfWord(characters, count);
  // The size of half a word may be larger than that of the word.
  const shorter = beginning(atWord);
  return atWord > 0 && fits(shorter) ? shorter : beginning(count);
}

function charactersIn(text: string): string[] {
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment).flatMap((character) =>
    character.length > LONGEST_CHARACTER ? [...character] : [character],
  );
}

/** The last place up to `count` where a word ends; `count` itself if there is none nearby. */
function endOfWord(characters: readonly string[], count: number): number {
  for (let at = count; at > 0 && at > count - LONGEST_WORD; at--) {
    if (BREAK.test(characters[at - 1]!) || BREAK.test(characters[at]!)) return at;
  }
  return count;
}
