/** One bit a letter that a form has, of `a` to `z`; digits and all others share the six that are left. */
export function lettersOf(form: string): number {
  let letters = 0;
  for (let i = 0; i < form.length; i++) letters |= bitOf(form.charCodeAt(i));
  return letters >>> 0;
}

/** {@link lettersOf} for a form of ASCII characters, as bytes. */
export function lettersOfBytes(bytes: Uint8Array, start: number, end: number): number {
  let letters = 0;
  for (let i = start; i < end; i++) letters |= bitOf(bytes[i] as number);
  return letters >>> 0;
}

function bitOf(unit: number): number {
  return 1 << (unit >= 97 && unit <= 122 ? unit - 97 : 26 + (unit % 6));
}
