/**
 * Scripts whose texts do not show, or do not always show, where words end. Hangul has spaces, but between groups of
 * words with their particles. The tokeniser reads pairs of characters of them, near copies compare single characters.
 * Burmese and other scripts that seldom show where words end are read by the spaces that there are.
 */
export const UNSPACED_SCRIPTS = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer'] as const;

/** The mark of a long vowel: part of Hiragana and Katakana words, but of no script according to Unicode. */
const LONG_VOWEL = '\u30fc';

/** Matches a character of {@link UNSPACED_SCRIPTS}, be it a letter, mark, digit or punctuation. */
export const UNSPACED_CHARACTER: RegExp = new RegExp(
  `[${UNSPACED_SCRIPTS.map((script) => `\\p{Script=${script}}`).join('')}${LONG_VOWEL}]`,
  'u',
);
