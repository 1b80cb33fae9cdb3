import { basename, join, resolve } from 'node:path';
import { compareCodePoints, isInside, readAhead, realPathOrSelf } from '../../core/index.js';
import { type SkillInstallation, UNKNOWN } from '../../skill.js';
import { readSkill, SKILLS_AHEAD } from '../folder/read-skill.js';
import { publishedPlaceOf } from '../folder/skill-folder.js';
import { LinkRoots, type WalkedSkill, walkFolder } from '../folder/walk-folder.js';
import type { ReadOptions, SourceItem } from '../rows/row.js';
import { joinPath, pathInside, systemReason } from '../rows/texts.js';
import { type AgentProblem, type InstalledOptions, shownPath } from './agents.js';
import { type FoundFolders, findFolders, type InstalledFolder, type LinkRoot } from './find-folders.js';

/** What a reader of installed skills is told, and says, beside options and rows. */
export interface InstalledReading {
  /** The folders, if they were found already, with the same options. */
  readonly found?: FoundFolders | undefined;
  /** Called before the first row with the number of folders that there are. */
  onFolders?(count: number): void;
}

/**
 * The skills that are installed on this machine: one row for each, in the order of their real paths, with its
 * installations. Git is asked nothing, and nothing else is executed: a skill has its folder as its origin, and the
 * times of its files. If folders are named, only the skills in them are read.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`
 * @throws the signal's reason when aborted
 */
export async function* readInstalled(
  installed: InstalledOptions,
  options: ReadOptions,
  { found: given, onFolders }: InstalledReading = {},
): AsyncGenerator<SourceItem> {
  const { signal } = options;
  const { skills, folders, problems, home } = await walkInstalled(installed, signal, given);
  onFolders?.(folders.length);
  for (const { path, message, hidesSkills, hidingFolders } of problems) {
    const origin = { source: shownPath(path, home) };
    yield {
      kind: 'remark',
      origin,
      message,
      ...(hidesSkills === true && { hidesSkills }),
      ...(hidingFolders !== undefined && { hidingFolders }),
    };
  }
  const contents = options.contents !== false;
  const wanted = options.folders === undefined ? skills : skills.filter((skill) => liesIn(skill, options.folders!));
  yield* readAhead(wanted, SKILLS_AHEAD, async (skill, turn) => {
    signal?.throwIfAborted();
    const { found, root, installations } = skill;
    // Says where a skill lies, for its id: the plugin that it belongs to, or `skills`, and the path inside its folder.
    const location = joinPath(root.plugin ?? 'skills', found.path === '' ? basename(found.realPath) : found.path);
    const publication = { ...publishedPlaceOf(found, undefined, UNKNOWN, options), location };
    const item = await readSkill(found, {
      origin: { source: `${shownPath(found.realPath, home)}/${found.skillFile}` },
      publication,
      git: undefined,
      // A file may be a link inside the agent's folder only: else a project could bring in what is the user's.
      roots: new LinkRoots(root.path),
      baseName: basename(found.realPath),
      contents,
      signal,
      turn,
    });
    return item.kind === 'row' ? { ...item, installations } : item;
  });
}

/** Whether a skill lies in one of these folders, or is reached through it. */
function liesIn({ found, installations }: SkillOfAgents, folders: readonly string[]): boolean {
  const paths = [found.realPath, ...installations.map(({ path }) => path)];
  return folders.some((folder) => paths.some((path) => isInside(path, folder)));
}

/** Folders below one folder of an agent that are entered. A thousand skills have some five thousand. */
const MAX_INSTALLED_FOLDERS = 50_000;

/** Where an agent has a skill. */
export interface Installation extends SkillInstallation {
  /** Absolute path of the skill's folder, as the agent reaches it. */
  readonly path: string;
}

/** One skill, however many agents have it. */
export interface SkillOfAgents {
  /** With the path inside its root. */
  readonly found: WalkedSkill;
  /** The agents' folder that it really lies in. */
  readonly root: LinkRoot;
  /** In the order of the folders. */
  readonly installations: readonly Installation[];
  /** For each installation the number of its folder among `folders`. */
  readonly folderNumbers: readonly number[];
}

/** What kept a walk from finding skills, or links. */
interface WalkProblem extends AgentProblem {
  /** The folders that hidden skills lie in, absolute, without symbolic links; undefined if nobody knows. */
  readonly hidingFolders?: readonly string[];
}

/** What the agents of a machine have. */
export interface InstalledWalk extends FoundFolders {
  /** In code-point order of their real paths. */
  readonly skills: readonly SkillOfAgents[];
  /** The folders that could not be listed; the others were read. */
  readonly problems: readonly WalkProblem[];
}

/**
 * Finds the skills in the folders of agents. A skill that is reached through several folders, or through links, is one
 * skill: its real SKILL.md says which.
 *
 * @param given the folders, if they were found already, with the same options
 * @throws {SkillSearchError} `INVALID_OPTION`
 * @throws the signal's reason when aborted
 */
export async function walkInstalled(
  options: InstalledOptions = {},
  signal?: AbortSignal,
  given?: FoundFolders,
): Promise<InstalledWalk> {
  const found = given ?? (await findFolders(options));
  const skills = new Map<string, Draft>();
  const problems = new Map<string, WalkProblem>();
  const note = (problem: WalkProblem): unknown => problems.set(`${problem.path}\0${problem.message}`, problem);
  for (const problem of found.problems) note(problem);
  const paths = found.roots.map(({ path }) => path);
  const walked = new Set(found.folders.map(({ path }) => path));
  // Of a folder that nobody walks through, skills are found by links alone, and these may be hidden.
  const linked = paths.filter((path) => !walked.has(path));
  const hiding = async (path: string): Promise<Partial<WalkProblem>> => ({
    hidesSkills: true,
    hidingFolders: [await realPathOrSelf(path), ...linked],
  });
  for (const root of walked) {
    try {
      const walk = await walkFolder(new LinkRoots(root, paths, ALL), root, {
        signal,
        maxFolders: MAX_INSTALLED_FOLDERS,
      });
      for (const problem of walk.problems) {
        const message = problem.kind === 'remark' ? problem.message : problem.reason;
        const path = resolve(problem.origin.source);
        const hides = problem.kind === 'unreadable' || problem.hidesSkills === true;
        note({ path, message, ...(hides && (await hiding(path))) });
      }
      for (const skill of walk.skills) addSkill(skills, skill, root, found.folders);
    } catch (error) {
      signal?.throwIfAborted();
      const { cause = error } = error as Error;
      note({ path: root, message: `cannot be read: ${systemReason(cause)}`, ...(await hiding(root)) });
    }
  }
  return { ...found, skills: inOrder(skills, found.roots), problems: [...problems.values()] };
}

const ALL = "the agents' folders";

/** A skill while the folders are walked through. */
interface Draft {
  readonly found: WalkedSkill;
  /** With the place of its folder among all. */
  readonly reached: { readonly installation: Installation; readonly rank: number }[];
}

/**
 * Adds a skill, or further installations of one. A folder inside another one of the same agent has its own skills.
 *
 * @param root the folder that was walked through
 */
function addSkill(
  skills: Map<string, Draft>,
  found: WalkedSkill,
  root: string,
  folders: readonly InstalledFolder[],
): void {
  const path = found.path === '' ? root : join(root, found.path);
  const reached = folders.flatMap((folder, rank) => {
    const { agent, scope, plugin } = folder;
    const isInner = (other: InstalledFolder): boolean =>
      other.agent === agent && other.path !== root && isInside(other.path, root) && isInside(path, other.path);
    if (folder.path !== root || folders.some(isInner)) return [];
    return [{ installation: { agent, scope, path, ...(plugin !== undefined && { plugin }) }, rank }];
  });
  const known = skills.get(found.realSkillFile);
  if (known !== undefined) known.reached.push(...reached);
  else if (reached.length > 0) skills.set(found.realSkillFile, { found, reached });
}

function inOrder(skills: ReadonlyMap<string, Draft>, roots: readonly LinkRoot[]): SkillOfAgents[] {
  // The innermost first.
  const byDepth = [...roots].sort((a, b) => b.path.length - a.path.length);
  return [...skills.values()]
    .map(({ found, reached }) => {
      const root = byDepth.find(({ path }) => isInside(found.realPath, path))!;
      reached.sort((a, b) => a.rank - b.rank);
      return {
        found: { ...found, path: pathInside(root.path, found.realPath) },
        root,
        installations: reached.map(({ installation }) => installation),
        folderNumbers: reached.map(({ rank }) => rank),
      };
    })
    .sort((a, b) => compareCodePoints(a.found.realPath, b.found.realPath));
}
