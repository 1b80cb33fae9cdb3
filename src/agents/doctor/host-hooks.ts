import { constants, existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { isObject, joinPaths, readConfigFile, reasonOf, type Surroundings } from '../../core/index.js';
import { type AgentEntry, type AgentHost, entriesOf, type PathOfHost, pathOf } from '../init/agent-hosts.js';
import { CONFIG_FORMATS, type ConfigFormat, entriesAt } from '../init/config-formats.js';

/** What keeps an agent from calling the hook, and what to do. */
export interface HookFault {
  readonly problem: string;
  readonly remedy: string;
}

/** What the configuration of an agent says of us. */
export interface InspectedHost {
  readonly host: AgentHost;
  /** The words of the hook's command; undefined if there is none. */
  readonly hook: readonly string[] | undefined;
  /** Whether it could tell which skills it loads, and was not asked to. */
  readonly hidesUse: boolean;
  /** Paths in commands of ours where nothing is. */
  readonly missing: readonly string[];
  readonly faults: readonly HookFault[];
}

/**
 * Looks at the configuration of an agent, and at those that can switch its hooks off. Commands are read, not run.
 *
 * @param levels folders of the project, the nearest first
 */
export function inspectHost(host: AgentHost, of: Surroundings, levels: readonly string[]): InspectedHost {
  const faults = new Map<string, HookFault>();
  const ours: { readonly part: AgentEntry['part']; readonly words: readonly string[] }[] = [];
  const entries = entriesOf(host, of, { node: '', entry: '', database: '', namesDatabase: false, semantic: true });
  for (const { part, file, format, place } of entries) {
    try {
      const config = configIn(file, format);
      const values = entriesAt(config, place(config));
      const commands = values.flatMap((one) => (isObject(one) && Array.isArray(one['hooks']) ? one['hooks'] : [one]));
      ours.push(...commands.map((one) => ({ part, words: wordsOf(one) })).filter(({ words }) => startOf(words) > 0));
    } catch (error) {
      faults.set(file, { problem: `${file}: ${reasonOf(error)}`, remedy: 'mend the file' });
    }
  }
  const isUse = ({ part }: { readonly part: string }): boolean => part === 'use';
  const hook = ours.find(({ part }) => part === 'hook')?.words;
  const paths = ours.flatMap(({ words }) => [...words.slice(0, startOf(words)), databaseOf(words) ?? '']);
  return {
    ...{ host, hook, hidesUse: entries.some(isUse) && !ours.some(isUse) },
    missing: paths.filter((path) => isAbsolute(path) && !existsSync(path)),
    faults: [...faults.values(), ...(hook === undefined ? [] : switchedOff(host, of, levels))],
  };
}

/** What our command line begins with, whatever it was installed as. */
const OURS = /skill-discovery|[\\/]cli[\\/]main\.js$/;

/** Where in a command the name of ours stands; -1 if it is none. */
function startOf(words: readonly string[]): number {
  return words.findIndex((word, at) => (word === 'hook' || word === 'mcp') && OURS.test(words[at - 1] ?? ''));
}

/** The catalogue that a command names. */
export function databaseOf(words: readonly string[]): string | undefined {
  const at = words.indexOf('--database');
  return at === -1 ? undefined : words[at + 1];
}

/** The words of a command, as agents write one: a line for a shell, a program with arguments, or a list. */
function wordsOf(value: unknown): readonly string[] {
  const { command, args } = isObject(value) ? value : {};
  const words = Array.isArray(command) ? command : Array.isArray(args) ? [command, ...args] : undefined;
  if (words !== undefined) return words.filter((word) => typeof word === 'string');
  if (typeof command !== 'string') return [];
  const parts = command.match(/(?:[^\s'"\\]|'[^']*'|"[^"]*"|\\.)+/g) ?? [];
  return parts.map((part) => part.replace(/'([^']*)'|"([^"]*)"|\\(.)/g, '$1$2$3'));
}

/** A setting with which an agent calls no hook of its user. */
interface Switch {
  readonly setting: string;
  readonly off: boolean;
  /** Files that have it, each over those before it. Those that begin with a dot lie in the folders of a project. */
  readonly files: readonly string[];
}

/** The settings of the agents that can call the hook, by their names. */
const SWITCHES: Readonly<Record<string, Switch>> = {
  'claude-code': {
    ...{ setting: 'disableAllHooks', off: true },
    files: ['$claude/settings.json', './.claude/settings.json', './.claude/settings.local.json'],
  },
  codex: { setting: 'features.hooks', off: false, files: ['$codex/config.toml', './.codex/config.toml'] },
  'gemini-cli': {
    ...{ setting: 'hooksConfig.enabled', off: false },
    files: ['~/.gemini/settings.json', './.gemini/settings.json'],
  },
};

function switchedOff({ name, title }: AgentHost, of: Surroundings, levels: readonly string[]): readonly HookFault[] {
  const { setting = '', off, files = [] } = SWITCHES[name] ?? {};
  const paths = files.flatMap((file) => {
    if (file.startsWith('.')) return levels.map((level) => joinPaths(of, level, file)).reverse();
    return pathOf(file as PathOfHost, of);
  });
  const file = paths.findLast((path) => valueAt(path, setting) !== undefined);
  if (file === undefined || valueAt(file, setting) !== off) return [];
  const problem = `${title} does not call the hook, because of ${setting} = ${off} in ${file}`;
  return [{ problem, remedy: 'take that out, or ask who manages it' }];
}

/** A value in a configuration; undefined if there is none, or the file cannot be read. */
function valueAt(file: string, setting: string): unknown {
  try {
    const config = configIn(file, file.endsWith('.toml') ? 'toml' : 'json');
    return setting.split('.').reduce((value, key) => (isObject(value) ? value[key] : undefined), config);
  } catch {
    return undefined;
  }
}

/** @throws {ConfigFault} if it cannot be read */
function configIn(file: string, format: ConfigFormat['name']): unknown {
  return CONFIG_FORMATS[format].parse(readConfigFile(file, undefined, constants.R_OK).text ?? '');
}
