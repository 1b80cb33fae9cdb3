import { MAX_TOOL_TEXT } from '../../core/index.js';
import type { ContentFile } from '../../index.js';
import { type FilePart, partOf } from '../skills/file-part.js';
import type { ToolContext } from './tool.js';

/**
 * Reads a part of a file, for a model. What is stored of a file that is not complete is an excerpt.
 *
 * @param file of the skill, as `filesOf` lists it; undefined if it has no such file
 * @param offset in bytes of what is stored
 * @returns undefined if the skill has no such file, or nothing of it is stored
 */
export function readFileText(
  { search }: ToolContext,
  id: string,
  file: Pick<ContentFile, 'path' | 'complete'> | undefined,
  offset: number,
): FilePart | undefined {
  if (file === undefined) return undefined;
  const { path, complete } = file;
  const bytes = search.read(id, path);
  const part = bytes === undefined ? undefined : partOf(bytes, offset, MAX_TOOL_TEXT);
  if (part !== undefined && (part.isText || complete)) return part;
  const text = search.file(id, path)?.text;
  return text === undefined ? part : partOf(Buffer.from(text), offset, MAX_TOOL_TEXT);
}
