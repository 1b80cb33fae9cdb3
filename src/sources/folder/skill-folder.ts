import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { GIT_REPOSITORY_SECONDS, GIT_SOURCE_SECONDS, MAX_FILE_BYTES } from '../../limits.js';
import { UNKNOWN } from '../../skill.js';
import { isBlank } from '../rows/clean-text.js';
import type { DraftContents } from '../rows/draft-contents.js';
import type { ReadOptions } from '../rows/read-options.js';
import type { RawRow, SourceItem, SourceRemark, UnreadableRow } from '../rows/row.js';
import type { ResolvedSource, SourceKind } from '../rows/source-kind.js';
import { type Admit, AheadAllowance } from './ahead-allowance.js';
import { collectedText } from './collected-text.js';
import { findSkillsIn } from './find-skills-in.js';
import { LinkRoots } from './follow-link.js';
import { readSkillMarkdown } from './front-matter.js';
import { type GitOrigin, GitOrigins, type GitProblem } from './git-origin.js';
import { listOnce, reasonOf } from './list-folder.js';
import { type Publication, publicationOf } from './publication.js';
import { readAhead } from './read-ahead.js';
import { collectContents, type ReadOutcome } from './skill-contents.js';
import { collectFiles } from './skill-files.js';
import { skillMarkdownRow } from './skill-markdown-row.js';
import { isInside, joinPath, pathInside } from './source-paths.js';
import { type FoundSkill, walkFolder } from './walk-folder.js';

/** Skills that are read at the same time. */
const SKILLS_AHEAD = 8;

/** Bytes of a skill that are read ahead. Of a larger one, which may take 16 MiB, the rest waits for its turn. */
const AHEAD_BYTES = 2 * 1024 * 1024;

/** A folder with SKILL.md files at any depth. */
export const SKILL_FOLDER: SourceKind = {
  name: 'folder',
  description: 'a folder',
  isPath: (_, found) => found.isDirectory(),
  read: readSkillFolder,
};

/**
 * The skills of a folder: one row for each SKILL.md, in the order of their paths, in the form of a JSON row. Memory
 * holds the paths of all and the texts of a few skills at a time.
 */
async function* readSkillFolder(source: ResolvedSource, options: ReadOptions): AsyncGenerator<SourceItem> {
  const { signal, gitTimeout = GIT_REPOSITORY_SECONDS * 1000, gitBudget = GIT_SOURCE_SECONDS * 1000 } = options;
  const name = source.name.replace(/(?<=.)[/\\]+$/, '');
  const realRoot = await realpath(source.path);
  const roots = new LinkRoots(realRoot, options.linkRoots);
  const walk = await (options.folders === undefined
    ? walkFolder(roots, name, signal)
    : findSkillsIn(options.folders, realRoot, signal));
  const originsIn = new Map<string, GitOrigins>();
  const gitOf = async (folder: string): Promise<GitOrigin | undefined> => {
    if (options.git === false) return undefined;
    const root = roots.rootOf(folder) ?? realRoot;
    let origins = originsIn.get(root);
    if (origins === undefined) {
      origins = new GitOrigins(root, walk.repositories, { timeout: gitTimeout, budget: gitBudget, signal });
      originsIn.set(root, origins);
    }
    return origins.of(folder);
  };
  const baseName = basename(source.path) || UNKNOWN;
  const contents = options.contents !== false;

  yield* walk.problems;
  try {
    const read = readAhead(walk.skills, SKILLS_AHEAD, async (skill, turn) => {
      signal?.throwIfAborted();
      const git = await gitOf(skill.realPath);
      const publication = publicationOf(skill, git, baseName, options);
      const origin = { source: `${name}/${joinPath(skill.path, skill.skillFile)}` };
      const { admit } = new AheadAllowance(AHEAD_BYTES, turn);
      return readSkill(skill, { origin, publication, git, roots, baseName, contents, signal, admit });
    });
    yield* read;
    for (const [root, { problems }] of originsIn) {
      for (const problem of problems) yield gitRemark(problem, root === realRoot ? name : basename(root), root);
    }
  } finally {
    await Promise.all([...originsIn.values()].map((origins) => origins.close()));
  }
}

function gitRemark({ root, message, hidesRemote }: GitProblem, name: string, realRoot: string): SourceRemark {
  // Says nothing of where a repository above the source lies.
  const inside = isInside(root, realRoot) ? joinPath(pathInside(realRoot, root), '.git') : '';
  const origin = { source: inside === '' ? name : `${name}/${inside}` };
  return { kind: 'remark', origin, message, ...(hidesRemote && { hidesSkills: true as const }) };
}

/** What is known of a skill before its files are read. */
interface Surroundings {
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

async function readSkill(
  skill: FoundSkill,
  { origin, publication, git, roots, baseName, contents, signal, admit }: Surroundings,
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
