import { randomBytes } from 'node:crypto';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Bytes from here on are dropped. Their remainder would make some letters more likely than others. */
const FIRST_DROPPED = 256 - (256 % LETTERS.length);

/**
 * Letters A to Z, a to z and digits, each as likely as any other and chosen by the system's source of random bytes:
 * 5.954 bits a character.
 */
export function randomLetters(length: number): string {
  let letters = '';
  while (letters.length < length) {
    for (const byte of randomBytes(length - letters.length)) {
      if (byte < FIRST_DROPPED) letters += LETTERS[byte % LETTERS.length]!;
    }
  }
  return letters;
}
