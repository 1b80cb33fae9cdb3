/**
 * Version of which tokens a text has: of `words.ts`, `characters.ts`, `stem.ts` and `simplify.ts`. Whoever changes what
 * they return must raise it. An index of words that was made by other rules is rebuilt by the next load.
 */
export const WORD_RULES = 1;
