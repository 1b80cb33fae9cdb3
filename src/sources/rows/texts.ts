import { Buffer } from 'node:buffer';
import { relative, sep } from 'node:path';

/** Control characters, and marks that reorder or break a line in a terminal or a log. */
const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

/** NUL, and lone surrogates: SQLite and UTF-8 cannot carry them. */
const UNSTORABLE = /[\0\p{Surrogate}]/gu;

/** White space and invisible characters only. */
const INVISIBLE = /^[\s\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]*$/u;

/** The text without NUL and lone surrogates. */
export function cleanText(text: string): string {
  return text.isWellFormed() && !text.includes('\0') ? text : text.replace(UNSTORABLE, '');
}

/** The text without control characters, trimmed: for ids and addresses. */
export function withoutControls(text: string): string {
  return cleanText(text).replace(CONTROL, '').trim();
}

/** Makes foreign text fit for a message: one line without control characters, at most `max` code points. */
export function toOneLine(text: string, max = 200): string {
  const line = cleanText(text.slice(0, max * 8))
    .replace(CONTROL, ' ')
    .trim();
  const cut = cutCodePoints(line, max - 1);
  return cut.length < line.length ? `${cut}…` : line;
}

/** Whether a text shows nothing. */
export function isBlank(text: string): boolean {
  return INVISIBLE.test(text);
}

/** The first `max` code points of the text. */
export function cutCodePoints(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = 0;
  for (let count = 0; count < max && end < text.length; count++) {
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

/** The longest beginning of the text of at most `max` bytes in UTF-8, cut between characters. */
export function cutUtf8(text: string, max: number): string {
  // A code unit takes at most three bytes, so most texts need no counting.
  if (text.length * 3 <= max || Buffer.byteLength(text) <= max) return text;
  const bytes = Buffer.from(text.slice(0, max));
  return bytes.toString('utf8', 0, utf8Boundary(bytes, max));
}

/** The largest offset, at most `end`, that does not cut a UTF-8 character in two. */
export function utf8Boundary(bytes: Uint8Array, end: number): number {
  if (end >= bytes.length) return bytes.length;
  let at = end;
  // A character has at most three bytes after its first. With more this is not UTF-8, and any offset will do.
  while (at > end - 4 && at > 0 && (bytes[at]! & 0xc0) === 0x80) at--;
  return at > end - 4 ? at : end;
}

/** What an error of the file system says, without the path, which may be private. */
export function systemReason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? toOneLine(String(message));
}

/** What systems, interpreters and package managers put beside a skill. It is no part of it. */
const LEFT_BEHIND = new Set(['.DS_Store', 'Thumbs.db', '__pycache__', 'node_modules']);

/** Names under which programs keep keys and passwords. Nobody means to give these out with a skill. */
const SECRET =
  /^(?:\.env(?:\.(?!(?:example|sample|template|dist|defaults)$).*)?|\.envrc|\.netrc|\.npmrc|\.pypirc|\.git-credentials|\.htpasswd|\.aws|\.ssh|\.gnupg|id_(?:rsa|dsa|ecdsa|ed25519))$/i;

/** What some file systems skip in a name: `.GIT` and `.git.` may be the same folder as `.git`. */
const SKIPPED = /\p{Default_Ignorable_Code_Point}+|[. ]+$/gu;

/** Why a file of such a name is left out. */
export const MAY_HOLD_SECRETS = 'may hold secrets';

/** Whether a file name is that of a SKILL.md, in capitals or not; of a path, whether it is the skill's own. */
export function isSkillFile(name: string): boolean {
  return name.length === 8 && name.toLowerCase() === 'skill.md';
}

/** What the name of a file or folder says of its part in a skill. `none`: it is no part of one. */
export function partByName(name: string): 'file' | 'none' | 'secret' {
  if (LEFT_BEHIND.has(name)) return 'none';
  // Whoever wrote into such a folder could name programs for git to run.
  if (name === '.git' || name.replace(SKIPPED, '').toLowerCase() === '.git') return 'none';
  return SECRET.test(name) ? 'secret' : 'file';
}

/** The same of a path, where the first name that is no file counts. */
export function partByPath(path: string): 'file' | 'none' | 'secret' {
  for (const name of path.split('/')) {
    const part = partByName(name);
    if (part !== 'file') return part;
  }
  return 'file';
}

/** Joins a path inside the source, with `/`. */
export function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** The path from a folder to something inside it, with `/`; empty for the folder itself. */
export function pathInside(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/');
}
