import { createHash } from 'node:crypto';

/**
 * The text of a skill that is embedded: its name and description. File text is searched by words only.
 *
 * Stored vectors were made of this text, so a change here needs a new format of the catalogue. The full stop is worth
 * one to three points of nDCG@10 by vector against a space (bench/README.md).
 */
export function embeddedText(name: string, description: string): string {
  return `${name}. ${description}`;
}

/** The key that the vector of a text is stored under: the first 16 bytes of its SHA-256. */
export function hashText(text: string): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, 16);
}
