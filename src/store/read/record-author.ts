/**
 * Stands in a record before the author. Quotation marks inside a text have a backslash, so this stands nowhere else.
 */
const BEFORE = '"author":"';

/**
 * The author in a record, read without the rest of it: parsing the records of a large catalogue takes half a second.
 *
 * @param record JSON of a skill, as `toColumns` writes it
 */
export function recordAuthor(record: string): string {
  const start = record.indexOf(BEFORE) + BEFORE.length;
  const author = start < BEFORE.length ? '\\' : record.slice(start, record.indexOf('"', start));
  return author.includes('\\') ? (JSON.parse(record) as { readonly author: string }).author : author;
}
