import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { appendUsage, isUsageOff, readUsage, usageSession } from '../../core/index.js';
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

/** Tools that load a skill by its name, and where they are told it. */
const LOADERS: Readonly<Record<string, readonly string[]>> = {
  Skill: ['skill', 'command'],
  activate_skill: ['name'],
};

/** The path of a SKILL.md, also one in a line for a shell. */
const MANIFEST = /(?:[^\s'"]|(?<=\\) )+[/\\]SKILL\.md(?=$|[\s'"])/g;

/** Skills that are looked through for one at a path. A home has fewer. */
const MOST_SKILLS = 5000;

/**
 * Notes the skills that a tool has loaded, as uses for what was asked last in the session.
 *
 * @throws {SkillSearchError} as `openSkillSearch`
 */
export async function noteToolUse({ tool, session: id, host, cwd, database }: ToolUse): Promise<void> {
  const names = (LOADERS[tool.name] ?? []).flatMap((key) => textOf(tool.input[key]) ?? []).slice(0, 1);
  const isLoader = tool.name in LOADERS;
  const texts = isLoader ? [] : Object.values(tool.input).flatMap((value) => textOf(value) ?? []);
  const folders = texts.flatMap((text) => text.match(MANIFEST) ?? []).map((path) => resolve(cwd, dirname(path)));
  if (names.length + folders.length === 0 || isUsageOff() || !existsSync(database)) return;
  await using search = await openSkillSearch({ database, graph: false, localPaths: true });
  const skills = [...names.map((name) => named(search, name, host)), ...folders.map((path) => skillAt(search, path))];
  const used = [...new Set(skills.filter((skill) => skill !== undefined))];
  if (used.length === 0) return;
  const session = usageSession(id);
  const asked = readUsage(database).findLast((entry) => entry.session === session && entry.kind === 'shown');
  const { vector, model } = asked ?? {};
  const question = vector !== undefined && model !== undefined && { vector, model };
  appendUsage(database, {
    time: Math.floor(Date.now() / 1000),
    host,
    session,
    kind: 'used',
    skills: used,
    ...question,
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
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
  if (!isAbsolute(folder) || search.stats().skills > MOST_SKILLS) return undefined;
  const folders = [folder, ...(existsSync(folder) ? [realpathSync(folder)] : [])];
  const { localPathsOf } = catalogueSearchOf(search);
  return search.ids().find((id) => {
    const { localPath, installations = [] } = localPathsOf.call(search, id);
    return [localPath, ...installations.map(({ path }) => path)].some((path) => folders.includes(path ?? ''));
  });
}
