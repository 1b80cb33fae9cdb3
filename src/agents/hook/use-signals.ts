import { existsSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { appendUsage, readUsage, usageSession } from '../../core/index.js';
import { catalogueSearchOf, openSkillSearch, type SkillSearch } from '../../search/index.js';
import type { HookFormat, ToolCall } from './host-format.js';

/** What a host says of a tool that has run. */
export interface ToolUse {
  readonly tool: ToolCall;
  readonly session: string;
  readonly host: HookFormat;
  /** Working folder of the host. */
  readonly cwd: string;
  readonly database: string;
}

/** Tools that load a skill by its name. */
const LOADERS = ['Skill', 'activate_skill'];

/** The path of a SKILL.md, also one in a line for a shell. */
const MANIFEST = /(?:[^\s'"]|(?<=\\) ){1,1000}[/\\]SKILL\.md(?=$|[\s'"])/g;

/** So much of a text is looked through for one: what is longer is written somewhere, not loaded. */
const LOOKED_THROUGH = 10_000;

/** Skills that are looked through for one at a path. A home has fewer. */
const MOST_SKILLS = 5000;

/**
 * Notes the skills that a tool has loaded, as uses for what was asked last in the session.
 *
 * @throws {SkillSearchError} as `openSkillSearch`
 */
export async function noteToolUse({ tool, session: id, host, cwd, database }: ToolUse): Promise<void> {
  const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
  const { skill, command, name } = tool.input;
  const isLoader = LOADERS.includes(tool.name);
  const names = isLoader ? [skill, command, name].filter(isText).slice(0, 1) : [];
  const texts = isLoader ? [] : Object.values(tool.input).map((value) => String(value).slice(0, LOOKED_THROUGH));
  const paths = texts.flatMap((text) => text.match(MANIFEST) ?? []);
  if (names.length + paths.length === 0 || !existsSync(database)) return;
  await using search = await openSkillSearch({ database, graph: false, localPaths: true });
  const found = [
    ...names.map((one) => named(search, one, host)),
    ...paths.map((path) => skillAt(search, resolve(cwd, dirname(path)))),
  ];
  const skills = [...new Set(found.filter((one) => one !== undefined))];
  if (skills.length === 0) return;
  const session = usageSession(id);
  const asked = readUsage(database).findLast((entry) => entry.session === session && entry.kind === 'shown');
  const { vector, model } = asked ?? {};
  const question = vector !== undefined && model !== undefined && { vector, model };
  const time = Math.floor(Date.now() / 1000);
  appendUsage(database, { time, host, session, kind: 'used', skills, ...question });
}

/** The skill that a host knows by a name, such as `pdf` or `document-skills:pdf`: one that this host has, if any. */
function named(search: SkillSearch, wanted: string, host: string): string | undefined {
  const name = wanted.slice(wanted.lastIndexOf(':') + 1).trim();
  const { hits } = search.keyword({ q: name, sortBy: 'relevance', copies: 'keep', limit: 50 });
  const skills = hits.map(({ skill }) => skill).filter((skill) => skill.name === name);
  const ofHost = skills.find(({ installations }) => installations?.some(({ agent }) => agent === host));
  return (ofHost ?? skills[0])?.id;
}

/** The skill whose folder this is, or is a link to. */
function skillAt(search: SkillSearch, folder: string): string | undefined {
  if (search.stats().skills > MOST_SKILLS) return undefined;
  const folders = [folder, ...(existsSync(folder) ? [realpathSync(folder)] : [])];
  const catalogue = catalogueSearchOf(search);
  return search.ids().find((id) => {
    const { localPath, installations = [] } = catalogue.localPathsOf(id);
    return [localPath, ...installations.map(({ path }) => path)].some((path) => folders.includes(path ?? ''));
  });
}
