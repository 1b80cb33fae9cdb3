/** One bit a letter that a form has, of `a` to `z`; digits and all others share the six that are left. */
export function lettersOf(form: string): number {
  let letters = 0;
  for (let i = 0; i < form.length; i++) {
    const unit = form.charCodeAt(i);
    letters |= 1 << (unit >= 97 && unit <= 122 ? unit - 97 : 26 + (unit % 6));
  }
  return letters >>> 0;
}
