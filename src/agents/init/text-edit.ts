/** One place of a text: what goes there, and what comes in its place. */
export interface TextEdit {
  /** Where it is in the text before all edits, in UTF-16 units. */
  readonly offset: number;
  readonly removed: string;
  readonly inserted: string;
}

/**
 * The text after some edits.
 *
 * @param edits in the order of their offsets; none overlaps another
 * @throws {Error} if what an edit removes is not there
 */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let edited = '';
  let read = 0;
  for (const { offset, removed, inserted } of edits) {
    if (offset < read || !text.startsWith(removed, offset)) throw new Error(`an edit does not fit at ${offset}`);
    edited += text.slice(read, offset) + inserted;
    read = offset + removed.length;
  }
  return edited + text.slice(read);
}

/** The edits that lead back. */
export function invertEdits(edits: readonly TextEdit[]): readonly TextEdit[] {
  let shift = 0;
  return edits.map(({ offset, removed, inserted }) => {
    const inverted = { offset: offset + shift, removed: inserted, inserted: removed };
    shift += inserted.length - removed.length;
    return inverted;
  });
}
