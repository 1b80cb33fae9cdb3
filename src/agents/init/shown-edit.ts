import { applyEdits, type TextEdit } from './text-edit.js';

/** An edit as a user is shown it: whole lines that have something in them, without the comma before. */
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
      const [empty = ''] = EMPTY_LINES.exec(inserted || removed) ?? [];
      const line = before + empty.split('\n').length - 1;
      return { line, removed: linesOf(removed), inserted: linesOf(inserted) };
    })
    .filter((edit) => edit.removed.length > 0 || edit.inserted.length > 0);
}

/** {@link showEdits}, of edits that are made one step after the other. */
export function showSteps(text: string, steps: readonly (readonly TextEdit[])[]): readonly ShownEdit[] {
  let before = text;
  return steps.flatMap((edits) => {
    const shown = showEdits(before, edits);
    before = applyEdits(before, edits);
    return shown;
  });
}

const EMPTY_LINES = /^(?:,?[ \t]*\r?\n)+/;

function linesOf(text: string): readonly string[] {
  return text
    .trimEnd()
    .split(/\r?\n/)
    .filter((line) => !/^,?\s*$/.test(line));
}
