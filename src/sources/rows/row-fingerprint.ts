import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

/**
 * Version of the rules by which the bytes of a JSON row become what the store gets: parsing, cleaning, limits, slugs,
 * places, keys of copies, and the columns they are written to. Whoever changes any of them so that some row comes out
 * differently must raise it, else such rows keep their old form as long as their bytes stay the same.
 */
const READING_RULES = 1;

/** Rules lean on the tables of characters of the runtime, too. */
const RULES = Buffer.from(`${READING_RULES} ${process.versions['unicode']}\n`);

/**
 * Stands for the bytes of a row, and for the rules they are read by: 16 characters of one byte each, half a SHA-256.
 * Rows of one fingerprint become the same skill.
 */
export function fingerprintOf(row: Buffer): string {
  return createHash('sha256').update(RULES).update(row).digest().toString('latin1', 0, 16);
}
