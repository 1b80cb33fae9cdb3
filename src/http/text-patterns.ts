/*
 * Regular expressions for the description of the API. Programs in many languages read them, so they hold only what all
 * of these understand in the same way: no `\p{L}` (Python), no look-around (Rust, Go), no repetition above 1,000 (Go),
 * no `\s`, `\w`, `\d` (of different characters in each). Characters beyond ASCII stand for themselves.
 */

/** The inside of a class of all white space of Unicode. */
const SPACE = '\\t-\\r \\x85\\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000';
/** The most that a repetition may count to. */
const MOST_REPEATED = 1000;

/** A text that is neither blank nor has the character NUL. */
export const NOT_BLANK: string = `^[^\\x00]*[^\\x00${SPACE}][^\\x00]*$`;
/** A text without the character NUL. */
export const WITHOUT_NUL = '^[^\\x00]*$';
export const SLUG = '^[a-z0-9-]+$';

/**
 * What no question may match: NUL, or more than so many code points between the first and the last that is no blank.
 */
export function unreadable(longest: number): string {
  return `\\x00|[^${SPACE}]${anything(longest - 1)}[^${SPACE}]`;
}

/** At least so many characters of any kind. */
function anything(least: number): string {
  let pattern = '';
  let left = least;
  for (; left > MOST_REPEATED; left -= MOST_REPEATED - 1) pattern += `[\\s\\S]{${MOST_REPEATED - 1}}`;
  return `${pattern}[\\s\\S]{${left},}`;
}

const ANY_DAY =
  '[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))';
const LEAP_YEAR = '(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)';
const HOUR_MINUTE = '(?:[01][0-9]|2[0-3]):[0-5][0-9]';
const TIME = `${HOUR_MINUTE}(?::[0-5][0-9](?:\\.[0-9]{1,9})?)?`;

/** Unix seconds, or a date or a time that there is, as `readTime` of the library reads it. */
export const TIME_OR_SECONDS: string = `^(?:[0-9]{1,11}|(?:${ANY_DAY}|${LEAP_YEAR}-02-29)(?:[Tt ]${TIME}(?:[Zz]|[+-]${HOUR_MINUTE})?)?)$`;

/** Letters and digits are in the planes of Unicode below this code point; those above have other things, or nothing. */
const PLANES_WITH_LETTERS = 0x40000;

let letters: string | undefined;

/**
 * A text with a letter or a digit of any script in it: `[\p{L}\p{N}]` with all ranges of characters written out, of the
 * Unicode version that questions are checked with. Made when it is first asked for, which takes some milliseconds.
 */
export function letterOrDigit(): string {
  letters ??= `[${rangesOf(/[\p{L}\p{N}]/u)}]`;
  return letters;
}

function rangesOf(character: RegExp): string {
  let ranges = '';
  let first = -1;
  for (let codePoint = 0; codePoint <= PLANES_WITH_LETTERS; codePoint++) {
    // Halves of surrogate pairs are no characters.
    const is = codePoint < PLANES_WITH_LETTERS && character.test(String.fromCodePoint(codePoint));
    if (is && first === -1) first = codePoint;
    if (is || first === -1) continue;
    ranges += String.fromCodePoint(first);
    const last = codePoint - 1;
    if (last > first + 1) ranges += '-';
    if (last > first) ranges += String.fromCodePoint(last);
    first = -1;
  }
  return ranges;
}
