import { lstat, realpath, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { compareCodePoints, isInside, readAhead } from '../../core/index.js';
import type { SourceRemark, UnreadableRow } from '../rows/row.js';
import { isSkillFile, joinPath, pathInside, systemReason, toOneLine } from '../rows/texts.js';
import { kindOf, listFolder } from './read-file.js';

/** Problems of a walk through a folder that are told one by one: links that lead out, folders that cannot be read. */
const MAX_WALK_PROBLEMS = 1000;

/** Folders that are listed at the same time. */
const FOLDERS_AHEAD = 16;

/** A folder with a SKILL.md. */
export interface WalkedSkill {
  /** Path of the folder inside the source, with `/`; empty for the source itself. */
  readonly path: string;
  /** The same, absolute and without symbolic links. */
  readonly realPath: string;
  /** Name of its SKILL.md on disk (`SKILL.md`, `skill.md`). */
  readonly skillFile: string;
  /** Absolute path of that file, without symbolic links. */
  readonly realSkillFile: string;
}

/** What a walk through a folder finds. */
export interface Walk {
  /** In code-point order of their paths. Each real SKILL.md is there once. */
  readonly skills: readonly WalkedSkill[];
  /** Real paths of folders with a `.git`. */
  readonly repositories: ReadonlySet<string>;
  /** In code-point order of their origins. */
  readonly problems: readonly (SourceRemark | UnreadableRow)[];
}

interface WalkOptions {
  readonly signal?: AbortSignal | undefined;
  /** Folders that are entered; that there are more is a problem. */
  readonly maxFolders?: number;
}

/**
 * Looks for every SKILL.md at any depth of a folder. Enters hidden folders, but not `.git` and `node_modules`. Follows
 * symbolic links only as far as `roots` lets it. Opens nothing but folders.
 *
 * @param roots those of the folder
 * @param name of the source, for problems
 * @throws Error if the folder itself cannot be read
 * @throws the signal's reason when aborted
 */
export async function walkFolder(roots: LinkRoots, name: string, options: WalkOptions = {}): Promise<Walk> {
  const walk = new FolderWalk(roots, name, options);
  await walk.enter({ path: '', realPath: roots.own });
  return walk.result();
}

/**
 * Looks for every SKILL.md in some folders of a source, and below them: what a walk through the whole source would find
 * there. Reads nothing else of the source. A folder that is not there holds nothing.
 *
 * @param folders absolute paths
 * @throws {WholeWalkNeeded} if there are links, a folder that cannot be read, or a SKILL.md that is no file
 * @throws the signal's reason when aborted
 */
export async function findSkillsIn(
  folders: readonly string[],
  roots: LinkRoots,
  name: string,
  signal?: AbortSignal,
): Promise<Walk> {
  const root = roots.own;
  const walk = new FolderWalk(roots, name, { signal });
  for (const named of folders) {
    if (named === root || !isInside(named, root)) throw new WholeWalkNeeded(`${named} is not inside ${root}`);
    const folder = await outermostSkill(named, root);
    const path = pathInside(root, folder);
    if (path.split('/').some(isNeverEntered) || !(await isFolderInPlace(folder))) continue;
    await walk.findRepositories(folder, root);
    await walk.enter({ path, realPath: folder });
  }
  const found = walk.result();
  if (walk.hasLinks || found.problems.length > 0) throw new WholeWalkNeeded(`${name} has links, or cannot be read`);
  return found;
}

/** Some folders of a source cannot be read by themselves: what they hold depends on the rest of it. */
class WholeWalkNeeded extends Error {
  override readonly name = 'WholeWalkNeeded';
}

/** The folder, or the outermost skill that it is a part of: the contents of a skill are all files below it. */
async function outermostSkill(folder: string, root: string): Promise<string> {
  let outermost = folder;
  for (let at = folder; at !== root; ) {
    at = dirname(at);
    const entries = await listFolder(at).catch(() => []);
    if (!entries.some(({ name }) => isSkillFile(name))) continue;
    if (at === root) throw new WholeWalkNeeded(`${root} is a skill itself`);
    outermost = at;
  }
  return outermost;
}

/**
 * Whether there is a folder. One that is reached through links is another way to a part of the source, or out of it.
 */
async function isFolderInPlace(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return undefined;
    // What cannot be looked at may be there.
    throw new WholeWalkNeeded(`${folder} cannot be read`, { cause });
  });
  if (found !== undefined && (await realpath(folder).catch(() => undefined)) !== folder) {
    throw new WholeWalkNeeded(`${folder} is reached through links`);
  }
  return found?.isDirectory() === true;
}

interface Folder {
  /** Path inside the source, with `/`. */
  readonly path: string;
  readonly realPath: string;
}

/** A skill, and whether it was reached through a symbolic link. */
interface Candidate extends WalkedSkill {
  readonly isLinked: boolean;
}

class FolderWalk {
  hasLinks = false;
  readonly #roots: LinkRoots;
  readonly #name: string;
  readonly #signal: AbortSignal | undefined;
  readonly #maxFolders: number;
  readonly #candidates: Candidate[] = [];
  readonly #repositories = new Set<string>();
  readonly #problems: (SourceRemark | UnreadableRow)[] = [];
  /** Problems that were too many to be kept. */
  #unlisted = 0;
  readonly #visited = new Set<string>();
  /** Whether there were more folders than are entered. */
  #hasMore = false;
  /** Folders that links lead to, still to be visited. */
  #linkedFolders: Folder[] = [];

  constructor(roots: LinkRoots, name: string, { signal, maxFolders = Number.POSITIVE_INFINITY }: WalkOptions) {
    this.#roots = roots;
    this.#name = name;
    this.#signal = signal;
    this.#maxFolders = maxFolders;
  }

  /** Looks at a folder, at all below it, and at what links lead to. */
  async enter(folder: Folder): Promise<void> {
    await this.#visit(folder, false);
    // Links come after everything that is reached without them. They may lead to more links.
    while (this.#linkedFolders.length > 0) {
      const round = this.#linkedFolders.sort((a, b) => compareCodePoints(a.path, b.path));
      this.#linkedFolders = [];
      for (const linked of round) await this.#visit(linked, true);
    }
  }

  result(): Walk {
    const problems = this.#problems.sort((a, b) => compareCodePoints(a.origin.source, b.origin.source));
    const remark = (message: string): unknown =>
      problems.push({ kind: 'remark', origin: this.#origin(''), message, hidesSkills: true });
    if (this.#hasMore) remark(`more than ${this.#maxFolders.toLocaleString('en')} folders: the rest is not looked at`);
    if (this.#unlisted > 0) {
      remark(`${this.#unlisted.toLocaleString('en')} more links or folders that were not followed or entered`);
    }
    // Of each real SKILL.md the one that was reached without links, else the first.
    const chosen = new Map<string, WalkedSkill>();
    const sorted = this.#candidates.sort(
      (a, b) => Number(a.isLinked) - Number(b.isLinked) || compareCodePoints(a.path, b.path),
    );
    for (const one of sorted) if (!chosen.has(one.realSkillFile)) chosen.set(one.realSkillFile, one);
    const skills = [...chosen.values()].sort((a, b) => compareCodePoints(a.path, b.path));
    return { skills, repositories: this.#repositories, problems };
  }

  /** Looks for a `.git` from a folder up to a root, where this walk does not come by. */
  async findRepositories(folder: string, root: string): Promise<void> {
    for (let at = folder; ; at = dirname(at)) {
      const found = await lstat(join(at, '.git')).catch(() => undefined);
      if (found !== undefined) this.#repositories.add(at);
      if (at === root || at === dirname(at)) return;
    }
  }

  /** Looks at a folder and all below it: level by level, since a tree may be deeper than the stack. */
  async #visit(folder: Folder, isLinked: boolean): Promise<void> {
    for (let level = [folder]; level.length > 0; ) {
      this.#signal?.throwIfAborted();
      const below: Folder[] = [];
      const look = (next: Folder): Promise<Folder[]> => this.#look(next, isLinked);
      for await (const subfolders of readAhead(level.filter(this.#isFirstVisit), FOLDERS_AHEAD, look)) {
        this.#signal?.throwIfAborted();
        for (const subfolder of subfolders) below.push(subfolder);
      }
      level = below;
    }
  }

  /** Whether the folder is to be visited, and was not before. From now on it counts as visited. */
  readonly #isFirstVisit = ({ realPath }: Folder): boolean => {
    if (this.#visited.has(realPath)) return false;
    this.#hasMore ||= this.#visited.size >= this.#maxFolders;
    if (!this.#hasMore) this.#visited.add(realPath);
    return !this.#hasMore;
  };

  /**
   * Notes what a folder contains.
   *
   * @returns its subfolders, without those behind links
   */
  async #look(folder: Folder, isLinked: boolean): Promise<Folder[]> {
    const subfolders: Folder[] = [];
    // SKILL.md sorts before every other way to write it.
    let skill: Candidate | undefined;
    const entries = await listFolder(folder.realPath).catch((error: unknown) => this.#noteUnreadable(folder, error));
    for (const entry of entries) {
      const { name } = entry;
      const inside: Folder = { path: joinPath(folder.path, name), realPath: folder.realPath + sep + name };
      if (name === '.git') this.#repositories.add(folder.realPath);
      const isLink = entry.isSymbolicLink();
      const target = isLink ? await this.#follow(inside) : { ...inside, kind: kindOf(entry), root: this.#roots.own };
      if (target === undefined) continue;
      if (!isLink && target.kind === 'folder' && !isNeverEntered(name)) subfolders.push(inside);
      if (!isSkillFile(name)) continue;
      if (target.kind === 'file') {
        const isElsewhere = target.root !== this.#roots.own;
        const realPath = isElsewhere ? dirname(target.realPath) : folder.realPath;
        if (isElsewhere) await this.findRepositories(realPath, target.root);
        const realSkillFile = target.realPath;
        skill ??= { path: folder.path, realPath, skillFile: name, realSkillFile, isLinked: isLinked || isLink };
      } else this.#noteNoFile(folder, name, target.kind);
    }
    if (skill !== undefined) this.#candidates.push(skill);
    return subfolders;
  }

  /** Follows a link, and notes the folder that it leads to, or why it is refused. */
  async #follow({ path, realPath: link }: Folder): Promise<Exclude<LinkTarget, { kind: 'refused' }> | undefined> {
    this.hasLinks = true;
    const target = await this.#roots.follow(link);
    if (target.kind === 'refused') {
      this.#note({ kind: 'remark', origin: this.#origin(path), message: target.reason });
      return undefined;
    }
    if (target.kind === 'folder') {
      const { realPath, root } = target;
      this.#linkedFolders.push({ path, realPath });
      if (root !== this.#roots.own) await this.findRepositories(realPath, root);
    }
    return target;
  }

  /** A folder below the source that cannot be read is a problem, not an error. */
  #noteUnreadable({ path }: Folder, cause: unknown): [] {
    if (path === '') throw new Error(`${this.#name} cannot be read: ${toOneLine((cause as Error).message)}`, { cause });
    const reason = `the folder cannot be read: ${systemReason(cause)}`;
    this.#note({ kind: 'unreadable', origin: this.#origin(path), reason, hidesSkills: true });
    return [];
  }

  /** A skill that was read from there stays: nobody said that it is gone. */
  #noteNoFile({ path, realPath }: Folder, name: string, kind: 'folder' | 'other'): void {
    const what = kind === 'folder' ? 'a folder' : 'a pipe, a socket or a device';
    const reason = `${name} is ${what}, not a file`;
    const folder = { path: realPath, isOrigin: false };
    this.#note({ kind: 'unreadable', origin: this.#origin(path), reason, location: '', folder });
  }

  #note(problem: SourceRemark | UnreadableRow): void {
    if (this.#problems.length < MAX_WALK_PROBLEMS) this.#problems.push(problem);
    else this.#unlisted += 1;
  }

  #origin(path: string): { source: string } {
    return { source: path === '' ? this.#name : `${this.#name}/${path}` };
  }
}

/** Whether a folder with this name is left out of every walk. */
function isNeverEntered(name: string): boolean {
  return name === '.git' || name === 'node_modules';
}

/** Where a symbolic link leads, if it may be followed. */
export type LinkTarget =
  | {
      readonly kind: 'folder' | 'file' | 'other';
      readonly realPath: string;
      /** The root that it lies in. */
      readonly root: string;
    }
  | { readonly kind: 'refused'; readonly reason: string };

/** The folders that links of a source may lead into. All paths are real: absolute and without links. */
export class LinkRoots {
  /** The source itself. */
  readonly own: string;
  readonly #others: readonly string[];
  /** What all roots together are called. */
  readonly #all: string;

  /**
   * @param others sources of the same load
   * @param all what all of these are called, for problems
   */
  constructor(own: string, others: readonly string[] = [], all?: string) {
    this.own = own;
    // The innermost first.
    this.#others = others.filter((root) => root !== own).sort((a, b) => b.length - a.length);
    this.#all = all ?? (this.#others.length > 0 ? 'the sources of the load' : 'the source');
  }

  /** The root that a path lies in; undefined if it lies in none. */
  rootOf(path: string): string | undefined {
    return isInside(path, this.own) ? this.own : this.#others.find((root) => isInside(path, root));
  }

  /** Follows a link, if it leads into one of the roots. Never throws. */
  async follow(link: string): Promise<LinkTarget> {
    const refused = (reason: string): LinkTarget => ({ kind: 'refused', reason });
    try {
      const realPath = await realpath(link);
      const root = this.rootOf(realPath);
      if (root === undefined) return refused(`a link that leads outside ${this.#all}`);
      if (pathInside(root, realPath).split('/').includes('.git')) return refused('a link into a .git folder');
      const found = await stat(realPath);
      return { kind: found.isDirectory() ? 'folder' : found.isFile() ? 'file' : 'other', realPath, root };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return refused('a link that leads nowhere');
      if (code === 'ELOOP') return refused('a link that leads in a circle');
      return refused(`a link that cannot be followed: ${systemReason(error)}`);
    }
  }
}
