import { basename } from 'node:path';
import { MAX_FILE_BYTES } from '../../core/index.js';
import { isBlank } from '../rows/clean-text.js';
import type { DraftContents } from '../rows/draft-contents.js';
import type { RawRow, UnreadableRow } from '../rows/row.js';
import type { Admit } from './ahead-allowance.js';
import { collectedText } from './collected-text.js';
import type { LinkRoots } from './follow-link.js';
import { readSkillMarkdown } from './front-matter.js';
import type { GitOrigin } from './git-origin.js';
import { listOnce, reasonOf } from './list-folder.js';
import type { Publication } from './publication.js';
import { collectContents, type ReadOutcome } from './skill-contents.js';
import { collectFiles } from './skill-files.js';
import { skillMarkdownRow } from './skill-markdown-row.js';
import { pathInside } from './source-paths.js';
import type { FoundSkill } from './walk-folder.js';

/** Skills that are read at the same time. */
export const SKILLS_AHEAD = 8;

/** Bytes of a skill that are read ahead. Of a larger one, which may take 16 MiB, the rest waits for its turn. */
export const AHEAD_BYTES: number = 2 * 1024 * 1024;

/** What is known of a skill before its files are read. */
export interface SkillSurroundings {
  readonly origin: RawRow['origin'];
  readonly publication: Publication;
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
  skill: FoundSkill,
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
    return unreadable(`cannot be read: ${reasonOf(error)}`);
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
