import { realpath } from 'node:fs/promises';
import { basename, relative, sep } from 'node:path';

import { UNKNOWN } from '../../skill.js';
import { cleanText, isBlank } from '../rows/clean-text.js';
import { MAX_FILE_BYTES } from '../rows/limits.js';
import type { ReadOptions, ResolvedSource } from '../rows/read-options.js';
import type { RawRow, SourceItem, UnreadableRow } from '../rows/row.js';
import { deriveId } from '../rows/skill-id.js';
import { readSkillMarkdown } from './front-matter.js';
import { type GitOrigin, GitOrigins } from './git-origin.js';
import { readAhead } from './read-ahead.js';
import { type CollectedFile, collectFiles } from './skill-files.js';
import { skillMarkdownRow } from './skill-markdown-row.js';
import { readTextFile } from './text-file.js';
import { type FoundSkill, joinPath, reasonOf, walkFolder } from './walk-folder.js';

const GIT_TIMEOUT = 20_000;

/** How many skills are read at once; each may hold 16 MiB. */
const SKILLS_AHEAD = 8;

/**
 * The skills of a folder: one row for each SKILL.md at any depth, in the order of their paths, in the shape of a JSON
 * row. Memory holds the paths of all and the text of a few skills at a time.
 *
 * Throws an Error where the folder itself cannot be read, and the signal's reason where aborted.
 */
export async function* readSkillFolders(source: ResolvedSource, options: ReadOptions): AsyncGenerator<SourceItem> {
  const { signal, gitTimeout = GIT_TIMEOUT } = options;
  const name = source.name.replace(/(?<=.)[/\\]+$/, '');
  const realRoot = await realpath(source.path);
  const walk = await walkFolder(source.path, name, signal);
  const git = new GitOrigins(realRoot, walk.repositories, { timeout: gitTimeout, signal });
  const baseName = basename(source.path) || UNKNOWN;

  yield* walk.problems;
  yield* readAhead(walk.skills, SKILLS_AHEAD, async (skill) => {
    signal?.throwIfAborted();
    const origin = { source: `${name}/${joinPath(skill.path, skill.skillFile)}` };
    const place = placeOf(skill, await git.of(skill.realPath), baseName, options);
    return readSkill(skill, origin, place, { realRoot, baseName, signal });
  });
}

/** Where a skill is published, as far as git or the options tell. */
interface Place {
  readonly place: string;
  readonly author: string;
  readonly codehostUrl: string;
  readonly skillUrl: string;
  /** Commit time of one of its files, in Unix seconds. */
  readonly committedAt: (realPath: string) => number | undefined;
}

interface Surroundings {
  readonly realRoot: string;
  readonly baseName: string;
  readonly signal: AbortSignal | undefined;
}

async function readSkill(
  skill: FoundSkill,
  origin: RawRow['origin'],
  place: Place,
  { realRoot, baseName, signal }: Surroundings,
): Promise<RawRow | UnreadableRow> {
  const warnings: string[] = [];
  const unreadable = (reason: string): UnreadableRow => ({ kind: 'unreadable', origin, reason, place: place.place });
  try {
    const file = await readTextFile(skill.realSkillFile, { force: true });
    if (file.kind !== 'text') return unreadable('not a regular file');
    if (isBlank(file.text)) return unreadable('empty: neither front matter nor text');
    if (file.cut) warnings.push(`SKILL.md: cut at ${MAX_FILE_BYTES / 1024 / 1024} MiB`);
    if (file.repaired) warnings.push('SKILL.md: bytes that are not UTF-8 were replaced');

    const markdown = readSkillMarkdown(file.text);
    const collected = await collectFiles(skill, realRoot, file.bytes, signal);
    const others = collected.files.map(({ filename, text }) => ({ filename, text }));
    const all: Pick<CollectedFile, 'realPath' | 'changedAt'>[] = [
      { realPath: skill.realSkillFile, changedAt: file.changedAt },
      ...collected.files,
    ];
    const value = {
      ...skillMarkdownRow(markdown, skill.path === '' ? baseName : basename(skill.path)),
      author: place.author,
      codehostUrl: place.codehostUrl,
      skillUrl: place.skillUrl,
      stars: 0,
      updatedAt: all.reduce((newest, each) => Math.max(newest, place.committedAt(each.realPath) ?? each.changedAt), 0),
      files: [{ filename: 'SKILL.md', text: markdown.body }, ...others],
    };
    const told = [...warnings, ...markdown.warnings, ...collected.warnings];
    return { kind: 'row', origin, value, warnings: told, place: place.place };
  } catch (error) {
    signal?.throwIfAborted();
    return unreadable(`cannot be read: ${reasonOf(error)}`);
  }
}

function placeOf(skill: FoundSkill, git: GitOrigin | undefined, baseName: string, options: ReadOptions): Place {
  const committedAt = (realPath: string): number | undefined =>
    git?.committedAt.get(relative(git.root, realPath).split(sep).join('/'));
  const remote = git?.remote;
  const path =
    git === undefined || remote === undefined ? skill.path : relative(git.root, skill.realPath).split(sep).join('/');
  const place = joinPath(remote?.repository ?? baseName, path).replace(/\/$/, '');
  const tree = remote?.webUrl === undefined || path === '' ? remote?.webUrl : `${remote.webUrl}/tree/HEAD`;
  const codehostBase = tree ?? options.codehostBase;

  return {
    place,
    author: remote?.owner ?? options.author ?? UNKNOWN,
    codehostUrl: codehostBase === undefined ? UNKNOWN : underBase(codehostBase, tree === undefined ? skill.path : path),
    skillUrl: options.skillUrlBase === undefined ? UNKNOWN : underBase(options.skillUrlBase, deriveId(place).slug),
    committedAt,
  };
}

function underBase(base: string, path: string): string {
  const encoded = path.split('/').map(encodeSegment).join('/');
  return path === '' ? base.replace(/\/+$/, '') : `${base.replace(/\/+$/, '')}/${encoded}`;
}

function encodeSegment(segment: string): string {
  return encodeURIComponent(cleanText(segment));
}
