import type { TextEdit } from './text-edit.js';

/** An edit as a user is shown it: whole lines, without the comma before them. */
export interface ShownEdit {
  /** The line of the file where it is, from 1. */
  readonly line: number;
  readonly removed: readonly string[];
  readonly inserted: readonly string[];
}

/** What edits do to a text. Nothing of the rest of the text is shown: configurations have secrets in them. */
export function showEdits(text: string, edits: readonly TextEdit[]): readonly ShownEdit[] {
  return edits
    .map(({ offset, removed, inserted }) => {
      const before = text.slice(0, offset).split('\n').length;
      const lead = /^,?[ \t]*\r?\n/.exec(inserted || removed);
      return { line: before + (lead === null ? 0 : 1), removed: linesOf(removed), inserted: linesOf(inserted) };
    })
    .filter((edit) => [...edit.removed, ...edit.inserted].some((line) => line !== ',' && line.trim() !== ''));
}

function linesOf(text: string): readonly string[] {
  const lines = text.replace(/^,?\s*?\r?\n/, '').trimEnd();
  return lines === '' ? [] : lines.split(/\r?\n/);
}
