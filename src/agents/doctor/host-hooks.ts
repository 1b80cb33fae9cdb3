import { constants, existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { isObject, joinPaths, readConfigFile, reasonOf, type Surroundings } from '../../core/index.js';
import { type AgentHost, entriesOf, type PathOfHost, pathOf } from '../init/agent-hosts.js';
import { CONFIG_FORMATS, entriesAt } from '../init/config-formats.js';

/** What keeps an agent from calling the hook, and what to do. */
export interface HookFault {
  readonly problem: string;
  readonly remedy: string;
}

/** What the configuration of an agent says of us. */
export interface InspectedHost {
  /** Whether it can call a hook at prompts, as far as `init` knows. */
  readonly takesHook: boolean;
  /** The words of the hook's command; undefined if there is none. */
  readonly hook: readonly string[] | undefined;
  /** Whether it could tell which skills it loads, and was not asked to. */
  readonly hidesUse: boolean;
  /** Paths in commands of ours where nothing is. */
  readonly missing: readonly string[];
  readonly faults: readonly HookFault[];
  /** Whether the user must still tell it to trust the hook, if it was never called. */
  readonly needsReview: boolean;
}

/**
 * Looks at the configuration of an agent, and at those that can switch its hooks off. Commands are read, not run.
 *
 * @param levels folders of the project, the nearest first
 */
export function inspectHost(host: AgentHost, of: Surroundings, levels: readonly string[]): InspectedHost {
  const faults: HookFault[] = [];
  const ours: { readonly part: string; readonly words: readonly string[]; readonly key: string }[] = [];
  const entries = entriesOf(host, of, { node: '', entry: '', database: '', namesDatabase: false, semantic: true });
  for (const { part, file, format, place } of entries) {
    try {
      const { text = '' } = readConfigFile(file, undefined, constants.R_OK);
      const config = CONFIG_FORMATS[format].parse(text);
      for (const [group, value] of entriesAt(config, place(config)).entries()) {
        const inside = isObject(value) && Array.isArray(value['hooks']) ? value['hooks'] : [value];
        for (const [i, one] of inside.entries()) {
          const words = wordsOf(one);
          const isOurs = words.some((word, at) => isOurCommand(word) && OURS.test(words[at - 1] ?? ''));
          if (isOurs) ours.push({ part, words, key: `${file}:user_prompt_submit:${group}:${i}` });
        }
      }
    } catch (error) {
      const problem = `${file}: ${reasonOf(error)}`;
      // Several entries may stand in a file.
      if (!faults.some((one) => one.problem === problem)) faults.push({ problem, remedy: 'mend the file' });
    }
  }
  const hook = ours.find(({ part }) => part === 'hook');
  const isUse = ({ part }: { readonly part: string }): boolean => part === 'use';
  if (hook !== undefined) faults.push(...switchedOff(host, of, levels, hook.words));
  const paths = ours.flatMap(({ words }) => [...words.slice(0, words.findIndex(isOurCommand)), databaseOf(words)]);
  return {
    ...{ takesHook: entries.some(({ part }) => part === 'hook'), hook: hook?.words, faults },
    hidesUse: entries.some(isUse) && !ours.some(isUse),
    missing: paths.filter((path): path is string => path !== undefined && isAbsolute(path) && !existsSync(path)),
    needsReview: host.name === 'codex' && hook !== undefined && !isTrustedByCodex(hook.key, of),
  };
}

/** What our command line begins with, whatever it was installed as. */
const OURS = /skill-discovery|[\\/]cli[\\/]main\.js$/;

function isOurCommand(word: string): boolean {
  return word === 'hook' || word === 'mcp';
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

const CLAUDE_MANAGED: Partial<Record<NodeJS.Platform, string>> = {
  darwin: '/Library/Application Support/ClaudeCode/managed-settings.json',
  win32: 'C:\\Program Files\\ClaudeCode\\managed-settings.json',
};

/** The settings of the agents that can call the hook. Looked up in November 2026 in the pages named. */
function switchesOf({ name }: AgentHost, { platform, env }: Surroundings): readonly Switch[] {
  if (name === 'claude-code') {
    // code.claude.com/docs/en/hooks and /settings
    const managed = CLAUDE_MANAGED[platform] ?? '/etc/claude-code/managed-settings.json';
    const files = ['$claude/settings.json', './.claude/settings.json', './.claude/settings.local.json', managed];
    return [
      { setting: 'disableAllHooks', off: true, files },
      { setting: 'allowManagedHooksOnly', off: true, files: [managed] },
    ];
  }
  if (name === 'codex') {
    // developers.openai.com/codex/hooks; the second is an older name
    const managed = '/etc/codex/requirements.toml';
    const files = ['/etc/codex/config.toml', '$codex/config.toml', './.codex/config.toml', managed];
    return [
      { setting: 'features.hooks', off: false, files },
      { setting: 'features.codex_hooks', off: false, files },
      { setting: 'allow_managed_hooks_only', off: true, files: [managed] },
    ];
  }
  // geminicli.com/docs/reference/configuration
  const folder = platform === 'darwin' ? '/Library/Application Support/GeminiCli' : '/etc/gemini-cli';
  const system = env['GEMINI_CLI_SYSTEM_SETTINGS_PATH'] ?? `${folder}/settings.json`;
  const files = [`${folder}/system-defaults.json`, '~/.gemini/settings.json', './.gemini/settings.json', system];
  return [{ setting: 'hooksConfig.enabled', off: false, files }];
}

function switchedOff(
  host: AgentHost,
  of: Surroundings,
  levels: readonly string[],
  hook: readonly string[],
): readonly HookFault[] {
  const faultAt = (setting: string, file: string): HookFault => ({
    problem: `${host.title} does not call the hook, because of ${setting} in ${file}`,
    remedy: 'take that out, or ask who manages it',
  });
  return switchesOf(host, of).flatMap(({ setting, off, files }) => {
    const paths = files.flatMap((file) => {
      if (file.startsWith('.')) return levels.map((level) => joinPaths(of, level, file)).reverse();
      return /^[~$]/.test(file) ? pathOf(file as PathOfHost, of) : file;
    });
    const file = paths.findLast((path) => valueAt(path, setting.split('.')) !== undefined);
    const isOff = file !== undefined && valueAt(file, setting.split('.')) === off;
    // Gemini CLI notes a single hook by its name, which ours does not have, or by its command.
    const disabling = paths.filter((path) => {
      const disabled = valueAt(path, ['hooksConfig', 'disabled']);
      return Array.isArray(disabled) && disabled.some((one) => wordsOf({ command: one }).join(' ') === hook.join(' '));
    });
    const single = disabling.map((path) => faultAt('hooksConfig.disabled', path));
    return isOff ? [faultAt(`${setting} = ${off}`, file), ...single] : single;
  });
}

/** Codex notes in its configuration which hooks its user has reviewed, by file, event, and numbers in the file. */
function isTrustedByCodex(key: string, of: Surroundings): boolean {
  const state = valueAt(pathOf('$codex/config.toml', of), ['hooks', 'state', key]);
  return isObject(state) && state['trusted_hash'] !== undefined && state['enabled'] !== false;
}

/** A value in a configuration; undefined if there is none, or the file cannot be read. */
function valueAt(file: string, keys: readonly string[]): unknown {
  try {
    const { text = '' } = readConfigFile(file, undefined, constants.R_OK);
    const config = CONFIG_FORMATS[file.endsWith('.toml') ? 'toml' : 'json'].parse(text);
    return keys.reduce((value, key) => (isObject(value) ? value[key] : undefined), config);
  } catch {
    return undefined;
  }
}
