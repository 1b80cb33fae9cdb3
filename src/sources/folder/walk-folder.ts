import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { compareCodePoints } from '../../text/code-point-order.js';
import { toOneLine } from '../rows/clean-text.js';
import type { SourceRemark, UnreadableRow } from '../rows/row.js';
import { readAhead } from './read-ahead.js';

/** A folder that holds a SKILL.md. */
export interface FoundSkill {
  /** Path of the folder inside the source, with `/`; empty for the source itself. */
  readonly path: string;
  /** The same without symbolic links, absolute. */
  readonly realPath: string;
  /** Name of its SKILL.md as it stands on disk (`SKILL.md`, `skill.md`). */
  readonly skillFile: string;
  /** Absolute path of that file without symbolic links. */
  readonly realSkillFile: string;
}

/** What a walk through a folder finds. */
export interface Walk {
  /** In code-point order of their paths; each real SKILL.md once. */
  readonly skills: readonly FoundSkill[];
  /** Real paths of folders with a `.git`. */
  readonly repositories: ReadonlySet<string>;
  /** In code-point order of where they are. */
  readonly problems: readonly (SourceRemark | UnreadableRow)[];
}

interface Folder {
  readonly path: string;
  readonly realPath: string;
}

/** A found skill and whether a symbolic link was needed to reach it. */
interface Candidate extends FoundSkill {
  readonly linked: boolean;
}

const FOLDERS_AHEAD = 16;

const NOT_ENTERED: ReadonlySet<string> = new Set(['.git', 'node_modules']);

/**
 * Looks for every SKILL.md at any depth of a folder, hidden folders included, `.git` and `node_modules` not. Symbolic
 * links are followed only to places inside the folder. Nothing but folders is opened.
 *
 * `name` is how the source is called in problems. Throws an Error where the folder itself cannot be read, and the
 * signal's reason where aborted.
 */
export async function walkFolder(root: string, name: string, signal?: AbortSignal): Promise<Walk> {
  const realRoot = await realpath(root);
  const candidates: Candidate[] = [];
  const repositories = new Set<string>();
  const problems: (SourceRemark | UnreadableRow)[] = [];
  const visited = new Set<string>();
  let linkedFolders: Folder[] = [];

  const originOf = (path: string): { source: string } => ({ source: path === '' ? name : `${name}/${path}` });
  const remark = (path: string, message: string): void =>
    void problems.push({ kind: 'remark', origin: originOf(path), message });

  async function visit(folder: Folder, linked: boolean): Promise<void> {
    signal?.throwIfAborted();
    // Level by level instead of recursion: a tree may be deeper than the stack.
    for (let level = [folder]; level.length > 0; ) {
      const unseen = level.filter(({ realPath }) => !visited.has(realPath) && visited.add(realPath));
      level = [];
      for await (const subfolders of readAhead(unseen, FOLDERS_AHEAD, (next) => look(next, linked))) {
        signal?.throwIfAborted();
        for (const subfolder of subfolders) level.push(subfolder);
      }
    }
  }

  /** Notes what a folder holds; returns its subfolders. */
  async function look(folder: Folder, linked: boolean): Promise<Folder[]> {
    const entries = await listFolder(folder.realPath).catch((cause: Error) => {
      if (folder.path === '') throw new Error(`${name} cannot be read: ${toOneLine(cause.message)}`, { cause });
      const reason = `the folder cannot be read: ${reasonOf(cause)}`;
      problems.push({ kind: 'unreadable', origin: originOf(folder.path), reason, hidesSkills: true });
      return [];
    });

    const subfolders: Folder[] = [];
    const skillFiles: { name: string; realPath: string; linked: boolean }[] = [];
    for (const entry of entries) {
      const path = joinPath(folder.path, entry.name);
      const realPath = folder.realPath + sep + entry.name;
      if (entry.name === '.git') repositories.add(folder.realPath);
      if (entry.isDirectory()) {
        if (!NOT_ENTERED.has(entry.name)) subfolders.push({ path, realPath });
      } else if (entry.isFile()) {
        if (isSkillFile(entry.name)) skillFiles.push({ name: entry.name, realPath, linked });
      } else if (entry.isSymbolicLink()) {
        const target = await followLink(realPath, realRoot);
        if (target.kind === 'refused') remark(path, target.reason);
        else if (target.kind === 'folder') linkedFolders.push({ path, realPath: target.realPath });
        else if (target.kind === 'file' && isSkillFile(entry.name)) {
          skillFiles.push({ name: entry.name, realPath: target.realPath, linked: true });
        }
      }
    }

    const [skill] = skillFiles; // SKILL.md sorts before every other way to write it
    if (skill !== undefined) {
      const { path, realPath } = folder;
      candidates.push({ path, realPath, skillFile: skill.name, realSkillFile: skill.realPath, linked: skill.linked });
    }
    return subfolders;
  }

  await visit({ path: '', realPath: realRoot }, false);
  // Links come after everything that is reached without them, and may lead to more links.
  while (linkedFolders.length > 0) {
    const round = linkedFolders.sort((a, b) => compareCodePoints(a.path, b.path));
    linkedFolders = [];
    for (const folder of round) await visit(folder, true);
  }

  problems.sort((a, b) => compareCodePoints(a.origin.source, b.origin.source));
  return { skills: distinct(candidates), repositories, problems };
}

/** Where a symbolic link leads, if it may be followed. */
export type LinkTarget =
  | { readonly kind: 'folder' | 'file' | 'other'; readonly realPath: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** Follows a link to a place inside `realRoot`. Never throws. */
export async function followLink(link: string, realRoot: string): Promise<LinkTarget> {
  try {
    const target = await realpath(link);
    if (!isInside(target, realRoot)) return { kind: 'refused', reason: 'a link that leads outside the source' };
    if (relative(realRoot, target).split(sep).includes('.git')) {
      return { kind: 'refused', reason: 'a link into a .git folder' };
    }
    const found = await stat(target);
    return { kind: found.isDirectory() ? 'folder' : found.isFile() ? 'file' : 'other', realPath: target };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason =
      code === 'ENOENT'
        ? 'a link that leads nowhere'
        : code === 'ELOOP'
          ? 'a link that leads in a circle'
          : `a link that cannot be followed: ${reasonOf(error)}`;
    return { kind: 'refused', reason };
  }
}

/** The entries of a folder in code-point order of their names. */
export async function listFolder(path: string): Promise<Dirent[]> {
  const entries = await readdir(path, { withFileTypes: true });
  return entries.sort((a, b) => compareCodePoints(a.name, b.name));
}

/** Whether a file name is one of a SKILL.md, however it is written. */
export function isSkillFile(name: string): boolean {
  return name.length === 8 && name.toLowerCase() === 'skill.md';
}

/** Whether a folder of this name is left out of every walk. */
export function isNeverEntered(name: string): boolean {
  return NOT_ENTERED.has(name);
}

/** Joins a path inside the source, with `/`. */
export function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** Whether a path is a folder or lies in it; both absolute and without links. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** What an error of the file system says, without the path: that may be a local one. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? toOneLine(String(message));
}

/** One skill for each real SKILL.md: the one reached without links, else the first. */
function distinct(candidates: readonly Candidate[]): FoundSkill[] {
  const sorted = [...candidates].sort(
    (a, b) => Number(a.linked) - Number(b.linked) || compareCodePoints(a.path, b.path),
  );
  const seen = new Set<string>();
  return sorted
    .filter(({ realSkillFile }) => !seen.has(realSkillFile) && seen.add(realSkillFile))
    .sort((a, b) => compareCodePoints(a.path, b.path));
}
