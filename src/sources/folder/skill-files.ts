import { sep } from 'node:path';
import { compareCodePoints, isInside, MAX_FILE_BYTES } from '../../core/index.js';
import { toOneLine } from '../rows/clean-text.js';
import { isSkillFile } from '../rows/content-name.js';
import type { DraftFile } from '../rows/row.js';
import { MAX_FILES } from '../rows/row-files.js';
import type { LinkRoots } from './follow-link.js';
import { isNeverEntered, listFolder, reasonOf } from './list-folder.js';
import { joinPath, pathInside } from './source-paths.js';
import { type FileText, readTextFile } from './text-file.js';
import type { FoundSkill } from './walk-folder.js';

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
export interface CollectedFiles {
  readonly files: readonly CollectedFile[];
  readonly warnings: readonly string[];
}

interface Listed {
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
export async function collectFiles(
  skill: FoundSkill,
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
      warnings.push(`${toOneLine(filename)}: cannot be read: ${reasonOf(error)}`);
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
  skill: FoundSkill,
  roots: LinkRoots,
  warnings: string[],
  list: typeof listFolder,
  signal: AbortSignal | undefined,
): Promise<Listed[]> {
  const files: Listed[] = [];
  const visited = new Set([skill.realPath]);
  const waiting: Listed[] = [{ filename: '', realPath: skill.realPath }];

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
          return inOrder(files);
        }
        files.push({ filename, realPath });
      }
      // A link to a folder above the skill would bring in its neighbours.
      if (kind !== 'folder' || visited.has(realPath) || isInside(skill.realPath, realPath)) continue;
      visited.add(realPath);
      waiting.push({ filename, realPath });
    }
  }
  return inOrder(files);
}

function inOrder(files: Listed[]): Listed[] {
  return files.sort((a, b) => compareCodePoints(a.filename, b.filename));
}

/** Whether a link leads to something hidden, which would be left out without the link. */
function leadsToHidden(from: string, target: string): boolean {
  return pathInside(from, target)
    .split('/')
    .some((segment) => segment.startsWith('.') && segment !== '..' && segment !== '.');
}
