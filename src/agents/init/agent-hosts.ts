import { existsSync } from 'node:fs';
import { folderOf, joinPaths, type Surroundings } from '../../core/index.js';
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

/** The name of our server in the configuration of an agent. */
const SERVER_NAME = 'skills';

/** An entry that `init` writes into a configuration of an agent. */
export interface AgentEntry {
  readonly part: 'server' | 'hook';
  /** The file. Where an agent reads several, the first is made if there is none. */
  readonly files: readonly [string, ...string[]];
  readonly format: ConfigFormat['name'];
  /** @param config the configuration as it is, parsed */
  place(config: unknown): Place;
  value(program: Program): JsonValue;
}

/** An agent whose configuration has a documented place for MCP servers of a user. */
export interface AgentHost {
  /** As the table of agents calls it, where it has it. */
  readonly name: string;
  readonly title: string;
  /** Files and folders of which one is there if the agent is. */
  signs(of: Surroundings): readonly string[];
  entries(of: Surroundings): readonly AgentEntry[];
  /** What a user must know after entries were written. */
  readonly notes?: { readonly [part in AgentEntry['part']]?: string };
}

/**
 * The agents that `init` sets up. Each place was looked up in November 2026 in the page named; those without one are
 * left out, and so are agents whose configuration is no JSON or TOML (Goose).
 */
export const AGENT_HOSTS: readonly AgentHost[] = [
  {
    // code.claude.com/docs/en/mcp (scope user), /settings and /hooks
    name: 'claude-code',
    title: 'Claude Code',
    signs: (of) => [claudeFolder(of), claudeFile(of)],
    entries: (of) => [
      jsonServer(claudeFile(of), 'mcpServers', (command, args) => ({ type: 'stdio', command, args, env: {} })),
      promptHook(joinPaths(of, claudeFolder(of), 'settings.json'), 'claude-code', of),
    ],
  },
  {
    // developers.openai.com/codex/mcp and /hooks
    name: 'codex',
    title: 'Codex',
    signs: (of) => [codexFolder(of)],
    entries: (of) => [
      {
        part: 'server',
        files: [joinPaths(of, codexFolder(of), 'config.toml')],
        format: 'toml',
        place: () => ({ keys: ['mcp_servers', SERVER_NAME], kind: 'member' }),
        value: (program) => ({ command: program.node, args: serverArguments(program) }),
      },
      // With which shell it starts a command on Windows is not documented.
      ...(of.platform === 'win32' ? [] : [promptHook(joinPaths(of, codexFolder(of), 'hooks.json'), 'codex', of)]),
    ],
    notes: { hook: 'Codex runs a new hook once you have reviewed it: /hooks' },
  },
  {
    // docs.github.com/en/copilot/reference/copilot-cli-reference/cli-config-dir-reference
    name: 'github-copilot',
    title: 'GitHub Copilot CLI',
    signs: (of) => [copilotFolder(of)],
    entries: (of) => [
      jsonServer(joinPaths(of, copilotFolder(of), 'mcp-config.json'), 'mcpServers', (command, args) => ({
        ...{ type: 'local', command, args, tools: ['*'] },
      })),
    ],
  },
  {
    // code.visualstudio.com/docs/copilot/reference/mcp-configuration
    name: 'vscode',
    title: 'Copilot in VS Code',
    signs: (of) => [codeFolder(of)],
    entries: (of) => [
      jsonServer(joinPaths(of, codeFolder(of), 'mcp.json'), 'servers', (command, args) => ({
        ...{ type: 'stdio', command, args },
      })),
    ],
  },
  {
    // cursor.com/docs/context/mcp
    name: 'cursor',
    title: 'Cursor',
    signs: (of) => [joinPaths(of, of.home, '.cursor')],
    entries: (of) => [jsonServer(joinPaths(of, of.home, '.cursor', 'mcp.json'), 'mcpServers')],
  },
  {
    // geminicli.com/docs/tools/mcp-server and /docs/hooks/reference
    name: 'gemini-cli',
    title: 'Gemini CLI',
    signs: (of) => [joinPaths(of, of.home, '.gemini', 'settings.json'), joinPaths(of, of.home, '.gemini', 'skills')],
    entries: (of) => {
      const file = joinPaths(of, of.home, '.gemini', 'settings.json');
      const hook = of.platform === 'win32' ? [] : [promptHook(file, 'gemini-cli', of)];
      return [jsonServer(file, 'mcpServers'), ...hook];
    },
  },
  {
    // opencode.ai/docs/config and /docs/migrate-v1. Version 2 reads what version 1 does, so that is written, unless
    // the file has the newer form already.
    name: 'opencode',
    title: 'OpenCode',
    signs: (of) => [openCodeFolder(of)],
    entries: (of) => [
      {
        part: 'server',
        files: [
          joinPaths(of, openCodeFolder(of), 'opencode.json'),
          joinPaths(of, openCodeFolder(of), 'opencode.jsonc'),
        ],
        format: 'json',
        place: (config) => ({
          keys: hasOpenCodeServers(config) ? ['mcp', 'servers', SERVER_NAME] : ['mcp', SERVER_NAME],
          kind: 'member',
        }),
        value: (program) => ({ type: 'local', command: [program.node, ...serverArguments(program)] }),
      },
    ],
  },
  {
    // docs.windsurf.com/windsurf/cascade/mcp
    name: 'windsurf',
    title: 'Windsurf',
    signs: (of) => [joinPaths(of, of.home, '.codeium', 'windsurf')],
    entries: (of) => [jsonServer(joinPaths(of, of.home, '.codeium', 'windsurf', 'mcp_config.json'), 'mcpServers')],
  },
  {
    // kiro.dev/docs/mcp/configuration
    name: 'kiro-cli',
    title: 'Kiro',
    signs: (of) => [joinPaths(of, of.home, '.kiro')],
    entries: (of) => [jsonServer(joinPaths(of, of.home, '.kiro', 'settings', 'mcp.json'), 'mcpServers')],
  },
  {
    // qwenlm.github.io/qwen-code-docs/en/users/features/mcp
    name: 'qwen-code',
    title: 'Qwen Code',
    signs: (of) => [joinPaths(of, of.home, '.qwen')],
    entries: (of) => [jsonServer(joinPaths(of, of.home, '.qwen', 'settings.json'), 'mcpServers')],
  },
  {
    // ampcode.com/manual
    name: 'amp',
    title: 'Amp',
    signs: (of) => [ampFolder(of)],
    entries: (of) => [
      {
        ...jsonServer(joinPaths(of, ampFolder(of), 'settings.json'), 'amp.mcpServers'),
        files: [joinPaths(of, ampFolder(of), 'settings.json'), joinPaths(of, ampFolder(of), 'settings.jsonc')],
      },
    ],
  },
];

/** Whether an agent has left anything in this home. */
export function isInstalled(host: AgentHost, of: Surroundings): boolean {
  return host.signs(of).some((path) => existsSync(path));
}

function jsonServer(
  file: string,
  key: string,
  entry: (command: string, args: readonly string[]) => JsonValue = (command, args) => ({ command, args }),
): AgentEntry {
  return {
    part: 'server',
    files: [file],
    format: 'json',
    place: () => ({ keys: [key, SERVER_NAME], kind: 'member' }),
    value: (program) => entry(program.node, serverArguments(program)),
  };
}

/** The arguments of node with which an agent starts our MCP server. */
function serverArguments({ entry, semantic, ...program }: Program): readonly string[] {
  return [entry, 'mcp', ...databaseOption(program), '--installed', '--watch', ...(semantic ? [] : ['--no-semantic'])];
}

/**
 * The arguments of node with which a host asks for the skills that fit a prompt.
 *
 * @param format what the host writes and reads, as `hook` calls it
 */
function hookArguments({ entry, semantic, ...program }: Program, format: string): readonly string[] {
  return [entry, 'hook', ...databaseOption(program), '--format', format, ...(semantic ? [] : ['--mode', 'words'])];
}

function databaseOption({ database, namesDatabase }: Pick<Program, 'database' | 'namesDatabase'>): readonly string[] {
  return namesDatabase ? ['--database', database] : [];
}

/** A command line for a POSIX shell. */
function shellCommand(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
}

/** Seconds that a host waits for skills before it sends the prompt without. */
const HOOK_TIMEOUT = 10;

/** How hosts call the event at which they take something to add to a prompt, and in what they count time. */
const HOOK_FORMS = {
  'claude-code': { event: 'UserPromptSubmit', second: 1 },
  codex: { event: 'UserPromptSubmit', second: 1 },
  'gemini-cli': { event: 'BeforeAgent', second: 1000 },
} as const;

/**
 * A hook that adds to a prompt. Other agents have none that adds context (Cursor, Windsurf), or none that is documented
 * for the configuration of a user (Copilot).
 */
function promptHook(file: string, host: keyof typeof HOOK_FORMS, { platform }: Surroundings): AgentEntry {
  const { event, second } = HOOK_FORMS[host];
  return {
    part: 'hook',
    files: [file],
    format: 'json',
    place: () => ({ keys: ['hooks', event], kind: 'list' }),
    value: (program) => {
      const words = hookArguments(program, host);
      // On Windows there may be no POSIX shell. Older versions of Claude Code know the form with a shell only.
      const start =
        platform === 'win32'
          ? { command: program.node, args: words }
          : { command: shellCommand([program.node, ...words]) };
      return { hooks: [{ type: 'command', ...start, timeout: HOOK_TIMEOUT * second }] };
    },
  };
}

function claudeFolder(of: Surroundings): string {
  return folderOf(of, 'CLAUDE_CONFIG_DIR') ?? joinPaths(of, of.home, '.claude');
}

/** Beside the folder, but inside one that was chosen. */
function claudeFile(of: Surroundings): string {
  return joinPaths(of, folderOf(of, 'CLAUDE_CONFIG_DIR') ?? of.home, '.claude.json');
}

function codexFolder(of: Surroundings): string {
  return folderOf(of, 'CODEX_HOME') ?? joinPaths(of, of.home, '.codex');
}

function copilotFolder(of: Surroundings): string {
  return folderOf(of, 'COPILOT_HOME') ?? joinPaths(of, of.home, '.copilot');
}

function openCodeFolder(of: Surroundings): string {
  return joinPaths(of, xdgConfigOf(of), 'opencode');
}

function ampFolder(of: Surroundings): string {
  return joinPaths(of, xdgConfigOf(of), 'amp');
}

/** Some agents follow the XDG folders on every system. */
function xdgConfigOf(of: Surroundings): string {
  return folderOf(of, 'XDG_CONFIG_HOME') ?? joinPaths(of, of.home, '.config');
}

/** Where VS Code keeps the settings of a user. */
function codeFolder(of: Surroundings): string {
  if (of.platform === 'win32') {
    return joinPaths(of, folderOf(of, 'APPDATA') ?? joinPaths(of, of.home, 'AppData', 'Roaming'), 'Code', 'User');
  }
  const base = of.platform === 'darwin' ? joinPaths(of, of.home, 'Library', 'Application Support') : xdgConfigOf(of);
  return joinPaths(of, base, 'Code', 'User');
}

function hasOpenCodeServers(config: unknown): boolean {
  const servers = (config as { readonly mcp?: { readonly servers?: unknown } } | undefined)?.mcp?.servers;
  // A server of version 1 may be called `servers`.
  return typeof servers === 'object' && servers !== null && !('type' in servers && typeof servers.type === 'string');
}
