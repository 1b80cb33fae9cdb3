import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

/**
 * Version of the rules by which the bytes of a JSON row become columns: parsing, cleaning, limits, slugs, locations,
 * keys of copies, and the columns themselves. Raise it with every change by which some row comes out differently. Else
 * such rows keep their old form as long as their bytes stay the same.
 */
const READING_RULES = 6;

/** The rules depend on the version of Unicode of the runtime, too. */
const RULES = Buffer.from(`${READING_RULES} ${process.versions['unicode']}\n`);

/**
 * Hash of the bytes of a row and of the rules by which they are read: 16 characters of one byte each, half a SHA-256.
 * Rows with the same fingerprint become the same skill.
 */
export function fingerprintOf(row: Buffer): string {
  return createHash('sha256').update(RULES).update(row).digest().toString('latin1', 0, 16);
}
