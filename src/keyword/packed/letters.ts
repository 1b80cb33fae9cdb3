/** One bit a letter that a form has, of `a` to `z`; digits and all others share the six that are left. */
export function lettersOf(form: string): number {
  let letters = 0;
  for (let i = 0; i < form.length; i++) letters |= bitOf(form.charCodeAt(i));
  return letters >>> 0;
}

/** {@link lettersOf} for a form of ASCII characters, as bytes. */
export function lettersOfBytes(bytes: Uint8Array, start: number, end: number): number {
  let letters = 0;
  for (let i = start; i < end; i++) letters |= bitOf(bytes[i]!);
  return letters >>> 0;
}

function bitOf(unit: number): number {
  return 1 << (unit >= 97 && unit <= 122 ? unit - 97 : 26 + (unit % 6));
}

/** Of each of the groups that words are put in which of the letters e, t, a, o, i, n, s and r their words have. */
export const GROUPS: Uint32Array = Uint32Array.from({ length: 256 }, (_, group) =>
  lettersOf([...'etaoinsr'].filter((__, i) => ((group >> i) & 1) === 1).join('')),
);

/** The letters that tell groups apart. */
export const GROUP_LETTERS: number = GROUPS[255]!;

/** The group of a word of these letters: its place in {@link GROUPS}. */
export function groupOf(letters: number): number {
  let group = 0;
  for (let i = 0; i < 8; i++) if ((letters & GROUPS[1 << i]!) !== 0) group |= 1 << i;
  return group;
}
