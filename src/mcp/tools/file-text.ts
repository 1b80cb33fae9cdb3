import type { ContentFile } from '../../index.js';
import { MAX_TOOL_TEXT } from '../../limits.js';
import { textOf } from '../skills/front-matter.js';
import type { ToolContext } from './tool.js';

/** A part of a file, for a model to read. */
export type FileText =
  | {
      readonly kind: 'text';
      readonly text: string;
      /** Whether this is less than the file: an excerpt is all that is stored. */
      readonly excerpt: boolean;
      /** Characters of what is stored. */
      readonly length: number;
      /** Where the next part begins; undefined if this is the last one. */
      readonly next: number | undefined;
    }
  | { readonly kind: 'binary' };

/**
 * Reads a part of a file, from a character on.
 *
 * @param file of the skill, as `filesOf` lists it; undefined if it has no such file
 * @param offset in UTF-16 units, as {@link FileText} counts them
 * @returns undefined if the skill has no such file, or nothing of it is stored
 */
export function readFileText(
  { search }: ToolContext,
  id: string,
  file: Pick<ContentFile, 'path' | 'complete'> | undefined,
  offset: number,
): FileText | undefined {
  if (file === undefined) return undefined;
  const { path, complete: isComplete } = file;
  const bytes = search.read(id, path);
  const whole = bytes === undefined ? undefined : textOf(bytes);
  if (bytes !== undefined && whole === undefined && isComplete) return { kind: 'binary' };
  const text = whole ?? search.file(id, path)?.text;
  if (text === undefined) return bytes === undefined ? undefined : { kind: 'binary' };
  const end = endOfPart(text, offset);
  return {
    kind: 'text',
    text: text.slice(offset, end),
    excerpt: !isComplete,
    length: text.length,
    next: end < text.length ? end : undefined,
  };
}

/** Never between the two halves of a character. */
function endOfPart(text: string, offset: number): number {
  const end = Math.min(text.length, offset + MAX_TOOL_TEXT);
  return end < text.length && /[\ud800-\udbff]/.test(text[end - 1]!) ? end - 1 : end;
}
