import { isAbsolute } from 'node:path';
import { MAX_NAME } from '../../core/index.js';
import { SKILL_SCOPES, type SkillInstallation } from '../../skill.js';
import { cleanText, cutCodePoints, isBlank, withoutControls } from './clean-text.js';
import type { RawRow } from './row.js';
import { MAX_LOCATION } from './row-files.js';

/** Longest name of an agent, in characters. It is a slug, and stands in an address. */
const MAX_AGENT = 64;

/** Largest number of installations of one skill. There are some seventy agents, and each has a few scopes. */
const MAX_INSTALLATIONS = 256;

const AGENT = new RegExp(`^[a-z0-9-]{1,${MAX_AGENT}}$`);

/**
 * The installations of a row: those that its source found, or those that the row itself names. A row may come from
 * anybody, so no path is taken from it: agents read, and people run, what lies at such a path.
 *
 * @param named what the row has in its field `installations`
 * @param warnings gets one for each installation that is left out
 */
export function readInstallations(row: RawRow, named: unknown, warnings: string[]): readonly SkillInstallation[] {
  const given = row.installations ?? named;
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) {
    warnings.push('installations: expected a list; left out');
    return [];
  }
  const found = new Map<string, SkillInstallation>();
  for (const value of given.slice(0, MAX_INSTALLATIONS) as readonly unknown[]) {
    const installation = readInstallation(value, row.installations !== undefined);
    if (typeof installation === 'string') warnings.push(`installations: ${installation}; left out`);
    else found.set(JSON.stringify(installation), installation);
  }
  const left = given.length - MAX_INSTALLATIONS;
  if (left > 0) warnings.push(`installations: more than ${MAX_INSTALLATIONS}; the last ${left} are left out`);
  return [...found.values()];
}

/** @returns what is wrong with it, if it is no installation */
function readInstallation(value: unknown, withPath: boolean): SkillInstallation | string {
  if (typeof value !== 'object' || value === null) return 'one that is no object';
  const { agent, scope: named, plugin: ofPlugin, path } = value as Readonly<Record<string, unknown>>;
  if (typeof agent !== 'string' || !AGENT.test(agent)) {
    return `one whose agent is no slug of at most ${MAX_AGENT} characters`;
  }
  const scope = SKILL_SCOPES.find((one) => one === named);
  if (scope === undefined) return `one whose scope is none of ${SKILL_SCOPES.join(', ')}`;
  const plugin = readPlugin(ofPlugin);
  if (withPath && !isFolderPath(path)) return 'one whose path is not absolute, or no text that can be stored';
  return {
    agent,
    scope,
    ...(withPath && { path: path as string }),
    ...(plugin !== undefined && { plugin }),
  };
}

function readPlugin(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const plugin = cutCodePoints(withoutControls(value.slice(0, MAX_LOCATION)), MAX_NAME);
  return isBlank(plugin) ? undefined : plugin;
}

function isFolderPath(path: unknown): path is string {
  return typeof path === 'string' && path.length <= MAX_LOCATION && isAbsolute(path) && cleanText(path) === path;
}
