import { MAX_FILE_BYTES, MAX_FILES, MAX_LOCATION } from '../../limits.js';
import { cleanText, cutUtf8, toOneLine, withoutControls } from './clean-text.js';
import type { DraftFile } from './row.js';

/** Characters of a text that are looked at. */
const LONGEST_READ = 2 * MAX_FILE_BYTES;

/**
 * The files of a row, each filename once. A row without files gets a `SKILL.md` with its description.
 *
 * @param warnings gets a line for each file that is left out or cut
 */
export function rowFiles(value: unknown, description: string, warnings: string[]): DraftFile[] {
  const files = new Map<string, string>();
  const listed = Array.isArray(value) ? value : [];
  if (value !== undefined && value !== null && !Array.isArray(value)) warnings.push('files: expected a list; left out');

  for (const [index, entry] of listed.entries()) {
    const { filename, text } = (entry ?? {}) as { readonly filename?: unknown; readonly text?: unknown };
    if (typeof filename !== 'string' || typeof text !== 'string') {
      warnings.push(`files[${index}]: expected filename and text; left out`);
      continue;
    }
    const path = normalisePath(filename);
    if (path === '' || path.length > MAX_LOCATION) {
      warnings.push(`files[${index}]: a ${path === '' ? 'blank' : 'too long'} filename; left out`);
      continue;
    }
    if (files.has(path)) warnings.push(`files: ${toOneLine(path)} occurs twice; the later one is kept`);
    else if (files.size === MAX_FILES) {
      warnings.push(`files: more than ${MAX_FILES}; the rest is left out`);
      break;
    }
    // More than this cannot remain, and looking through many megabytes takes time.
    const clean = cleanText(text.length > LONGEST_READ ? text.slice(0, LONGEST_READ) : text);
    const cut = cutUtf8(clean, MAX_FILE_BYTES);
    if (cut.length < clean.length)
      warnings.push(`files: ${toOneLine(path)} is cut at ${MAX_FILE_BYTES / 1024 / 1024} MiB`);
    files.set(path, cut);
  }
  if (files.size === 0) return [{ filename: 'SKILL.md', text: description }];
  return Array.from(files, ([filename, text]) => ({ filename, text }));
}

/** A path inside the skill's folder, with `/`, that cannot lead out of it. Empty if nothing is left. */
function normalisePath(filename: string): string {
  if (/^[\w-]+(?:\.\w+)?$/.test(filename)) return filename;
  return withoutControls(filename)
    .split(/[/\\]/)
    .filter((segment) => !/^(?:\s*|\.|\.\.)$/.test(segment))
    .join('/');
}
