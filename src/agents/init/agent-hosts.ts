import { existsSync } from 'node:fs';
import { folderOf, isObject, joinPaths, type Surroundings } from '../../core/index.js';
import type { ConfigFormat, JsonValue, Place } from './config-formats.js';

/** What agents start: node and our command line, by absolute paths, so that nothing needs to be found on a PATH. */
export interface Program {
  /** Path of node. */
  readonly node: string;
  /** Path of the command line's first file. */
  readonly entry: string;
  /** Path of the catalogue. */
  readonly database: string;
  /** Whether agents are told that path. If not, each run finds the catalogue of its project, or the user's, itself. */
  readonly namesDatabase: boolean;
  /** Whether meaning is searched, too. */
  readonly semantic: boolean;
}

/** What a path of the table below may begin with. */
type Root = '~' | '$claude' | '$claude-home' | '$codex' | '$copilot' | '$config' | '$code';
export type PathOfHost = Root | `${Root}/${string}`;

/** An agent whose configuration has a documented place for MCP servers of a user. */
export interface AgentHost {
  /** As the table of agents calls it, where it has it. */
  readonly name: string;
  readonly title: string;
  /** Files and folders of which one is there if the agent is. */
  readonly signs: readonly PathOfHost[];
  readonly server: {
    /** Where an agent reads several, the first is made if there is none. */
    readonly files: readonly [PathOfHost, ...PathOfHost[]];
    readonly format?: 'toml';
    /** The keys of the servers in the configuration. */
    readonly keys: readonly string[] | ((config: unknown) => readonly string[]);
    /** What an entry has beside the command. */
    readonly with?: Readonly<Record<string, JsonValue>>;
    /** Whether the command and its arguments are one list. */
    readonly hasOneList?: true;
  };
  /** The event at which it takes something to add to a prompt, if that is documented for the configuration of a user. */
  readonly hook?: {
    readonly file: PathOfHost;
    readonly event: string;
    /** In what it counts time. */
    readonly second: number;
    /** Whether it starts a command on Windows without a shell. Of others it is not documented which shell. */
    readonly onWindows?: true;
    /** What a user must know after it was written. */
    readonly note?: string;
    /** The event after a tool has loaded a skill, and for which tools: each in a process that nothing waits for. */
    readonly loaded?: {
      readonly event: string;
      readonly matcher: string;
      readonly each: readonly { readonly [key: string]: JsonValue }[];
    };
  };
}

/** Most files that are read are no skills: `if` keeps a process from being started for these. */
const LOADED_IN_CLAUDE = {
  ...{ event: 'PostToolUse', matcher: 'Skill|Read' },
  each: ['Skill', 'Read(**/SKILL.md)'].map((which) => ({ if: which, async: true })),
};

/**
 * The agents that `init` sets up. Each place was looked up in November 2026 in the page named; those without one are
 * left out, and so are agents whose configuration is no JSON or TOML (Goose).
 */
export const AGENT_HOSTS: readonly AgentHost[] = [
  {
    // code.claude.com/docs/en/mcp (scope user), /settings and /hooks
    ...{ name: 'claude-code', title: 'Claude Code', signs: ['$claude', '$claude-home/.claude.json'] },
    server: { files: ['$claude-home/.claude.json'], keys: ['mcpServers'], with: { type: 'stdio', env: {} } },
    hook: {
      ...{ file: '$claude/settings.json', event: 'UserPromptSubmit', second: 1, onWindows: true },
      loaded: LOADED_IN_CLAUDE,
    },
  },
  {
    // developers.openai.com/codex/mcp and /hooks
    ...{ name: 'codex', title: 'Codex', signs: ['$codex'] },
    server: { files: ['$codex/config.toml'], format: 'toml', keys: ['mcp_servers'] },
    hook: {
      ...{ file: '$codex/hooks.json', event: 'UserPromptSubmit', second: 1 },
      note: 'Codex runs a new hook once you have reviewed it: /hooks',
    },
  },
  {
    // docs.github.com/en/copilot/reference/copilot-cli-reference/cli-config-dir-reference
    ...{ name: 'github-copilot', title: 'GitHub Copilot CLI', signs: ['$copilot'] },
    server: { files: ['$copilot/mcp-config.json'], keys: ['mcpServers'], with: { type: 'local', tools: ['*'] } },
  },
  {
    // code.visualstudio.com/docs/copilot/reference/mcp-configuration
    ...{ name: 'vscode', title: 'Copilot in VS Code', signs: ['$code'] },
    server: { files: ['$code/mcp.json'], keys: ['servers'], with: { type: 'stdio' } },
  },
  {
    // cursor.com/docs/context/mcp
    ...{ name: 'cursor', title: 'Cursor', signs: ['~/.cursor'] },
    server: { files: ['~/.cursor/mcp.json'], keys: ['mcpServers'] },
  },
  {
    // geminicli.com/docs/tools/mcp-server and /docs/hooks/reference
    ...{ name: 'gemini-cli', title: 'Gemini CLI', signs: ['~/.gemini/settings.json', '~/.gemini/skills'] },
    server: { files: ['~/.gemini/settings.json'], keys: ['mcpServers'] },
    hook: {
      ...{ file: '~/.gemini/settings.json', event: 'BeforeAgent', second: 1000 },
      loaded: { event: 'AfterTool', matcher: 'activate_skill', each: [{}] },
    },
  },
  {
    // opencode.ai/docs/config and /docs/migrate-v1. Version 2 reads what version 1 does, so that is written, unless
    // the file has the newer form already.
    ...{ name: 'opencode', title: 'OpenCode', signs: ['$config/opencode'] },
    server: {
      files: ['$config/opencode/opencode.json', '$config/opencode/opencode.jsonc'],
      keys: (config) => (hasOpenCodeServers(config) ? ['mcp', 'servers'] : ['mcp']),
      ...{ with: { type: 'local' }, hasOneList: true },
    },
  },
  {
    // docs.windsurf.com/windsurf/cascade/mcp
    ...{ name: 'windsurf', title: 'Windsurf', signs: ['~/.codeium/windsurf'] },
    server: { files: ['~/.codeium/windsurf/mcp_config.json'], keys: ['mcpServers'] },
  },
  {
    // kiro.dev/docs/mcp/configuration
    ...{ name: 'kiro-cli', title: 'Kiro', signs: ['~/.kiro'] },
    server: { files: ['~/.kiro/settings/mcp.json'], keys: ['mcpServers'] },
  },
  {
    // qwenlm.github.io/qwen-code-docs/en/users/features/mcp
    ...{ name: 'qwen-code', title: 'Qwen Code', signs: ['~/.qwen'] },
    server: { files: ['~/.qwen/settings.json'], keys: ['mcpServers'] },
  },
  {
    // ampcode.com/manual
    ...{ name: 'amp', title: 'Amp', signs: ['$config/amp'] },
    server: { files: ['$config/amp/settings.json', '$config/amp/settings.jsonc'], keys: ['amp.mcpServers'] },
  },
];

function hasOpenCodeServers(config: unknown): boolean {
  const { mcp } = isObject(config) ? config : {};
  const { servers } = isObject(mcp) ? mcp : {};
  // A server of version 1 may be called `servers`.
  return isObject(servers) && typeof servers['type'] !== 'string';
}

/** The folders that paths of the table begin with. Some agents follow the XDG folders on every system. */
const ROOTS: Readonly<Record<Root, (of: Surroundings) => string>> = {
  '~': ({ home }) => home,
  $claude: (of) => folderOf(of, 'CLAUDE_CONFIG_DIR') ?? joinPaths(of, of.home, '.claude'),
  // Beside the folder, but inside one that was chosen.
  '$claude-home': (of) => folderOf(of, 'CLAUDE_CONFIG_DIR') ?? of.home,
  $codex: (of) => folderOf(of, 'CODEX_HOME') ?? joinPaths(of, of.home, '.codex'),
  $copilot: (of) => folderOf(of, 'COPILOT_HOME') ?? joinPaths(of, of.home, '.copilot'),
  $config: (of) => folderOf(of, 'XDG_CONFIG_HOME') ?? joinPaths(of, of.home, '.config'),
  // Where VS Code keeps the settings of a user.
  $code: (of) => {
    const roaming = (): string => folderOf(of, 'APPDATA') ?? joinPaths(of, of.home, 'AppData', 'Roaming');
    const mac = (): string => joinPaths(of, of.home, 'Library', 'Application Support');
    const base = of.platform === 'win32' ? roaming() : of.platform === 'darwin' ? mac() : ROOTS.$config(of);
    return joinPaths(of, base, 'Code', 'User');
  },
};

export function pathOf(path: PathOfHost, of: Surroundings): string {
  const [root, ...names] = path.split('/') as [Root, ...string[]];
  return joinPaths(of, ROOTS[root](of), ...names);
}

/** Whether an agent has left anything in this home. */
export function isInstalled({ signs }: AgentHost, of: Surroundings): boolean {
  return signs.some((path) => existsSync(pathOf(path, of)));
}

/** An entry that `init` writes into a configuration of an agent. */
export interface AgentEntry {
  readonly part: 'server' | 'hook' | 'use';
  readonly file: string;
  readonly format: ConfigFormat['name'];
  /** @param config the configuration as it is, parsed */
  place(config: unknown): Place;
  readonly value: JsonValue;
}

/** The name of our server in the configuration of an agent. */
const SERVER_NAME = 'skills';

/** Seconds that a host waits for skills before it sends the prompt without. */
const HOOK_TIMEOUT = 10;

/** What is written for an agent. */
export function entriesOf(
  { name, server, hook }: AgentHost,
  of: Surroundings,
  program: Program,
): readonly AgentEntry[] {
  const { node: command, semantic } = program;
  const start = (word: string): string[] => {
    return [program.entry, word, ...(program.namesDatabase ? ['--database', program.database] : [])];
  };
  const files = server.files.map((path) => pathOf(path, of));
  const { keys, format = 'json' } = server;
  const args = [...start('mcp'), '--installed', '--watch', ...(semantic ? [] : ['--no-semantic'])];
  const ofServer: AgentEntry = {
    ...{ part: 'server', file: files.find((path) => existsSync(path)) ?? files[0]!, format },
    place: (config) => {
      return { keys: [...(typeof keys === 'function' ? keys(config) : keys), SERVER_NAME], kind: 'member' };
    },
    value: { ...server.with, ...(server.hasOneList ? { command: [command, ...args] } : { command, args }) },
  };
  const isWindows = of.platform === 'win32';
  if (hook === undefined || (isWindows && hook.onWindows !== true)) return [ofServer];
  const words = [...start('hook'), '--format', name, ...(semantic ? [] : ['--mode', 'words'])];
  // On Windows there may be no POSIX shell. Older versions of Claude Code know the form with a shell only.
  const run = isWindows ? { command, args: words } : { command: `${shellCommand([command, ...words])}${NEVER_FAILS}` };
  const ofEvent = (event: string, part: AgentEntry['part']): Omit<AgentEntry, 'value'> => ({
    ...{ part, file: pathOf(hook.file, of), format: 'json' },
    place: () => ({ keys: ['hooks', event], kind: 'list' }),
  });
  const handler = { type: 'command', ...run, timeout: HOOK_TIMEOUT * hook.second };
  const ofHook: AgentEntry = { ...ofEvent(hook.event, 'hook'), value: { hooks: [handler] } };
  if (hook.loaded === undefined) return [ofServer, ofHook];
  const { event, matcher, each } = hook.loaded;
  const value = { matcher, hooks: each.map((more) => ({ ...handler, ...more })) };
  return [ofServer, ofHook, { ...ofEvent(event, 'use'), value }];
}

/** Where node or the package has moved, or the process is killed, an agent would tell of a failure at every prompt. */
const NEVER_FAILS = ' 2>/dev/null || true';

/** A command line for a POSIX shell. */
function shellCommand(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
}
