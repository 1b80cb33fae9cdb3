import { readFileSync } from 'node:fs';

const TABLE = new URL('../../../data/traditional-characters.txt', import.meta.url);

/**
 * Reads the table of traditional Chinese characters.
 *
 * @returns each traditional character followed by its simplified form, all from U+4E00 to U+9FFF
 */
export function readTraditionalCharacters(): string {
  return readFileSync(TABLE, 'utf8').replace(/^#.*$/gm, '').replace(/\s/g, '');
}
