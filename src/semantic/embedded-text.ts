import { createHash } from 'node:crypto';

/**
 * What is embedded of a skill: its name and its description. File text counts by words only.
 *
 * Stored vectors belong to what this gives: whoever changes it must raise the format of the catalogue.
 */
export function embeddedText(name: string, description: string): string {
  return `${name}. ${description}`;
}

/** 16 bytes of SHA-256: what the vector of a text is stored under. */
export function hashText(text: string): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, 16);
}
