import { createHash } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { orUndefined } from './errors.js';
import { resolveDatabase, unfinishedFor } from './files.js';
import { isObject } from './texts.js';

/** A line of the log of use: of a question or of a skill, without any text. */
export interface UsageEntry {
  /** Unix time in seconds. */
  readonly time: number;
  /** `claude-code`, `codex`, `gemini-cli`, `mcp`, `library`, … */
  readonly host: string;
  /** As {@link usageSession} makes it. One process without sessions is one session. */
  readonly session: string;
  /** `shown`: put beside a prompt (none: silence). `used`: loaded by an agent, or called by a user. */
  readonly kind: 'shown' | 'used';
  /** Ids. */
  readonly skills: readonly string[];
  /** Of the question, as {@link packVector} makes it; only with the model's name. */
  readonly vector?: string;
  readonly model?: string;
  /** What was put beside the prompt, in tokens. */
  readonly tokens?: number;
}

/** Lines that a log keeps. */
export const MOST_USAGE_LINES = 10_000;

/** A log of more lines is cut down to so many, the newest. */
const TOO_MANY_LINES = 9500;
const LEFT_LINES = 9000;

/** How much may be written before lines are counted again, in bytes: some 370 lines, the shortest there are. */
const COUNTED_EACH = 32 * 1024;

/** Longest line, in bytes: a vector of 4,096 numbers, and ids. */
const LONGEST_LINE = 16 * 1024;

const NEWLINE = 0x0a;

/** What a killed process locked is locked no more after so many milliseconds. */
const LOCKED_FOR = 10_000;

/** Path of the log of use of a catalogue. */
export function usageFile(database: string): string {
  return `${resolveDatabase(database)}.usage`;
}

/** Whether the user wants no log, and none used. */
export function isUsageOff(): boolean {
  const { SKILL_DISCOVERY_NO_USAGE: off = '' } = process.env;
  return off !== '' && off !== '0';
}

/** Stands for a session in the log, so that nobody can look up a conversation by it. */
export function usageSession(id: string): string {
  return createHash('sha256').update(`skill-discovery ${id}`).digest('hex').slice(0, 16);
}

/** A vector in signed bytes, as base64. Its length is lost, its direction is kept. */
export function packVector(vector: Float32Array): string {
  const highest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  return Buffer.from(Int8Array.from(vector, (value) => Math.round((127 * value) / highest)).buffer).toString('base64');
}

/**
 * Appends a line, in one write, to the log of a catalogue. Never fails: where nothing can be written, nothing is
 * learnt.
 */
export function appendUsage(database: string, entry: UsageEntry): void {
  const line = `${JSON.stringify(entry)}\n`;
  if (isUsageOff() || line.length > LONGEST_LINE) return;
  try {
    const path = usageFile(database);
    for (let tries = 0; tries < 3; tries++) {
      const sizes = appendTo(path, line);
      if (sizes === undefined) continue;
      if (Math.floor(sizes.after / COUNTED_EACH) > Math.floor(sizes.before / COUNTED_EACH)) shorten(path);
      return;
    }
  } catch {
    // A folder or a disk that takes nothing, or another process shortens the log.
  }
}

/**
 * @returns sizes of the log, with what other processes append meanwhile; undefined if one of them has put a shortened
 *   log in the file's place
 */
function appendTo(path: string, line: string): { readonly before: number; readonly after: number } | undefined {
  const file = openSync(path, 'a+', 0o600);
  try {
    const { size, ino } = fstatSync(file);
    const last = Buffer.from('\n');
    if (size > 0) readSync(file, last, 0, 1, size - 1);
    // What a killed process has begun ends here.
    writeSync(file, last[0] === NEWLINE ? line : `\n${line}`);
    const now = statSync(path, { throwIfNoEntry: false });
    return now?.ino === ino ? { before: size, after: now.size } : undefined;
  } finally {
    closeSync(file);
  }
}

/**
 * Leaves the newest lines of a log that has become too long.
 *
 * @throws {Error} if another process does so
 */
function shorten(path: string): void {
  if (linesOf(readFileSync(path, 'utf8')).length <= TOO_MANY_LINES) return;
  const lock = `${path}-lock`;
  const lockedAt = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  if (lockedAt !== undefined && Math.abs(Date.now() - lockedAt) > LOCKED_FOR) rmSync(lock, { force: true });
  closeSync(openSync(lock, 'wx', 0o600));
  const unfinished = unfinishedFor(path);
  const former = openSync(path, 'r');
  try {
    const text = readFileSync(path);
    const lines = linesOf(text.toString());
    if (lines.length <= TOO_MANY_LINES) return;
    writeFileSync(unfinished, `${lines.slice(-LEFT_LINES).join('\n')}\n`, { mode: 0o600 });
    renameSync(unfinished, path);
    // What others have appended meanwhile.
    const late = readFileSync(former).subarray(text.length);
    if (late.length > 0) appendFileSync(path, late);
  } finally {
    closeSync(former);
    for (const made of [unfinished, lock]) rmSync(made, { force: true });
  }
}

/** How far a log was read. */
export interface UsageMark {
  /** Which file it was: another one may get its number, once it is erased. */
  readonly file: string;
  readonly end: number;
}

/** What was read of a log. */
export interface ReadUsage {
  /** The oldest first. */
  readonly entries: UsageEntry[];
  readonly mark: UsageMark;
  /** Whether this is all, and not only what was appended behind the mark: the log was shortened, or is another one. */
  readonly isAll: boolean;
}

/**
 * Reads a log, or what was appended to it. A line that is broken, as a killed process leaves it, is left out, and one
 * without an end is left for the next time.
 *
 * @param file as {@link usageFile} names it
 * @param from where the reading before ended, or how many bytes at the end are read
 * @param kind only entries of this kind
 * @throws {Error} of the file system
 */
export function readUsageFile(file: string, from?: UsageMark | number, kind?: UsageEntry['kind']): ReadUsage {
  const descriptor = openSync(file, 'r');
  try {
    const { ino, birthtimeMs, size } = fstatSync(descriptor);
    const of = `${ino} ${birthtimeMs}`;
    const mark = typeof from === 'number' ? { file: of, end: Math.max(0, size - from) } : from;
    const isAll = mark?.file !== of || mark.end > size;
    const begin = isAll ? 0 : mark.end;
    const bytes = Buffer.alloc(size - begin);
    const read = bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, begin));
    const whole = read.subarray(0, read.lastIndexOf(NEWLINE) + 1);
    const lines = kind === undefined ? linesOf(whole.toString()) : linesWith(whole, `"kind":"${kind}"`);
    return { entries: [...lines].flatMap(entriesIn), mark: { file: of, end: begin + whole.length }, isAll };
  } finally {
    closeSync(descriptor);
  }
}

/** The newest lines of the log of a catalogue, as many as one keeps, the oldest of them first. Never fails. */
export function readUsage(database: string): UsageEntry[] {
  return orUndefined(() => readUsageFile(usageFile(database)).entries.slice(-MOST_USAGE_LINES)) ?? [];
}

/** The lines that have a text. Most have not, and a hook has no time to look at each. */
function* linesWith(bytes: Buffer, text: string): Generator<string> {
  for (let at = bytes.indexOf(text), end = 0; at >= 0; at = bytes.indexOf(text, end)) {
    end = bytes.indexOf(NEWLINE, at);
    yield bytes.toString('utf8', bytes.lastIndexOf(NEWLINE, at) + 1, end);
  }
}

function entriesIn(line: string): UsageEntry[] {
  const entry: unknown = line.length > LONGEST_LINE ? undefined : orUndefined(() => JSON.parse(line));
  return isUsageEntry(entry) ? [entry] : [];
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

function isUsageEntry(value: unknown): value is UsageEntry {
  if (!isObject(value)) return false;
  const { time, host, session, kind, skills, vector, model, tokens } = value;
  const isText = (one: unknown): boolean => typeof one === 'string';
  return (
    typeof time === 'number' &&
    time >= 0 &&
    isText(host) &&
    isText(session) &&
    (kind === 'shown' || kind === 'used') &&
    Array.isArray(skills) &&
    skills.every(isText) &&
    (vector === undefined || (isText(vector) && isText(model))) &&
    (tokens === undefined || Number.isFinite(tokens))
  );
}
