import { existsSync } from 'node:fs';
import { readUsage, type UsageEntry, usageFile } from '../../core/index.js';

/** What logs of use say, in sums. */
export interface UsageReport {
  /** Logs that are there. */
  readonly files: readonly string[];
  readonly lines: number;
  /** Unix time in seconds of the first line; absent without lines. */
  readonly since?: number;
  /** Prompts that a hook was called for. */
  readonly prompts: number;
  /** Those beside which skills were put. */
  readonly answered: number;
  readonly tokensPerDay: number;
  /** By host: Unix time in seconds of its last line. */
  readonly lastByHost: Readonly<Record<string, number>>;
  /** In how many sessions each skill was shown, and in how many of these it was loaded; the most shown first. */
  readonly skills: readonly { readonly id: string; readonly shown: number; readonly loaded: number }[];
}

/** Those that ask without a prompt. */
const NO_HOOKS = ['mcp', 'library'];

/** @param databases paths of catalogues; those without a log do not count */
export function reportUsage(databases: readonly string[]): UsageReport {
  // Several paths may lead to a catalogue.
  const byFile = new Map(databases.map((database) => [usageFile(database), database]));
  const files = [...byFile.keys()].filter((file) => existsSync(file));
  const entries = [...byFile.values()].flatMap(readUsage).sort((a, b) => a.time - b.time);
  const prompts = entries.filter(({ kind, host }) => kind === 'shown' && !NO_HOOKS.includes(host));
  const days = new Set(entries.map(({ time }) => Math.floor(time / 86_400)));
  const tokens = entries.reduce((sum, entry) => sum + (entry.tokens ?? 0), 0);
  return {
    ...{ files, lines: entries.length, ...(entries[0] !== undefined && { since: entries[0].time }) },
    prompts: prompts.length,
    answered: prompts.filter(({ skills }) => skills.length > 0).length,
    tokensPerDay: Math.round(tokens / Math.max(1, days.size)),
    lastByHost: Object.fromEntries(entries.map(({ host, time }) => [host, time])),
    skills: skillsOf(entries),
  };
}

function skillsOf(entries: readonly UsageEntry[]): UsageReport['skills'] {
  const sessionsOf = new Map<string, Readonly<Record<UsageEntry['kind'], Set<string>>>>();
  for (const { session, kind, skills } of entries) {
    for (const id of skills) {
      const sessions = sessionsOf.get(id) ?? { shown: new Set(), used: new Set() };
      sessionsOf.set(id, sessions);
      sessions[kind].add(session);
    }
  }
  const sums = Array.from(sessionsOf, ([id, { shown, used }]) => {
    return { id, shown: shown.size, loaded: [...shown].filter((session) => used.has(session)).length };
  });
  return sums.sort((a, b) => b.shown - a.shown || b.loaded - a.loaded || (a.id < b.id ? -1 : 1));
}
