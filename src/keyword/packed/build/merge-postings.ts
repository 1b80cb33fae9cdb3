import type { DocumentNumber } from '../../../core/index.js';
import type { PackedPostings } from '../packed-postings.js';
import { NONE, PostingsCursor, type PostingsPart } from './postings-cursor.js';
import { PostingsWriter } from './postings-writer.js';

/**
 * Merges postings. Reads each part once, from its beginning to its end.
 *
 * @param termCount number of terms of the result
 */
export function mergePostings(parts: readonly PostingsPart[], termCount: number): PackedPostings {
  const cursors = parts.map((part) => new PostingsCursor(part));
  const writer = new PostingsWriter(parts.map(({ postings }) => postings));
  const having: PostingsCursor[] = [];
  for (let term = 0; term < termCount; term++) {
    having.length = 0;
    for (const cursor of cursors) if (cursor.goTo(term)) having.push(cursor);
    writer.beginTerm();
    const [only] = having;
    if (having.length === 1 && only !== undefined) copyLists(only, writer);
    else mergeLists(having, writer);
  }
  return writer.end();
}

/** Copies the lists of a term that only one part has. */
function copyLists(cursor: PostingsCursor, writer: PostingsWriter): void {
  for (; cursor.field !== NONE; cursor.nextList()) {
    writer.beginList(cursor.field);
    cursor.copyBelow(NONE, writer);
  }
}

/** Merges the lists of a term that several parts have. */
function mergeLists(cursors: readonly PostingsCursor[], writer: PostingsWriter): void {
  for (;;) {
    const field = cursors.reduce((lowest, cursor) => Math.min(lowest, cursor.field), NONE);
    if (field === NONE) return;
    const having = cursors.filter((cursor) => cursor.field === field);
    writer.beginList(field);
    mergeList(having, writer);
    for (const cursor of having) cursor.nextList();
  }
}

/** Merges the lists of one term and field in the order of their documents. */
function mergeList(cursors: readonly PostingsCursor[], writer: PostingsWriter): void {
  for (;;) {
    let lowest: PostingsCursor | undefined;
    /** The lowest document of the other parts. */
    let below: DocumentNumber = NONE;
    for (const cursor of cursors) {
      if (cursor.next === NONE) continue;
      if (lowest === undefined || cursor.next < lowest.next) {
        below = lowest?.next ?? NONE;
        lowest = cursor;
      } else {
        below = Math.min(below, cursor.next);
      }
    }
    if (lowest === undefined) return;
    lowest.copyBelow(below, writer);
  }
}
