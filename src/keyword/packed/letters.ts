/** The letters of a form as a set of 32 bits: one bit for each of `a` to `z`; all other characters share the last six. */
export function lettersOf(form: string): number {
  let letters = 0;
  for (let i = 0; i < form.length; i++) letters |= bitOf(form.charCodeAt(i));
  return letters >>> 0;
}

/** {@link lettersOf} for a form of ASCII characters, given as bytes. */
export function lettersOfBytes(bytes: Uint8Array, start: number, end: number): number {
  let letters = 0;
  for (let i = start; i < end; i++) letters |= bitOf(bytes[i]!);
  return letters >>> 0;
}

function bitOf(unit: number): number {
  return 1 << (unit >= 97 && unit <= 122 ? unit - 97 : 26 + (unit % 6));
}

/** The letters that decide which of the 256 letter groups a form belongs to: bit `i` of the group stands for letter `i`. */
const GROUPING = 'etaoinsr';

/** Number of letter groups. */
export const LETTER_GROUP_COUNT: number = 2 ** GROUPING.length;

/** For each letter group, the grouping letters that its forms have, as a set like that of {@link lettersOf}. */
export const LETTERS_OF_GROUP: Uint32Array = Uint32Array.from({ length: LETTER_GROUP_COUNT }, (_, group) =>
  lettersOf([...GROUPING].filter((__, i) => ((group >> i) & 1) === 1).join('')),
);

/** All grouping letters, as a set like that of {@link lettersOf}. */
export const GROUPING_LETTERS: number = lettersOf(GROUPING);

/** The letter group of a form with these letters. */
export function letterGroupOf(letters: number): number {
  let group = 0;
  for (let i = 0; i < GROUPING.length; i++) if ((letters & LETTERS_OF_GROUP[1 << i]!) !== 0) group |= 1 << i;
  return group;
}
