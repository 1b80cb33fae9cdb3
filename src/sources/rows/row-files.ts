import { Buffer, isUtf8 } from 'node:buffer';
import { compareCodePoints, MAX_CONTENT_BYTES, MAX_CONTENT_FILES, MAX_FILE_BYTES, sha256Of } from '../../core/index.js';
import type { DraftContentFile, DraftContents } from '../../skill.js';
import type { SkillDraft } from './row.js';
import { cleanText, cutUtf8, isSkillFile, MAY_HOLD_SECRETS, partByPath, toOneLine, withoutControls } from './texts.js';

/** Largest number of files of one skill. Folders with more are archives. */
export const MAX_FILES = 1000;

/** Longest `place` of a row, in characters. A longer one is ignored. No file system has paths as long. */
export const MAX_LOCATION = 4096;

/** A file of a row, as the row has it. */
type GivenFile = Partial<Record<'filename' | 'text' | 'base64' | 'complete' | 'sha256' | 'executable', unknown>>;

interface RowFile {
  readonly facts: GivenFile;
  /** The text or the bytes, as the row has them. */
  readonly given: string | Uint8Array;
  /** What is searched of it; undefined for a binary file. */
  readonly text: string | undefined;
}

/** Characters of a text that are looked at. */
const LONGEST_READ = 2 * MAX_FILE_BYTES;

/** Characters of a path that a report quotes. */
const MAX_QUOTED = 200;

/**
 * The files of a row, each filename once: the later one counts. A row without text files gets a `SKILL.md` with its
 * description. A file is complete only if the row says so and gives a SHA-256 that the bytes have: most rows bring
 * excerpts.
 *
 * @param warnings gets a line for each file that is left out, cut, or not as the row says
 */
export function rowFiles(
  value: unknown,
  description: string,
  warnings: string[],
): Pick<SkillDraft, 'files' | 'contents'> {
  const files = new Map<string, RowFile>();
  /** What is reported of paths, if there are contents. */
  const notes: string[] = [];
  let isWhole = true;
  let textCount = 0;
  const leaveOut = (warning: string): void => {
    warnings.push(`files${warning}; left out`);
    isWhole = false;
  };
  const listed: readonly unknown[] = Array.isArray(value) ? value : [];
  if (value !== undefined && value !== null && !Array.isArray(value)) warnings.push('files: expected a list; left out');

  for (const [index, entry] of listed.entries()) {
    const facts = (entry ?? {}) as GivenFile;
    const { filename, text, base64 } = facts;
    if (typeof filename !== 'string' || (typeof text !== 'string' && typeof base64 !== 'string')) {
      leaveOut(`[${index}]: expected filename and text`);
      continue;
    }
    const path = normalisePath(filename);
    const shown = toOneLine(path);
    if (path === '' || path.length > MAX_LOCATION) {
      leaveOut(`[${index}]: a ${path === '' ? 'blank' : 'too long'} filename`);
      continue;
    }
    const given = typeof text === 'string' ? text : fromBase64(String(base64));
    if (given === undefined) {
      leaveOut(`: ${shown} is not base64`);
      continue;
    }
    const former = files.get(path);
    if (former !== undefined) warnings.push(`files: ${shown} occurs twice; the later one is kept`);
    const readable = typeof given === 'string' ? given : isTextual(given) ? Buffer.from(given).toString() : undefined;
    textCount += Number(readable !== undefined) - Number(former?.text !== undefined);
    if (textCount > MAX_FILES) {
      warnings.push(`files: more than ${MAX_FILES}; the rest is left out`);
      isWhole = false;
      break;
    }
    if (path !== filename) {
      const quoted = toOneLine(JSON.stringify(filename.slice(0, MAX_QUOTED)));
      notes.push(`contents: the path ${quoted} is kept as ${shown}; incomplete`);
    }
    isWhole &&= former === undefined;
    // More than this cannot remain, and looking through many megabytes takes time.
    const clean = readable === undefined ? undefined : cleanText(readable.slice(0, LONGEST_READ));
    const cut = clean === undefined ? undefined : cutUtf8(clean, MAX_FILE_BYTES);
    if (cut !== clean) warnings.push(`files: ${shown} is cut at ${MAX_FILE_BYTES / 1024 / 1024} MiB`);
    files.set(path, { facts, given: readable ?? given, text: cut });
  }
  const texts = [...files].flatMap(([filename, { text }]) => (text === undefined ? [] : { filename, text }));
  return {
    files: texts.length === 0 ? [{ filename: 'SKILL.md', text: description }] : texts,
    contents: rowContents(files, notes, isWhole, warnings),
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

/** @param isWhole whether all files of the row are among these */
function rowContents(
  all: ReadonlyMap<string, RowFile>,
  notes: string[],
  isWhole: boolean,
  warnings: string[],
): DraftContents | undefined {
  const isContent = ({ facts, given }: RowFile): boolean => facts.complete === true || typeof given !== 'string';
  if (![...all.values()].some(isContent)) return undefined;
  const wanted = [...all].filter(([path]) => {
    const part = partByPath(path);
    if (part === 'secret') notes.push(`contents: ${toOneLine(path)}: ${MAY_HOLD_SECRETS}; left out`);
    return part === 'file';
  });
  // With the SKILL.md first: the others may be too many.
  wanted.sort(([a], [b]) => Number(isSkillFile(b)) - Number(isSkillFile(a)));
  const files: DraftContentFile[] = [];
  let left = MAX_CONTENT_BYTES;
  for (const [path, file] of wanted) {
    const draft = draftOf(path, file, warnings);
    left -= draft.size;
    const isFull = files.length === MAX_CONTENT_FILES;
    if (isFull || left < 0) {
      warnings.push(overLimit(path, wanted.length - files.length, isFull));
      break;
    }
    files.push(draft);
  }
  // Paths of files that are folders of others as well: no disk can hold both. What begins with a path follows it at once.
  const folders = files.map(({ path }) => `${path}/`).sort();
  for (const [i, folder] of folders.entries()) {
    if (folders[i + 1]?.startsWith(folder) !== true) continue;
    notes.push(`contents: ${toOneLine(folder.slice(0, -1))} is a file, and a folder of others; incomplete`);
  }
  warnings.push(...notes);
  const hasAll = isWhole && notes.length === 0 && files.length === wanted.length;
  const complete = hasAll && files.every((file) => file.complete) && files.some(({ path }) => isSkillFile(path));
  return { complete, files: files.sort((a, b) => compareCodePoints(a.path, b.path)) };
}

function draftOf(path: string, { facts, given, text }: RowFile, warnings: string[]): DraftContentFile {
  const isText = typeof given === 'string' || isTextual(given);
  const about = { path, executable: facts.executable === true, isText };
  if (facts.complete === true) {
    const sha256 = sha256Of(given);
    const expected = typeof facts.sha256 === 'string' ? facts.sha256.toLowerCase().replace(/^sha256:/, '') : undefined;
    if (sha256 === expected) {
      const bytes = given === text ? 'text' : typeof given === 'string' ? Buffer.from(given) : given;
      return { ...about, size: Buffer.byteLength(given), sha256, complete: true, bytes };
    }
    const fault =
      expected === undefined
        ? ' is complete, but has no sha256'
        : `: expected the SHA-256 ${toOneLine(expected, 65)}, found ${sha256}`;
    warnings.push(`files: ${toOneLine(path)}${fault}; taken as an excerpt`);
  }
  const kept = text ?? given;
  const bytes = text === undefined ? undefined : 'text';
  return { ...about, size: Buffer.byteLength(kept), sha256: sha256Of(kept), complete: false, bytes };
}

/**
 * What a report says of a skill that has more than is kept.
 *
 * @param path of the first file that is left out
 * @param count of files that are left out
 * @param isCount whether there are too many files, not bytes
 */
export function overLimit(path: string, count: number, isCount: boolean): string {
  const limit = isCount ? `more than ${MAX_CONTENT_FILES} files` : `over ${MAX_CONTENT_BYTES / 1024 / 1024} MiB`;
  const files = count === 1 ? '1 file is' : `${count.toLocaleString('en')} files are`;
  return `contents: ${limit}; ${files} left out, from ${toOneLine(path)} on`;
}

/** The bytes of base64, with or without line breaks; undefined if it is none. */
function fromBase64(text: string): Uint8Array | undefined {
  const clean = /\s/.test(text) ? text.replace(/\s+/g, '') : text;
  const bytes = Buffer.from(clean, 'base64');
  // Node skips what is no base64. Then the bytes make another text.
  const unpadded = clean.replace(/={1,2}$/, '');
  const isWhole = clean.length % 4 === 0 && bytes.length === Math.floor((unpadded.length * 3) / 4);
  return isWhole && /^[A-Za-z0-9+/]*$/.test(unpadded) ? bytes : undefined;
}

/** Whether bytes are text: UTF-8 without NUL. */
export function isTextual(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}

/** Leaves out the bytes that a searched file of the same name has anyway. */
export function withoutSharedBytes(contents: DraftContents, texts: SkillDraft['files']): DraftContents {
  const byName = new Map(texts.map(({ filename, text }) => [filename, text]));
  const files = contents.files.map((file) => {
    const text = byName.get(file.path);
    const isShared = text !== undefined && file.bytes instanceof Uint8Array && isTextOf(text, file.bytes);
    return isShared ? { ...file, bytes: 'text' as const } : file;
  });
  return { ...contents, files };
}

function isTextOf(text: string, bytes: Uint8Array): boolean {
  return Buffer.byteLength(text) === bytes.length && Buffer.from(text).equals(bytes);
}
