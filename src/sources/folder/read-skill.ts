import { type BigIntStats, lstatSync } from 'node:fs';
import { basename, sep } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import {
  compareCodePoints,
  isInside,
  MAX_CONTENT_BYTES,
  MAX_CONTENT_FILES,
  MAX_FILE_BYTES,
  orUndefined,
  sha256Of,
} from '../../core/index.js';
import type { DraftContentFile } from '../../skill.js';
import type { RawRow, UnreadableRow } from '../rows/row.js';
import { isTextual, MAX_FILES, MAX_LOCATION, overLimit } from '../rows/row-files.js';
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
  isSame,
  kindOf,
  listFolder,
  type ReadFile,
  readFile,
  readTextFile,
  SETTLED_MS,
  textOf,
} from './read-file.js';
import type { PublishedPlace } from './skill-folder.js';
import { skillMarkdownRow } from './skill-markdown-row.js';
import type { LinkRoots, WalkedSkill } from './walk-folder.js';

/** Skills that are read at the same time. */
export const SKILLS_AHEAD = 8;

/** Bytes of a skill that are read before its turn. Of a larger one, which may take 16 MiB, the rest waits. */
const AHEAD_BYTES: number = 2 * 1024 * 1024;

/** Largest sum of all file texts of one skill, in bytes. A skill is held in memory while it is loaded. */
const MAX_SKILL_BYTES: number = 16 * 1024 * 1024;

/** Files and folders of a skill that are looked at, whatever they are. */
const MAX_SKILL_ENTRIES = 10_000;

/** What is left out of the contents of one skill that is reported one by one. */
const MAX_REPORTED = 20;

const NOT_REGULAR = 'not a regular file';

/** What is known of a skill before its files are read. */
export interface SkillSurroundings {
  readonly origin: RawRow['origin'];
  readonly publication: PublishedPlace;
  readonly git: GitOrigin | undefined;
  readonly roots: LinkRoots;
  /** The name of a skill that lies in the source's own folder. */
  readonly baseName: string;
  /** Whether the bytes of all files are read. */
  readonly contents: boolean;
  readonly signal: AbortSignal | undefined;
  /** Kept when the skill is the next one that is wanted; see `readAhead`. */
  readonly turn: Promise<void>;
}

/**
 * Reads a skill of a folder: its SKILL.md, its other texts, and the bytes of all files if these are wanted. Each file is
 * opened once. Never throws for what it finds.
 *
 * @throws the signal's reason when aborted
 */
export async function readSkill(skill: WalkedSkill, surroundings: SkillSurroundings): Promise<RawRow | UnreadableRow> {
  const { origin, publication, git, signal, baseName } = surroundings;
  const { location, author, codehostUrl, skillUrl } = publication;
  const folder = { path: skill.realPath, isOrigin: git?.remote === undefined };
  const unreadable = (reason: string): UnreadableRow => ({ kind: 'unreadable', origin, reason, location, folder });
  try {
    const reading = new SkillReading(skill, surroundings);
    const { own, files, contents, warnings } = await reading.run();
    if (own === 'special') return unreadable(NOT_REGULAR);
    if (own instanceof Error) throw own;
    if (isBlank(own.text)) return unreadable('empty: neither front matter nor text');
    const markdown = readSkillMarkdown(own.text);
    const times = [{ realPath: skill.realSkillFile, changedAt: own.changedAt }, ...files].map(
      // By their commits, or by the file system if git has none.
      ({ realPath, changedAt }) => git?.committedAt.get(pathInside(git.root, realPath)) ?? changedAt,
    );
    const value = {
      ...skillMarkdownRow(markdown, skill.path === '' ? baseName : basename(skill.path)),
      author,
      codehostUrl,
      skillUrl,
      stars: 0,
      updatedAt: Math.max(0, ...times),
      files: [
        { filename: 'SKILL.md', text: markdown.body },
        ...files.map(({ path, text }) => ({ filename: path, text })),
      ],
    };
    const ofOwn = [
      ...(own.cut ? [`SKILL.md: cut at ${MAX_FILE_BYTES / 1024 / 1024} MiB`] : []),
      ...(own.repaired ? ['SKILL.md: bytes that are not UTF-8 were replaced'] : []),
    ];
    const all = [...ofOwn, ...markdown.warnings, ...warnings];
    return { kind: 'row', origin, value, warnings: all, location, folder, ...(contents !== undefined && { contents }) };
  } catch (error) {
    signal?.throwIfAborted();
    return unreadable(`cannot be read: ${systemReason(error)}`);
  }
}

/** A file of a skill. */
interface Listed {
  /** Inside the skill's folder, with `/`. */
  readonly path: string;
  readonly realPath: string;
  /** Whether its text is searched. */
  readonly isSearched: boolean;
  /** Whether its bytes are a part of the skill. */
  readonly isContent: boolean;
}

interface Folder extends Listed {
  /** Real paths of the folders on the way to it, and its own. */
  readonly chain: readonly string[];
}

interface TextFile {
  readonly path: string;
  readonly realPath: string;
  readonly text: string;
  readonly changedAt: number;
}

/**
 * Reads the folder of one skill.
 *
 * Its contents are every file in it and below, hidden ones and those of skills inside it too. A link that stays in the
 * folder counts as a copy of what it leads to; others are not followed. Whatever is left out makes the contents
 * incomplete, and is reported.
 *
 * Searched are its texts without dotfiles and skills inside it, but with what links inside the source lead to.
 */
class SkillReading {
  readonly #skill: WalkedSkill;
  readonly #of: SkillSurroundings;
  readonly #admit: Admit;
  readonly #listed: Listed[] = [];
  /** What came of each file, by its real path: several links may lead to one. */
  readonly #outcomes = new Map<string, ReadFile | 'special' | 'large' | 'binary' | Error>();
  /** Each folder, as it was before it was listed. */
  readonly #states: { readonly path: string; readonly realPath: string; readonly state: BigIntStats | undefined }[] =
    [];
  readonly #files: TextFile[] = [];
  readonly #contents: DraftContentFile[] = [];
  readonly #warnings: string[] = [];
  readonly #leftOut: string[] = [];
  #isComplete = true;
  /** Whether there is room for more. */
  #hasTextRoom = true;
  #hasContentRoom = true;
  #textBytes = 0;
  #contentBytes = 0;

  constructor(skill: WalkedSkill, surroundings: SkillSurroundings) {
    this.#skill = skill;
    this.#of = surroundings;
    let left = AHEAD_BYTES;
    // Whoever needs more waits with what he has, so that nothing is read twice.
    this.#admit = (bytes) => {
      left -= bytes;
      return left < 0 ? surroundings.turn : undefined;
    };
  }

  async run() {
    const { contents: withContents, signal } = this.#of;
    const { skillFile, realSkillFile } = this.#skill;
    await this.#list();
    // The SKILL.md first: the others may be too many.
    const rank = ({ path }: Listed): number => (path === skillFile ? 0 : 1);
    this.#listed.sort((a, b) => rank(a) - rank(b) || compareCodePoints(a.path, b.path));
    let contentsLeft = this.#listed.filter(({ isContent }) => isContent).length;
    const [first] = this.#listed;
    if (first?.path === skillFile && first.isContent) await this.#readContent(first, contentsLeft--);
    const own = await this.#textAt(realSkillFile, true).catch(asError);
    if (typeof own === 'object' && 'bytes' in own) this.#textBytes = own.bytes;
    for (const file of this.#listed) {
      signal?.throwIfAborted();
      if (file.isContent && file.path !== skillFile) await this.#readContent(file, contentsLeft--);
      if (file.isSearched) await this.#readText(file);
    }
    for (const { path, realPath, state } of this.#states) {
      const now = stateOf(realPath);
      // One that cannot be looked at was reported when it was listed.
      const isChanged = state === undefined || now === undefined ? state !== now : !isSame(state, now);
      if (isChanged)
        this.#leaveOut(`${path === '' ? 'the folder' : toOneLine(path)}: changed while it was read; incomplete`);
    }
    const more = this.#leftOut.length - MAX_REPORTED;
    const leftOut = this.#leftOut.slice(0, MAX_REPORTED);
    if (more > 0) leftOut.push(`contents: ${more.toLocaleString('en')} more are left out`);
    const files = this.#contents.sort((a, b) => compareCodePoints(a.path, b.path));
    const complete = this.#isComplete && files.some(({ path }) => isSkillFile(path));
    return {
      own: own as FileText | 'special' | Error,
      files: this.#files,
      contents: withContents ? { complete, files } : undefined,
      warnings: withContents ? [...this.#warnings, ...leftOut] : this.#warnings,
    };
  }

  /** Notes what makes the contents incomplete. */
  #leaveOut(warning: string): void {
    this.#isComplete = false;
    this.#leftOut.push(`contents: ${warning}`);
  }

  /** Lists the files of the folder and all below. Opens nothing but folders. */
  async #list(): Promise<void> {
    const { signal, contents } = this.#of;
    const { realPath: root } = this.#skill;
    let looked = 0;
    const searched = new Set([root]);
    const waiting: Folder[] = [{ path: '', realPath: root, isSearched: true, isContent: contents, chain: [root] }];
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      signal?.throwIfAborted();
      if (contents) await this.#noteState(folder);
      const entries = await listFolder(folder.realPath).catch(() => {
        // The walk has already reported it.
        this.#isComplete = false;
        return [];
      });
      const isOwn = folder.path === '';
      const isInner = !isOwn && entries.some((entry) => isSkillFile(entry.name) && !entry.isDirectory());
      for (const entry of entries) {
        const part = partByName(entry.name);
        if (part === 'none') continue;
        const path = joinPath(folder.path, entry.name);
        if (looked++ === MAX_SKILL_ENTRIES) {
          this.#isComplete = false;
          this.#warnings.push(`more than ${MAX_SKILL_ENTRIES} files and folders; the rest is not looked at`);
          return;
        }
        const fault =
          part === 'secret' ? MAY_HOLD_SECRETS : isStorable(path) ? undefined : 'a name that cannot be kept';
        if (fault !== undefined) {
          this.#leaveOut(`${toOneLine(path)}: ${fault}; left out`);
          continue;
        }
        let kind = kindOf(entry);
        let realPath = folder.realPath + sep + entry.name;
        let isSearched = folder.isSearched && !isInner && !entry.name.startsWith('.');
        let { isContent } = folder;
        if (entry.isSymbolicLink()) {
          const target = await this.#of.roots.follow(realPath);
          if (target.kind === 'refused') {
            // The walk has already reported it.
            this.#isComplete = false;
            continue;
          }
          ({ kind, realPath } = target);
          const refusal = isContent ? this.#refusalOf(realPath, folder.chain) : undefined;
          if (refusal !== undefined) this.#leaveOut(`${toOneLine(path)}: ${refusal}; left out`);
          isContent &&= refusal === undefined;
          // A path to something hidden would be left out without a link to it.
          const isHidden = pathInside(root, realPath)
            .split('/')
            .some((segment) => /^\.(?!\.?$)/.test(segment));
          isSearched &&= !isHidden;
        }
        if (isOwn && isSkillFile(entry.name)) {
          const { skillFile, realSkillFile } = this.#skill;
          if (entry.name !== skillFile && kind === 'file' && realPath !== realSkillFile) {
            this.#warnings.push(`${entry.name}: left out, ${skillFile} stands beside it`);
          }
          isSearched = false;
        }
        if (kind === 'folder') {
          // Each is searched once. A link to a folder above the skill would bring in its neighbours.
          isSearched &&= !searched.has(realPath) && !isInside(root, realPath);
          if (isSearched) searched.add(realPath);
          const chain = [...folder.chain, realPath];
          if (isSearched || isContent) waiting.push({ path, realPath, isSearched, isContent, chain });
        } else if (kind === 'file') {
          isSearched &&= realPath !== this.#skill.realSkillFile;
          if (isSearched || isContent) this.#listed.push({ path, realPath, isSearched, isContent });
        } else if (isContent) this.#leaveOut(`${toOneLine(path)}: ${NOT_REGULAR}; left out`);
      }
    }
  }

  /** Why what a link leads to is no part of the contents. */
  #refusalOf(realPath: string, chain: readonly string[]): string | undefined {
    const { realPath: root } = this.#skill;
    if (!isInside(realPath, root)) return 'a link that leads out of the skill';
    if (partByPath(pathInside(root, realPath)) !== 'file') return 'a link to what is left out';
    return chain.includes(realPath) ? 'a link that leads in a circle' : undefined;
  }

  /** Notes a folder before it is listed, and waits if it has just changed: a file may come or go meanwhile. */
  async #noteState({ path, realPath }: Folder): Promise<void> {
    const state = stateOf(realPath);
    this.#states.push({ path, realPath, state });
    if (state !== undefined && !hasRest(state)) await setTimeout(SETTLED_MS);
  }

  /** @param left files that are still to be read, this one included */
  async #readContent({ path, realPath }: Listed, left: number): Promise<void> {
    if (!this.#hasContentRoom) return;
    const isFull = this.#contents.length === MAX_CONTENT_FILES;
    const most = MAX_CONTENT_BYTES - this.#contentBytes;
    let file = this.#outcomes.get(realPath) ?? 'large';
    if (!isFull && !this.#outcomes.has(realPath)) {
      file = await readFile(realPath, { most, admit: this.#admit }).catch(asError);
      this.#outcomes.set(realPath, file);
    }
    if (file instanceof Error) {
      this.#isComplete = false;
      this.#warnings.push(`${toOneLine(path)}: cannot be read: ${systemReason(file)}`);
    } else if (file === 'special') this.#leaveOut(`${toOneLine(path)}: ${NOT_REGULAR}; left out`);
    else if (typeof file === 'string' || isFull || file.bytes.length > most) {
      this.#hasContentRoom = false;
      this.#isComplete = false;
      this.#leftOut.push(overLimit(path, left, isFull));
    } else {
      const { bytes, executable, isSteady } = file;
      this.#contentBytes += bytes.length;
      if (!isSteady) this.#leaveOut(`${toOneLine(path)}: changed while it was read; incomplete`);
      const about = { path, size: bytes.length, sha256: sha256Of(bytes), executable, isText: isTextual(bytes) };
      // What may be half of one state and half of the next is searched, and given to nobody as the file.
      this.#contents.push({ ...about, complete: isSteady, bytes: isSteady ? bytes : undefined });
    }
  }

  async #readText({ path, realPath }: Listed): Promise<void> {
    if (!this.#hasTextRoom) return;
    const file = await this.#textAt(realPath, false).catch((error: unknown) => {
      const warning = `${toOneLine(path)}: cannot be read: ${systemReason(error)}`;
      if (!this.#warnings.includes(warning)) this.#warnings.push(warning);
      return 'special' as const;
    });
    if (typeof file === 'string') return;
    const isFull = this.#files.length + 1 === MAX_FILES;
    if (isFull || this.#textBytes + file.bytes > MAX_SKILL_BYTES) {
      const limit = isFull ? `more than ${MAX_FILES} files` : `the files are over ${MAX_SKILL_BYTES / 1024 / 1024} MiB`;
      this.#warnings.push(`${limit}; those from ${toOneLine(path)} on are left out`);
      this.#hasTextRoom = false;
      return;
    }
    this.#textBytes += file.bytes;
    if (file.cut) this.#warnings.push(`${toOneLine(path)}: cut at ${MAX_FILE_BYTES / 1024 / 1024} MiB`);
    this.#files.push({ path, realPath, text: file.text, changedAt: file.changedAt });
  }

  /** The text of a file, without a second look at one that was read already. */
  async #textAt(realPath: string, force: boolean): Promise<FileText | 'binary' | 'special'> {
    const file = this.#outcomes.get(realPath);
    // Of one that is too large to be kept, the beginning is searched.
    if (file === undefined || file === 'large') return readTextFile(realPath, { force, admit: this.#admit });
    // Refused once, it stays so: another look might find what somebody has put there meanwhile.
    if (file instanceof Error) throw file;
    if (typeof file === 'string') return file;
    await this.#admit(Math.min(file.bytes.length, MAX_FILE_BYTES));
    return textOf(file, { force });
  }
}

/** A name that is not UTF-8 comes with U+FFFD, and could not be opened by it. */
function isStorable(path: string): boolean {
  return path.length <= MAX_LOCATION && path.isWellFormed() && !path.includes('\ufffd');
}

function stateOf(realPath: string): BigIntStats | undefined {
  return orUndefined(() => lstatSync(realPath, { bigint: true }));
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
