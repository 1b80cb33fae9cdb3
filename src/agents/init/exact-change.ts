import { createHash } from 'node:crypto';
import type { EditedConfig } from './edit-config.js';
import { applyEdits, invertEdits, type TextEdit } from './text-edit.js';

/** A change between two texts, which are named by their digests. */
export interface ExactChange {
  readonly edits: readonly TextEdit[];
  /** Null if there was no file. */
  readonly before: string | null;
  readonly after: string;
}

/** @param before undefined if there was no file */
export function exactChange(before: string | undefined, { text, steps }: EditedConfig): ExactChange {
  return { edits: steps[0]!, before: before === undefined ? null : digestOf(before), after: digestOf(text) };
}

/** A text before a change, and the edits that led back; undefined if something else was written since. */
export function undoExactly(
  change: ExactChange | undefined,
  text: string | undefined,
): { readonly text: string | undefined; readonly edits: readonly TextEdit[] } | undefined {
  if (change === undefined || text === undefined || digestOf(text) !== change.after) return undefined;
  const edits = invertEdits(change.edits);
  const former = applyEdits(text, edits);
  if (change.before === null) return former === '' ? { text: undefined, edits } : undefined;
  return digestOf(former) === change.before ? { text: former, edits } : undefined;
}

/** Names the contents of a file. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
