import { Buffer } from 'node:buffer';
import { MAX_FILE_BYTES } from '../../core/index.js';
import { cleanText, cutUtf8, toOneLine, withoutControls } from './clean-text.js';
import { type DraftContents, isTextual } from './draft-contents.js';
import type { DraftFile } from './row.js';
import { fromBase64, RowContents, type RowFileFacts } from './row-contents.js';

/** Largest number of files of one skill. Folders with more are archives. */
export const MAX_FILES = 1000;

/** Longest `place` of a row, in characters. A longer one is ignored. No file system has paths as long. */
export const MAX_LOCATION = 4096;

/** A file of a row, as the row has it. */
interface RowFile extends RowFileFacts {
  readonly filename?: unknown;
  readonly text?: unknown;
  readonly base64?: unknown;
}

/** Characters of a text that are looked at. */
const LONGEST_READ = 2 * MAX_FILE_BYTES;

/** The files of a row. */
export interface RowFiles {
  /** Their texts, for searching; at least one. */
  readonly files: readonly DraftFile[];
  /** Undefined if there is nothing but excerpts of texts. */
  readonly contents: DraftContents | undefined;
}

/**
 * The files of a row, each filename once. A row without text files gets a `SKILL.md` with its description.
 *
 * @param warnings gets a line for each file that is left out or cut
 */
export function rowFiles(value: unknown, description: string, warnings: string[]): RowFiles {
  const files = new Map<string, string>();
  const contents = new RowContents();
  const listed = Array.isArray(value) ? value : [];
  if (value !== undefined && value !== null && !Array.isArray(value)) warnings.push('files: expected a list; left out');

  for (const [index, entry] of listed.entries()) {
    const { filename, text, base64, ...facts } = (entry ?? {}) as RowFile;
    const isNamed = typeof filename === 'string';
    if (!isNamed || (typeof text !== 'string' && typeof base64 !== 'string')) {
      warnings.push(`files[${index}]: expected filename and text; left out`);
      contents.leaveOut();
      continue;
    }
    const path = normalisePath(filename);
    if (path === '' || path.length > MAX_LOCATION) {
      warnings.push(`files[${index}]: a ${path === '' ? 'blank' : 'too long'} filename; left out`);
      contents.leaveOut();
      continue;
    }
    const given = typeof text === 'string' ? text : fromBase64(String(base64));
    if (given === undefined) {
      warnings.push(`files: ${toOneLine(path)} is not base64; left out`);
      contents.leaveOut();
      continue;
    }
    if (contents.has(path)) warnings.push(`files: ${toOneLine(path)} occurs twice; the later one is kept`);
    if (typeof given !== 'string' && !isTextual(given)) {
      files.delete(path);
      contents.add(path, filename, { facts, given, text: undefined });
      continue;
    }
    const readable =
      typeof given === 'string' ? given : Buffer.from(given.buffer, given.byteOffset, given.length).toString();
    if (files.size === MAX_FILES && !files.has(path)) {
      warnings.push(`files: more than ${MAX_FILES}; the rest is left out`);
      contents.leaveOut();
      break;
    }
    // More than this cannot remain, and looking through many megabytes takes time.
    const clean = cleanText(readable.length > LONGEST_READ ? readable.slice(0, LONGEST_READ) : readable);
    const cut = cutUtf8(clean, MAX_FILE_BYTES);
    if (cut.length < clean.length)
      warnings.push(`files: ${toOneLine(path)} is cut at ${MAX_FILE_BYTES / 1024 / 1024} MiB`);
    files.set(path, cut);
    contents.add(path, filename, { facts, given: readable, text: cut });
  }
  const texts = Array.from(files, ([filename, text]) => ({ filename, text }));
  return {
    files: texts.length === 0 ? [{ filename: 'SKILL.md', text: description }] : texts,
    contents: contents.finish(warnings),
  };
}

/** A path inside the skill's folder, with `/`, that cannot lead out of it. Empty if nothing is left. */
function normalisePath(filename: string): string {
  if (/^[\w-]+(?:\.\w+)?$/.test(filename)) return filename;
  return withoutControls(filename)
    .split(/[/\\]/)
    .filter((segment) => !/^(?:\s*|\.|\.\.)$/.test(segment))
    .join('/');
}
