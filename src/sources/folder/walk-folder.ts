import type { Dirent } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { compareCodePoints, isInside, readAhead } from '../../core/index.js';
import type { SourceRemark, UnreadableRow } from '../rows/row.js';
import { isSkillFile, joinPath, pathInside, systemReason, toOneLine } from '../rows/texts.js';
import { isNeverEntered, listFolder } from './read-file.js';

/** Problems of a walk through a folder that are told one by one: links that lead out, folders that cannot be read. */
export const MAX_WALK_PROBLEMS = 1000;

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

/**
 * Looks for every SKILL.md at any depth of a folder. Enters hidden folders, but not `.git` and `node_modules`. Follows
 * symbolic links only as far as `roots` lets it. Opens nothing but folders.
 *
 * @param roots those of the folder
 * @param name of the source, for problems
 * @param maxFolders folders that are entered; that there are more is a problem
 * @throws Error if the folder itself cannot be read
 * @throws the signal's reason when aborted
 */
export async function walkFolder(
  roots: LinkRoots,
  name: string,
  signal?: AbortSignal,
  maxFolders: number = Number.POSITIVE_INFINITY,
): Promise<Walk> {
  return new FolderWalk(roots, name, signal, maxFolders).run();
}

/** Folders that are listed at the same time. */
const FOLDERS_AHEAD = 16;

interface Folder {
  /** Path inside the source, with `/`. */
  readonly path: string;
  readonly realPath: string;
}

/** A SKILL.md, and whether it was reached through a symbolic link. */
interface SkillFile {
  readonly name: string;
  readonly realPath: string;
  readonly linked: boolean;
  /** Its folder, if that lies in another source; then it is the skill's folder. */
  readonly otherFolder?: string;
}

interface Candidate extends WalkedSkill {
  readonly linked: boolean;
}

class FolderWalk {
  readonly #roots: LinkRoots;
  readonly #name: string;
  readonly #signal: AbortSignal | undefined;
  readonly #candidates: Candidate[] = [];
  readonly #repositories = new Set<string>();
  readonly #problems: (SourceRemark | UnreadableRow)[] = [];
  /** Problems that were too many to be kept. */
  #untold = 0;
  readonly #visited = new Set<string>();
  readonly #maxFolders: number;
  /** Whether there were more folders than are entered. */
  #hasMore = false;
  /** Folders that links lead to, still to be visited. */
  #linkedFolders: Folder[] = [];

  constructor(roots: LinkRoots, name: string, signal: AbortSignal | undefined, maxFolders: number) {
    this.#roots = roots;
    this.#name = name;
    this.#signal = signal;
    this.#maxFolders = maxFolders;
  }

  async run(): Promise<Walk> {
    await this.#visit({ path: '', realPath: this.#roots.own }, false);
    // Links come after everything that is reached without them. They may lead to more links.
    while (this.#linkedFolders.length > 0) {
      const round = this.#linkedFolders.sort((a, b) => compareCodePoints(a.path, b.path));
      this.#linkedFolders = [];
      for (const folder of round) await this.#visit(folder, true);
    }
    const problems = this.#problems.sort((a, b) => compareCodePoints(a.origin.source, b.origin.source));
    if (this.#hasMore) {
      const message = `more than ${this.#maxFolders.toLocaleString('en')} folders: the rest is not looked at`;
      problems.push({ kind: 'remark', origin: this.#origin(''), message, hidesSkills: true });
    }
    if (this.#untold > 0) {
      const message = `${this.#untold.toLocaleString('en')} more links or folders that were not followed or entered`;
      problems.push({ kind: 'remark', origin: this.#origin(''), message, hidesSkills: true });
    }
    return { skills: distinct(this.#candidates), repositories: this.#repositories, problems };
  }

  /** Looks at a folder and all below it: level by level, since a tree may be deeper than the stack. */
  async #visit(folder: Folder, linked: boolean): Promise<void> {
    let level = [folder];
    while (level.length > 0) {
      this.#signal?.throwIfAborted();
      const below: Folder[] = [];
      const look = (next: Folder): Promise<Folder[]> => this.#look(next, linked);
      for await (const subfolders of readAhead(this.#firstVisits(level), FOLDERS_AHEAD, look)) {
        this.#signal?.throwIfAborted();
        for (const subfolder of subfolders) below.push(subfolder);
      }
      level = below;
    }
  }

  /** The folders that were not visited before. From now on they count as visited. */
  #firstVisits(folders: readonly Folder[]): Folder[] {
    return folders.filter(({ realPath }) => {
      if (this.#visited.has(realPath)) return false;
      this.#hasMore ||= this.#visited.size >= this.#maxFolders;
      if (this.#hasMore) return false;
      this.#visited.add(realPath);
      return true;
    });
  }

  /**
   * Notes what a folder contains.
   *
   * @returns its subfolders, without those behind links
   */
  async #look(folder: Folder, linked: boolean): Promise<Folder[]> {
    const subfolders: Folder[] = [];
    const skillFiles: SkillFile[] = [];
    for (const entry of await this.#list(folder)) {
      const { name } = entry;
      const inside: Folder = { path: joinPath(folder.path, name), realPath: folder.realPath + sep + name };
      if (name === '.git') this.#repositories.add(folder.realPath);
      if (entry.isSymbolicLink()) {
        const skillFile = await this.#follow(inside, folder, name);
        if (skillFile !== undefined) skillFiles.push(skillFile);
        continue;
      }
      const kind = entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : 'other';
      if (kind === 'folder' && !isNeverEntered(name)) subfolders.push(inside);
      if (!isSkillFile(name)) continue;
      if (kind === 'file') skillFiles.push({ name, realPath: inside.realPath, linked });
      else this.#noteNoFile(folder, name, kind);
    }
    // SKILL.md sorts before every other way to write it.
    const [skill] = skillFiles;
    if (skill !== undefined) {
      const { name: skillFile, realPath: realSkillFile, linked, otherFolder: realPath = folder.realPath } = skill;
      this.#candidates.push({ path: folder.path, realPath, skillFile, realSkillFile, linked });
    }
    return subfolders;
  }

  /** The entries of a folder. A folder below the source that cannot be read is a problem, not an error. */
  async #list(folder: Folder): Promise<Dirent[]> {
    try {
      return await listFolder(folder.realPath);
    } catch (cause) {
      if (folder.path === '') {
        throw new Error(`${this.#name} cannot be read: ${toOneLine((cause as Error).message)}`, { cause });
      }
      const reason = `the folder cannot be read: ${systemReason(cause)}`;
      this.#note({ kind: 'unreadable', origin: this.#origin(folder.path), reason, hidesSkills: true });
      return [];
    }
  }

  /**
   * Follows a link, and notes the folder that it leads to.
   *
   * @returns the SKILL.md that it leads to, if any
   */
  async #follow({ path, realPath }: Folder, parent: Folder, name: string): Promise<SkillFile | undefined> {
    const target = await this.#roots.follow(realPath);
    if ((target.kind === 'folder' || target.kind === 'other') && isSkillFile(name)) {
      this.#noteNoFile(parent, name, target.kind);
    }
    if (target.kind === 'refused') {
      this.#note({ kind: 'remark', origin: this.#origin(path), message: target.reason });
    } else if (target.kind === 'folder') {
      this.#linkedFolders.push({ path, realPath: target.realPath });
      if (target.root !== this.#roots.own) await this.#findRepositories(target.realPath, target.root);
    } else if (target.kind === 'file' && isSkillFile(name)) {
      const skillFile = { name, realPath: target.realPath, linked: true };
      if (target.root === this.#roots.own) return skillFile;
      const otherFolder = dirname(target.realPath);
      await this.#findRepositories(otherFolder, target.root);
      return { ...skillFile, otherFolder };
    }
    return undefined;
  }

  /** Looks for a `.git` from a folder of another source up to that source, where this walk does not come by. */
  async #findRepositories(folder: string, root: string): Promise<void> {
    for (let at = folder; ; at = dirname(at)) {
      const found = await lstat(join(at, '.git')).catch(() => undefined);
      if (found !== undefined) this.#repositories.add(at);
      if (at === root || at === dirname(at)) return;
    }
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
    else this.#untold += 1;
  }

  #origin(path: string): { source: string } {
    return { source: path === '' ? this.#name : `${this.#name}/${path}` };
  }
}

/**
 * One skill for each real SKILL.md: the one reached without links, else the first. In code-point order of their paths.
 */
function distinct(candidates: readonly Candidate[]): WalkedSkill[] {
  const sorted = [...candidates].sort(
    (a, b) => Number(a.linked) - Number(b.linked) || compareCodePoints(a.path, b.path),
  );
  const chosen = new Map<string, WalkedSkill>();
  for (const candidate of sorted) {
    if (!chosen.has(candidate.realSkillFile)) chosen.set(candidate.realSkillFile, candidate);
  }
  return [...chosen.values()].sort((a, b) => compareCodePoints(a.path, b.path));
}

/** Some folders of a source cannot be read by themselves: what they hold depends on the rest of it. */
class WholeWalkNeeded extends Error {
  override readonly name = 'WholeWalkNeeded';
}

/**
 * Looks for every SKILL.md in some folders of a source, and below them: what a walk through the whole source would find
 * there. Reads nothing else of the source. A folder that is not there holds nothing.
 *
 * @param folders absolute paths
 * @param root of the source, without symbolic links
 * @throws {WholeWalkNeeded} if there are links, a folder that cannot be read, or a SKILL.md that is no file
 * @throws the signal's reason when aborted
 */
export async function findSkillsIn(folders: readonly string[], root: string, signal?: AbortSignal): Promise<Walk> {
  const skills = new Map<string, WalkedSkill>();
  const repositories = new Set<string>();
  for (const named of folders) {
    if (named === root || !isInside(named, root)) throw new WholeWalkNeeded(`${named} is not inside ${root}`);
    const folder = await outermostSkill(named, root);
    const path = pathInside(root, folder);
    if (path.split('/').some(isNeverEntered)) continue;
    if (!(await isFolderInPlace(folder))) continue;
    for (let at = dirname(folder); ; at = dirname(at)) {
      if ((await lstat(join(at, '.git')).catch(() => undefined)) !== undefined) repositories.add(at);
      if (at === root) break;
    }
    const waiting = [{ path, realPath: folder }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      signal?.throwIfAborted();
      for (const entry of await list(next.realPath)) {
        const { name } = entry;
        if (name === '.git') repositories.add(next.realPath);
        if (entry.isSymbolicLink()) throw new WholeWalkNeeded(`${next.realPath} has links`);
        const realPath = next.realPath + sep + name;
        if (entry.isDirectory() && !isNeverEntered(name)) waiting.push({ path: joinPath(next.path, name), realPath });
        // SKILL.md sorts before every other way to write it.
        if (!isSkillFile(name)) continue;
        if (!entry.isFile()) throw new WholeWalkNeeded(`${realPath} is no file`);
        if (skills.has(next.path)) continue;
        skills.set(next.path, { ...next, skillFile: name, realSkillFile: realPath });
      }
    }
  }
  const found = [...skills.values()].sort((a, b) => compareCodePoints(a.path, b.path));
  return { skills: found, repositories, problems: [] };
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
    // What cannot be looked at may be there.
    if (cause.code !== 'ENOENT' && cause.code !== 'ENOTDIR') {
      throw new WholeWalkNeeded(`${folder} cannot be read`, { cause });
    }
    return undefined;
  });
  if (found === undefined) return false;
  const isInPlace = (await realpath(folder).catch(() => undefined)) === folder;
  if (!isInPlace) throw new WholeWalkNeeded(`${folder} is reached through links`);
  return found.isDirectory();
}

async function list(folder: string): Promise<Dirent[]> {
  try {
    return await listFolder(folder);
  } catch (cause) {
    throw new WholeWalkNeeded(`${folder} cannot be read`, { cause });
  }
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
    this.#all = all ?? (others.some((root) => root !== own) ? 'the sources of the load' : 'the source');
    // The innermost first.
    this.#others = others.filter((root) => root !== own).sort((a, b) => b.length - a.length);
  }

  /** The root that a path lies in; undefined if it lies in none. */
  rootOf(path: string): string | undefined {
    return isInside(path, this.own) ? this.own : this.#others.find((root) => isInside(path, root));
  }

  /** Follows a link, if it leads into one of the roots. Never throws. */
  async follow(link: string): Promise<LinkTarget> {
    try {
      const realPath = await realpath(link);
      const root = this.rootOf(realPath);
      if (root === undefined) {
        return { kind: 'refused', reason: `a link that leads outside ${this.#all}` };
      }
      if (pathInside(root, realPath).split('/').includes('.git')) {
        return { kind: 'refused', reason: 'a link into a .git folder' };
      }
      const found = await stat(realPath);
      return { kind: found.isDirectory() ? 'folder' : found.isFile() ? 'file' : 'other', realPath, root };
    } catch (error) {
      return { kind: 'refused', reason: brokenLink(error) };
    }
  }
}

function brokenLink(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'a link that leads nowhere';
  if (code === 'ELOOP') return 'a link that leads in a circle';
  return `a link that cannot be followed: ${systemReason(error)}`;
}
