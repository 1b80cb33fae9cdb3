/**
 * Bytes of a page of a catalogue. In pages of 4,096, an eighth of a file's texts would be left free, because few rows
 * fit one; in larger pages a record that is shown costs more to read.
 */
export const PAGE_BYTES = 8192;

/** Bytes of a page of a small catalogue: most of its pages are those of tables and indexes with a row or none. */
export const SMALL_PAGE_BYTES = 4096;

/** A catalogue of at most so many bytes gets small pages. */
const SMALL: number = 2 ** 20;

/** One that has small pages keeps them up to so many bytes, or each load about the bound would write it twice. */
const GROWN: number = 4 * SMALL;

/**
 * The size of page that a catalogue should have.
 *
 * @param bytes of the catalogue
 * @param now the size of its pages
 */
export function pageBytesFor(bytes: number, now: number): number {
  return bytes <= (now < PAGE_BYTES ? GROWN : SMALL) ? SMALL_PAGE_BYTES : PAGE_BYTES;
}
