import { type BigIntStats, lstatSync } from 'node:fs';
import { basename, sep } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { compareCodePoints, isInside, MAX_CONTENT_BYTES, MAX_CONTENT_FILES, MAX_FILE_BYTES } from '../../core/index.js';
import type { DraftContentFile, DraftContents, DraftFile, RawRow, UnreadableRow } from '../rows/row.js';
import { isTextual, MAX_FILES, MAX_LOCATION, overLimit, sha256Of } from '../rows/row-files.js';
import {
  isBlank,
  isSkillFile,
  joinPath,
  MAY_HOLD_SECRETS,
  partByName,
  partByPath,
  pathInside,
  systemReason,
  toOneLine,
} from '../rows/texts.js';
import { readSkillMarkdown } from './front-matter.js';
import type { GitOrigin } from './git-origin.js';
import {
  type Admit,
  type FileText,
  hasRest,
  isNeverEntered,
  isSame,
  listFolder,
  listOnce,
  readTextFile,
  readWholeFile,
  SETTLED_MS,
  textOfFile,
  type WholeFile,
} from './read-file.js';
import type { PublishedPlace } from './skill-folder.js';
import { skillMarkdownRow } from './skill-markdown-row.js';
import type { LinkRoots, WalkedSkill } from './walk-folder.js';

/** Skills that are read at the same time. */
export const SKILLS_AHEAD = 8;

/** Bytes of a skill that are read ahead. Of a larger one, which may take 16 MiB, the rest waits for its turn. */
export const AHEAD_BYTES: number = 2 * 1024 * 1024;

/** What is known of a skill before its files are read. */
export interface SkillSurroundings {
  readonly origin: RawRow['origin'];
  readonly publication: PublishedPlace;
  readonly git: GitOrigin | undefined;
  readonly roots: LinkRoots;
  readonly baseName: string;
  /** Whether the bytes of all files are read. */
  readonly contents: boolean;
  readonly signal: AbortSignal | undefined;
  /** Asked before anything of the skill is read. */
  readonly admit: Admit;
}

/** Reads a skill of a folder: its SKILL.md, its other texts, and the bytes of all files if these are wanted. */
export async function readSkill(
  skill: WalkedSkill,
  { origin, publication, git, roots, baseName, contents, signal, admit }: SkillSurroundings,
): Promise<RawRow | UnreadableRow> {
  const { location, author, codehostUrl, skillUrl } = publication;
  const folder = { path: skill.realPath, isOrigin: git?.remote === undefined };
  const unreadable = (reason: string): UnreadableRow => ({ kind: 'unreadable', origin, reason, location, folder });
  try {
    const list = listOnce();
    const collected = contents ? await collectContents(skill, roots, signal, admit, list) : NO_CONTENTS;
    const readText = collectedText(collected.read, admit);
    const file = await readText(skill.realSkillFile, true);
    if (file.kind !== 'text') return unreadable('not a regular file');
    if (isBlank(file.text)) return unreadable('empty: neither front matter nor text');
    const warnings: string[] = [];
    if (file.cut) warnings.push(`SKILL.md: cut at ${MAX_FILE_BYTES / 1024 / 1024} MiB`);
    if (file.repaired) warnings.push('SKILL.md: bytes that are not UTF-8 were replaced');

    const markdown = readSkillMarkdown(file.text);
    const others = await collectFiles(skill, roots, file.bytes, signal, readText, list);
    const value = {
      ...skillMarkdownRow(markdown, skill.path === '' ? baseName : basename(skill.path)),
      author,
      codehostUrl,
      skillUrl,
      stars: 0,
      updatedAt: lastChange([{ realPath: skill.realSkillFile, changedAt: file.changedAt }, ...others.files], git),
      files: [
        { filename: 'SKILL.md', text: markdown.body },
        ...others.files.map(({ filename, text }) => ({ filename, text })),
      ],
    };
    warnings.push(...markdown.warnings, ...others.warnings);
    // A file that cannot be read is told once.
    warnings.push(...collected.warnings.filter((warning) => !others.warnings.includes(warning)));
    return { kind: 'row', origin, value, warnings, location, folder, ...withContents(collected) };
  } catch (error) {
    signal?.throwIfAborted();
    return unreadable(`cannot be read: ${systemReason(error)}`);
  }
}

const NO_CONTENTS = { contents: undefined, read: new Map<string, ReadOutcome>(), warnings: [] };

function withContents({ contents }: { readonly contents: DraftContents | undefined }): Pick<RawRow, 'contents'> {
  return contents === undefined ? {} : { contents };
}

/** The latest change of some files, in Unix seconds: by their commits, or by the file system if git has none. */
function lastChange(
  files: readonly { readonly realPath: string; readonly changedAt: number }[],
  git: GitOrigin | undefined,
): number {
  const times = files.map(({ realPath, changedAt }) => {
    return git?.committedAt.get(pathInside(git.root, realPath)) ?? changedAt;
  });
  return Math.max(0, ...times);
}

/** What a folder of a skill has, as it is. */
export interface CollectedContents {
  readonly contents: DraftContents;
  /** What came of each file, by its real path: whoever reads their text must not open them again. */
  readonly read: ReadonlyMap<string, ReadOutcome>;
  readonly warnings: readonly string[];
}

/** A file, or why there is none: it is no regular one, too large, or was refused. */
export type ReadOutcome = WholeFile | 'special' | 'large' | Error;

interface Listed {
  readonly path: string;
  readonly realPath: string;
}

interface Folder extends Listed {
  /** Real paths of the folders on the way to it, and its own. */
  readonly chain: readonly string[];
}

/** What is left out of one skill that is told one by one. */
const MAX_TOLD = 20;

const NOT_REGULAR = 'not a regular file';

/**
 * Reads every file in the folder of a skill and below, hidden ones and those of skills inside it too. A link that stays
 * in the folder counts as a copy of what it leads to; others are not followed. Whatever is left out makes the contents
 * incomplete, and is told. Never throws for what it finds.
 *
 * @param admit asked before a file is read
 * @param list lists a folder
 * @throws the signal's reason when aborted
 */
export async function collectContents(
  skill: WalkedSkill,
  roots: LinkRoots,
  signal?: AbortSignal,
  admit?: Admit,
  list: typeof listFolder = listFolder,
): Promise<CollectedContents> {
  const left = new LeftOut();
  const states = new FolderStates();
  const listed = await listContents(skill, roots, left, states, list, signal);
  const files: DraftContentFile[] = [];
  const read = new Map<string, ReadOutcome>();
  let total = 0;
  for (const [index, { path, realPath }] of listed.entries()) {
    signal?.throwIfAborted();
    const isFull = files.length === MAX_CONTENT_FILES;
    const most = MAX_CONTENT_BYTES - total;
    const file = isFull ? 'large' : await readOnce(realPath, read, most, admit);
    if (file === 'large') {
      left.tell(overLimit(path, listed.length - index, isFull));
      break;
    }
    if (file === 'special') left.add(path, NOT_REGULAR);
    else if (file instanceof Error) left.tell(`${toOneLine(path)}: cannot be read: ${systemReason(file)}`);
    else {
      total += file.bytes.length;
      if (!file.isSteady) left.tell(`contents: ${toOneLine(path)}: changed while it was read; incomplete`);
      files.push(draftOf(path, file));
    }
  }
  for (const path of states.changed()) {
    left.tell(`contents: ${path === '' ? 'the folder' : toOneLine(path)}: changed while it was read; incomplete`);
  }
  const complete = left.isNothing && files.some(({ path }) => isSkillFile(path));
  const contents = { complete, files: files.sort((a, b) => compareCodePoints(a.path, b.path)) };
  return { contents, read, warnings: left.warnings() };
}

async function readOnce(
  realPath: string,
  read: Map<string, ReadOutcome>,
  most: number,
  admit?: Admit,
): Promise<ReadOutcome> {
  // Several links may lead to one file.
  const known = read.get(realPath);
  if (known !== undefined) return isWhole(known) && known.bytes.length > most ? 'large' : known;
  const file = await readWholeFile(realPath, most, admit).catch(asError);
  read.set(realPath, file);
  return file;
}

function isWhole(outcome: ReadOutcome): outcome is WholeFile {
  return typeof outcome !== 'string' && !(outcome instanceof Error);
}

function draftOf(path: string, { bytes, executable, isSteady }: WholeFile): DraftContentFile {
  const about = { path, size: bytes.length, sha256: sha256Of(bytes), executable, isText: isTextual(bytes) };
  // What may be half of one state and half of the next is searched, and given to nobody as the file.
  return { ...about, complete: isSteady, bytes: isSteady ? bytes : undefined };
}

/** What is left out of the contents of a skill. */
class LeftOut {
  readonly #warnings: string[] = [];
  /** Warnings that were too many to be told. */
  #untold = 0;
  isNothing = true;

  add(path: string, reason: string): void {
    this.tell(`contents: ${toOneLine(path)}: ${reason}; left out`);
  }

  tell(warning: string): void {
    this.isNothing = false;
    if (this.#warnings.length < MAX_TOLD) this.#warnings.push(warning);
    else this.#untold += 1;
  }

  /** Notes that something is left out that is reported elsewhere. */
  noteTold(): void {
    this.isNothing = false;
  }

  warnings(): readonly string[] {
    const more = `contents: ${this.#untold.toLocaleString('en')} more are left out`;
    return this.#untold === 0 ? this.#warnings : [...this.#warnings, more];
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** The files of a folder and all below, the SKILL.md first, then in code-point order. Opens nothing but folders. */
async function listContents(
  skill: WalkedSkill,
  roots: LinkRoots,
  left: LeftOut,
  states: FolderStates,
  list: typeof listFolder,
  signal: AbortSignal | undefined,
): Promise<Listed[]> {
  const files: Listed[] = [];
  let looked = 0;
  const waiting: Folder[] = [{ path: '', realPath: skill.realPath, chain: [skill.realPath] }];

  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    signal?.throwIfAborted();
    await states.note(folder.path, folder.realPath);
    const entries = await list(folder.realPath).catch(() => {
      // The walk has already reported it.
      left.noteTold();
      return [];
    });
    for (const entry of entries) {
      const part = partByName(entry.name);
      if (part === 'none') continue;
      const path = joinPath(folder.path, entry.name);
      if (looked === MAX_SKILL_ENTRIES) {
        left.tell(`contents: more than ${MAX_SKILL_ENTRIES} files and folders; the rest is not looked at`);
        return inOrder(files, skill);
      }
      looked += 1;
      if (part === 'secret') {
        left.add(path, MAY_HOLD_SECRETS);
        continue;
      }
      if (!isStorable(path)) {
        left.add(path, 'a name that cannot be kept');
        continue;
      }
      let realPath = folder.realPath + sep + entry.name;
      let kind: string = entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : 'other';
      if (entry.isSymbolicLink()) {
        const target = await roots.follow(realPath);
        // The walk has already reported a link that is refused.
        if (target.kind === 'refused') left.noteTold();
        else if (!isInside(target.realPath, skill.realPath)) left.add(path, 'a link that leads out of the skill');
        else if (leadsToLeftOut(skill.realPath, target.realPath)) left.add(path, 'a link to what is left out');
        else if (folder.chain.includes(target.realPath)) left.add(path, 'a link that leads in a circle');
        else {
          ({ kind, realPath } = target);
          if (kind === 'folder') waiting.push({ path, realPath, chain: [...folder.chain, realPath] });
        }
        if (target.kind === 'refused' || realPath !== target.realPath) continue;
      } else if (kind === 'folder') waiting.push({ path, realPath, chain: [...folder.chain, realPath] });
      if (kind === 'file') files.push({ path, realPath });
      else if (kind === 'other') left.add(path, NOT_REGULAR);
    }
  }
  return inOrder(files, skill);
}

/** With the SKILL.md first: the others may be too many. */
function inOrder(files: Listed[], skill: WalkedSkill): Listed[] {
  const rank = ({ path }: Listed): number => (path === skill.skillFile ? 0 : 1);
  return files.sort((a, b) => rank(a) - rank(b) || compareCodePoints(a.path, b.path));
}

/** A name that is not UTF-8 comes with U+FFFD, and could not be opened by it. */
function isStorable(path: string): boolean {
  return path.length <= MAX_LOCATION && path.isWellFormed() && !path.includes('\ufffd');
}

function leadsToLeftOut(from: string, target: string): boolean {
  return partByPath(pathInside(from, target)) !== 'file';
}

/** Largest sum of all file texts of one skill, in bytes. A skill is held in memory while it is loaded. */
const MAX_SKILL_BYTES: number = 16 * 1024 * 1024;

/** Files in the folder of a skill that are looked at, whatever they are: each is opened to see whether it is a text. */
export const MAX_SKILL_ENTRIES = 10_000;

/** A text file of a skill. */
interface CollectedFile extends DraftFile {
  readonly realPath: string;
  /** Last change according to the file system, in Unix seconds. */
  readonly changedAt: number;
}

/** The text files of a skill, without its SKILL.md. */
interface CollectedFiles {
  readonly files: readonly CollectedFile[];
  readonly warnings: readonly string[];
}

interface ListedText {
  readonly filename: string;
  readonly realPath: string;
}

/**
 * Reads the text files of a skill's folder and its subfolders. Leaves out skills inside it, dotfiles (they may hold
 * secrets), binary files, and files that a link leads to which may not be followed. Never throws for what it finds.
 *
 * @param used bytes of its SKILL.md
 * @param read reads the text of a file, by its real path
 * @param list lists a folder
 * @throws the signal's reason when aborted
 */
async function collectFiles(
  skill: WalkedSkill,
  roots: LinkRoots,
  used: number,
  signal?: AbortSignal,
  read: (realPath: string) => Promise<FileText> = readTextFile,
  list: typeof listFolder = listFolder,
): Promise<CollectedFiles> {
  const warnings: string[] = [];
  const listed = await listFiles(skill, roots, warnings, list, signal);
  const files: CollectedFile[] = [];
  let total = used;

  for (const { filename, realPath } of listed) {
    signal?.throwIfAborted();
    const file = await read(realPath).catch((error: unknown) => {
      warnings.push(`${toOneLine(filename)}: cannot be read: ${systemReason(error)}`);
      return undefined;
    });
    if (file?.kind !== 'text') continue;
    if (files.length + 1 === MAX_FILES) {
      warnings.push(`more than ${MAX_FILES} files; those from ${toOneLine(filename)} on are left out`);
      break;
    }
    if (total + file.bytes > MAX_SKILL_BYTES) {
      const limit = `${MAX_SKILL_BYTES / 1024 / 1024} MiB`;
      warnings.push(`the files are over ${limit}; those from ${toOneLine(filename)} on are left out`);
      break;
    }
    total += file.bytes;
    if (file.cut) warnings.push(`${toOneLine(filename)}: cut at ${MAX_FILE_BYTES / 1024 / 1024} MiB`);
    files.push({ filename, realPath, text: file.text, changedAt: file.changedAt });
  }
  return { files, warnings };
}

/** The files that may belong to a skill, in code-point order of their names. Opens nothing but folders. */
async function listFiles(
  skill: WalkedSkill,
  roots: LinkRoots,
  warnings: string[],
  list: typeof listFolder,
  signal: AbortSignal | undefined,
): Promise<ListedText[]> {
  const files: ListedText[] = [];
  const visited = new Set([skill.realPath]);
  const waiting: ListedText[] = [{ filename: '', realPath: skill.realPath }];

  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    signal?.throwIfAborted();
    // The walk has already reported an unreadable folder.
    const entries = await list(folder.realPath).catch(() => []);
    const isOwn = folder.filename === '';
    if (!isOwn && entries.some((entry) => isSkillFile(entry.name) && !entry.isDirectory())) continue;

    for (const entry of entries) {
      if (entry.name.startsWith('.') || isNeverEntered(entry.name)) continue;
      const filename = joinPath(folder.filename, entry.name);
      let realPath = folder.realPath + sep + entry.name;
      let kind: string = entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : 'other';
      if (entry.isSymbolicLink()) {
        // The walk has already reported a refused link.
        const target = await roots.follow(realPath);
        if (target.kind === 'refused' || leadsToHidden(skill.realPath, target.realPath)) continue;
        ({ kind, realPath } = target);
      }
      if (isOwn && isSkillFile(entry.name)) {
        const second = entry.name !== skill.skillFile && kind === 'file' && realPath !== skill.realSkillFile;
        if (second) warnings.push(`${entry.name}: left out, ${skill.skillFile} stands beside it`);
        continue;
      }
      if (kind === 'file' && realPath !== skill.realSkillFile) {
        if (files.length === MAX_SKILL_ENTRIES) {
          warnings.push(`more than ${MAX_SKILL_ENTRIES} files and pictures; the rest is not looked at`);
          return textsInOrder(files);
        }
        files.push({ filename, realPath });
      }
      // A link to a folder above the skill would bring in its neighbours.
      if (kind !== 'folder' || visited.has(realPath) || isInside(skill.realPath, realPath)) continue;
      visited.add(realPath);
      waiting.push({ filename, realPath });
    }
  }
  return textsInOrder(files);
}

function textsInOrder(files: ListedText[]): ListedText[] {
  return files.sort((a, b) => compareCodePoints(a.filename, b.filename));
}

/** Whether a link leads to something hidden, which would be left out without the link. */
function leadsToHidden(from: string, target: string): boolean {
  return pathInside(from, target)
    .split('/')
    .some((segment) => segment.startsWith('.') && segment !== '..' && segment !== '.');
}

/** Reads the text of a file by its real path; with `force` even if it looks binary. */
export type ReadText = (realPath: string, force?: boolean) => Promise<FileText>;

/**
 * Reads texts of files, without a second look at those that were read already.
 *
 * @param read what came of them
 * @param admit asked before a text takes memory
 */
export function collectedText(read: ReadonlyMap<string, ReadOutcome>, admit?: Admit): ReadText {
  return async (realPath, force = false) => {
    const outcome = read.get(realPath);
    // Of one that is too large to be kept, the beginning is searched.
    if (outcome === undefined || outcome === 'large') return readTextFile(realPath, { force, admit });
    if (outcome === 'special') return { kind: 'special' };
    // Refused once, it stays so: another look might find what somebody has put there meanwhile.
    if (outcome instanceof Error) throw outcome;
    await admit?.(Math.min(outcome.bytes.length, MAX_FILE_BYTES));
    return textOfFile(outcome, { force });
  };
}

interface Noted {
  readonly path: string;
  readonly realPath: string;
  readonly state: BigIntStats | undefined;
}

/** Tells which folders changed since they were listed: a file has come or gone, or another folder stood there. */
class FolderStates {
  readonly #noted: Noted[] = [];

  /** Call it before the folder is listed. It waits if the folder has just changed. */
  async note(path: string, realPath: string): Promise<void> {
    const state = stateOf(realPath);
    this.#noted.push({ path, realPath, state });
    if (state !== undefined && !hasRest(state)) await setTimeout(SETTLED_MS);
  }

  /** Paths of those folders, as they were noted. */
  changed(): string[] {
    return this.#noted.filter(isChanged).map(({ path }) => path);
  }
}

function isChanged({ realPath, state }: Noted): boolean {
  // One that cannot be looked at was reported when it was listed.
  const now = stateOf(realPath);
  return now === undefined ? state !== undefined : state === undefined || !isSame(state, now);
}

function stateOf(realPath: string): BigIntStats | undefined {
  try {
    return lstatSync(realPath, { bigint: true });
  } catch {
    return undefined;
  }
}
