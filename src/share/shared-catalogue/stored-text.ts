/** Stands before what must not be taken as it is. No text that people write has it. */
const ESCAPE = '\u0010';

/**
 * A text as PostgreSQL stores it, which cannot store U+0000. Rows have none, but a program may give a source any name.
 * (Half of a surrogate pair becomes U+FFFD, as in SQLite.)
 */
export function toStoredText(text: string): string {
  if (!text.includes('\0') && !text.includes(ESCAPE)) return text;
  return text.replaceAll(ESCAPE, `${ESCAPE}${ESCAPE}`).replaceAll('\0', `${ESCAPE}0`);
}

/** What {@link toStoredText} was given. */
export function fromStoredText(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored;
  return stored.replace(STORED, (_, character: string) => (character === '0' ? '\0' : character));
}

const STORED = new RegExp(`${ESCAPE}(.)`, 'gu');
