/**
 * Version of the tokens, stems and name keys of a text: of `words.ts`, `characters.ts`, `unspaced-scripts.ts`,
 * `stem.ts`, `simplify.ts`, `name-key.ts` and `name-beginnings.ts`. Raise it with every change of what they return:
 * the next load then rebuilds keyword indexes that were made by other rules.
 */
export const WORD_RULES = 4;
