/**
 * What two user names have in common that differ in case, or in how an accent is encoded. The way over capitals makes
 * letters equal that `toLowerCase` alone keeps apart (ß and SS, σ and ς).
 *
 * @example
 * authorKey('Anthropics') === authorKey('anthropics'); // true
 */
export function authorKey(author: string): string {
  return author.normalize('NFC').toUpperCase().toLowerCase();
}
