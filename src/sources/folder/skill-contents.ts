import { sep } from 'node:path';
import { compareCodePoints, isInside, MAX_CONTENT_BYTES, MAX_CONTENT_FILES } from '../../core/index.js';
import { toOneLine } from '../rows/clean-text.js';
import { isSkillFile, MAY_HOLD_SECRETS, partByName, partByPath } from '../rows/content-name.js';
import { type DraftContentFile, type DraftContents, isTextual, sha256Of } from '../rows/draft-contents.js';
import { overLimit } from '../rows/row-contents.js';
import { MAX_LOCATION } from '../rows/row-files.js';
import type { Admit } from './ahead-allowance.js';
import { FolderStates } from './folder-states.js';
import type { LinkRoots } from './follow-link.js';
import { listFolder, reasonOf } from './list-folder.js';
import { MAX_SKILL_ENTRIES } from './skill-files.js';
import { joinPath, pathInside } from './source-paths.js';
import type { FoundSkill } from './walk-folder.js';
import { readWholeFile, type WholeFile } from './whole-file.js';

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
  skill: FoundSkill,
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
    else if (file instanceof Error) left.tell(`${toOneLine(path)}: cannot be read: ${reasonOf(file)}`);
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
  skill: FoundSkill,
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
function inOrder(files: Listed[], skill: FoundSkill): Listed[] {
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
