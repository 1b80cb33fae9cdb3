import { basename } from 'node:path';
import { isInside } from '../../core/index.js';
import { UNKNOWN } from '../../skill.js';
import { AheadAllowance } from '../folder/ahead-allowance.js';
import { LinkRoots } from '../folder/follow-link.js';
import { publicationOf } from '../folder/publication.js';
import { readAhead } from '../folder/read-ahead.js';
import { AHEAD_BYTES, readSkill, SKILLS_AHEAD } from '../folder/read-skill.js';

import type { ReadOptions } from '../rows/read-options.js';
import type { SourceItem } from '../rows/row.js';
import type { FoundFolders } from './find-folders.js';
import type { InstalledOptions } from './installed-options.js';
import { shownPath } from './shown-path.js';
import { type InstalledSkill, locationOf, walkInstalled } from './walk-installed.js';

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
    const publication = { ...publicationOf(found, undefined, UNKNOWN, options), location: locationOf(skill) };
    const item = await readSkill(found, {
      origin: { source: `${shownPath(found.realPath, home)}/${found.skillFile}` },
      publication,
      git: undefined,
      // A file may be a link inside the agent's folder only: else a project could bring in what is the user's.
      roots: new LinkRoots(root.path),
      baseName: basename(found.realPath),
      contents,
      signal,
      admit: new AheadAllowance(AHEAD_BYTES, turn).admit,
    });
    return item.kind === 'row' ? { ...item, installations } : item;
  });
}

/** Whether a skill lies in one of these folders, or is reached through it. */
function liesIn({ found, installations }: InstalledSkill, folders: readonly string[]): boolean {
  const paths = [found.realPath, ...installations.map(({ path }) => path)];
  return folders.some((folder) => paths.some((path) => isInside(path, folder)));
}
