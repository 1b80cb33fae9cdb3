import { Buffer, isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { compareCodePoints, MAX_CONTENT_BYTES, MAX_CONTENT_FILES, MAX_FILE_BYTES } from '../../core/index.js';
import type { DraftContentFile, DraftContents, DraftFile } from './row.js';
import { cleanText, cutUtf8, isSkillFile, MAY_HOLD_SECRETS, partByPath, toOneLine, withoutControls } from './texts.js';

/** Largest number of files of one skill. Folders with more are archives. */
export const MAX_FILES = 1000;

/** Longest `place` of a row, in characters. A longer one is ignored. No file system has paths as long. */
export const MAX_LOCATION = 4096;

/** A file of a row, as the row has it. */
interface GivenFile extends RowFileFacts {
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
    const { filename, text, base64, ...facts } = (entry ?? {}) as GivenFile;
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

/** What a row says of a file, beside its name and its bytes. */
interface RowFileFacts {
  readonly complete?: unknown;
  readonly sha256?: unknown;
  readonly executable?: unknown;
}

/** Characters of a path that a report quotes. */
const MAX_QUOTED = 200;

interface RowFile {
  readonly facts: RowFileFacts;
  /** The text or the bytes, as the row has them. */
  readonly given: string | Uint8Array;
  /** What is searched of it; undefined for a binary file. */
  readonly text: string | undefined;
}

/**
 * The contents of a skill from the files of its row. A file is complete only if the row says so and gives a SHA-256
 * that the bytes have: most rows bring excerpts.
 */
class RowContents {
  readonly #files = new Map<string, RowFile>();
  /** What is told of paths, if there are contents. */
  readonly #notes: string[] = [];
  #isWhole = true;

  /**
   * @param path inside the skill's folder. A later file of the same path replaces an earlier one
   * @param givenPath as the row has it. A file that is kept under another path is not the one that was meant
   */
  add(path: string, givenPath: string, file: RowFile): void {
    if (path !== givenPath) {
      const quoted = toOneLine(JSON.stringify(givenPath.slice(0, MAX_QUOTED)));
      this.#notes.push(`contents: the path ${quoted} is kept as ${toOneLine(path)}; incomplete`);
    }
    if (this.#files.has(path)) this.leaveOut();
    this.#files.set(path, file);
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  /** Notes that something of the row is not among the contents. */
  leaveOut(): void {
    this.#isWhole = false;
  }

  /**
   * @param warnings gets a line for each file that is not as the row says, and for what is over the limits
   * @returns undefined if there is nothing but excerpts of texts, which are stored to be searched anyway
   */
  finish(warnings: string[]): DraftContents | undefined {
    const all = [...this.#files];
    if (!all.some(([, { facts, given }]) => facts.complete === true || typeof given !== 'string')) return undefined;
    const notes = [...this.#notes];
    const wanted = skillFirst(all).filter(([path]) => {
      const part = partByPath(path);
      if (part === 'secret') notes.push(`contents: ${toOneLine(path)}: ${MAY_HOLD_SECRETS}; left out`);
      return part === 'file';
    });
    const files: DraftContentFile[] = [];
    let left = MAX_CONTENT_BYTES;
    for (const [index, [path, file]] of wanted.entries()) {
      const draft = draftOf(path, file, warnings);
      left -= draft.size;
      if (files.length === MAX_CONTENT_FILES || left < 0) {
        warnings.push(overLimit(path, wanted.length - index, files.length === MAX_CONTENT_FILES));
        this.leaveOut();
        break;
      }
      files.push(draft);
    }
    for (const path of filesWithin(files)) {
      notes.push(`contents: ${toOneLine(path)} is a file, and a folder of others; incomplete`);
    }
    warnings.push(...notes);
    const complete =
      this.#isWhole &&
      notes.length === 0 &&
      files.every((file) => file.complete) &&
      files.some(({ path }) => isSkillFile(path));
    return { complete, files: files.sort((a, b) => compareCodePoints(a.path, b.path)) };
  }
}

/** With the SKILL.md first: the others may be too many. */
function skillFirst(files: readonly [string, RowFile][]): [string, RowFile][] {
  return [...files.filter(([path]) => isSkillFile(path)), ...files.filter(([path]) => !isSkillFile(path))];
}

/** Paths of files that are folders of other files as well: no disk can hold both. */
function filesWithin(files: readonly DraftContentFile[]): string[] {
  // What begins with a path follows it at once.
  const folders = files.map(({ path }) => `${path}/`).sort();
  return folders.filter((folder, i) => folders[i + 1]?.startsWith(folder)).map((folder) => folder.slice(0, -1));
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
    const name = `files: ${toOneLine(path)}`;
    if (expected === undefined) warnings.push(`${name} is complete, but has no sha256; taken as an excerpt`);
    else
      warnings.push(`${name}: expected the SHA-256 ${toOneLine(expected, 65)}, found ${sha256}; taken as an excerpt`);
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

/** SHA-256 of bytes, or of a text in UTF-8: 64 hexadecimal digits. */
export function sha256Of(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Whether bytes are text: UTF-8 without NUL. */
export function isTextual(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}

/** Leaves out the bytes that a searched file of the same name has anyway. */
export function withoutSharedBytes(
  contents: DraftContents,
  files: readonly { readonly filename: string; readonly text: string }[],
): DraftContents {
  const texts = new Map(files.map(({ filename, text }) => [filename, text]));
  return {
    ...contents,
    files: contents.files.map((file) => {
      const text = texts.get(file.path);
      const isShared = text !== undefined && file.bytes instanceof Uint8Array && isTextOf(text, file.bytes);
      return isShared ? { ...file, bytes: 'text' as const } : file;
    }),
  };
}

function isTextOf(text: string, bytes: Uint8Array): boolean {
  return Buffer.byteLength(text) === bytes.length && Buffer.from(text).equals(bytes);
}
