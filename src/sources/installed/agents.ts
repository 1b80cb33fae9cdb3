import { relative, sep } from 'node:path';
import { folderOf, isInside, joinPaths, type Surroundings } from '../../core/index.js';
import type { SkillScope } from '../../skill.js';

/** A program that reads skills from folders. */
export interface Agent {
  /** A slug, the same that installers use: `claude-code`. */
  readonly name: string;
  /** What it calls itself: `Claude Code`. */
  readonly title: string;
  /** Folders of a project, as paths from its root with `/`. Of skills with the same name it takes the first. */
  readonly projectFolders: readonly string[];
  /** Scopes, in the order in which it takes skills of the same name from them. */
  readonly scopes: readonly SkillScope[];
  /** Which skills of the same name it takes: the first that it finds, or all of them. */
  readonly sameName: 'first' | 'all';
  /** Whether it calls a skill of a plugin `plugin:skill`. */
  readonly prefixesPlugins: boolean;
  /** Whether it is looked for only if it is asked for by its name. */
  readonly onlyByName: boolean;
  /** Absolute paths of the user's folders, in the order in which it takes skills from them. */
  userFolders(of: Surroundings): readonly string[];
  /** Absolute paths of folders of the machine, and of those that the agent fills itself. */
  systemFolders(of: Surroundings): readonly string[];
  /** Absolute paths: if there is something at one of them, the agent is on this machine. */
  marks(of: Surroundings): readonly string[];
  /** Files and folders of a project, with `/`, that only those have who use this agent. */
  readonly projectMarks: readonly string[];
  /** The folder of its own in which it keeps what it needs, absolute. */
  ownFolder(of: Surroundings): string;
}

/** The folder that agents share. What lies in it belongs to no agent alone, so it has an entry of its own. */
export const SHARED_AGENT = 'universal';

/**
 * Paths in the table: `~` is the home folder, `$config` what XDG_CONFIG_HOME says, or `~/.config`, on every platform;
 * `@` is the agent's own folder.
 */
interface Entry {
  readonly title: string;
  /** The agent's own folder. */
  readonly own: string;
  /** A variable of the environment that names the own folder instead. */
  readonly variable?: string;
  readonly project: readonly string[];
  /** @default `@/skills` */
  readonly user?: readonly string[];
  readonly system?: readonly string[];
  /** The same where it differs. @default as `system` */
  readonly systemOn?: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>>;
  /** @default `@` */
  readonly marks?: readonly string[];
  readonly projectMarks?: readonly string[];
  readonly scopes?: readonly SkillScope[];
  readonly prefixesPlugins?: true;
  readonly sameName?: 'all';
  readonly onlyByName?: true;
}

const SHARED = '.agents/skills';
const USER_SHARED = '~/.agents/skills';

/** Facts of `vercel-labs/skills` (`src/agents.ts`) and of the agents' own pages, as of November 2026. */
const TABLE: Readonly<Record<string, Entry>> = {
  // Of Claude Code's pages: enterprise (managed) before personal before project.
  'claude-code': {
    title: 'Claude Code',
    own: '~/.claude',
    variable: 'CLAUDE_CONFIG_DIR',
    project: ['.claude/skills'],
    system: ['/etc/claude-code/.claude/skills'],
    systemOn: {
      darwin: ['/Library/Application Support/ClaudeCode/.claude/skills'],
      win32: ['C:/Program Files/ClaudeCode/.claude/skills'],
    },
    scopes: ['system', 'user', 'project', 'plugin'],
    prefixesPlugins: true,
  },
  // Skills with the same name are not merged: the model sees all of them.
  codex: {
    title: 'Codex',
    own: '~/.codex',
    variable: 'CODEX_HOME',
    project: [SHARED],
    user: [USER_SHARED, '@/skills'],
    system: ['@/skills/.system', '/etc/codex/skills'],
    systemOn: { win32: ['@/skills/.system'] },
    sameName: 'all',
    prefixesPlugins: true,
  },
  'github-copilot': {
    title: 'GitHub Copilot',
    own: '~/.copilot',
    variable: 'COPILOT_HOME',
    project: ['.github/skills', SHARED, '.claude/skills'],
    user: ['@/skills', USER_SHARED, '~/.claude/skills'],
  },
  cursor: { title: 'Cursor', own: '~/.cursor', project: ['.cursor/skills', '.claude/skills', SHARED] },
  'gemini-cli': {
    title: 'Gemini CLI',
    own: '~/.gemini',
    project: [SHARED, '.gemini/skills'],
    user: [USER_SHARED, '@/skills'],
  },
  opencode: {
    title: 'OpenCode',
    own: '$config/opencode',
    project: ['.opencode/skills', '.claude/skills', SHARED],
    user: ['@/skills', '~/.claude/skills', USER_SHARED],
  },

  adal: { title: 'AdaL', own: '~/.adal', project: ['.adal/skills'] },
  'aider-desk': { title: 'AiderDesk', own: '~/.aider-desk', project: ['.aider-desk/skills'] },
  amp: { title: 'Amp', own: '$config/amp', project: [SHARED], user: ['$config/agents/skills'] },
  antigravity: { title: 'Antigravity', own: '~/.gemini/antigravity', project: [SHARED] },
  'antigravity-cli': { title: 'Antigravity CLI', own: '~/.gemini/antigravity-cli', project: [SHARED] },
  astrbot: { title: 'AstrBot', own: '~/.astrbot', project: ['data/skills'], user: ['@/data/skills'] },
  augment: { title: 'Augment', own: '~/.augment', project: ['.augment/skills'] },
  'autohand-code': {
    title: 'Autohand Code CLI',
    own: '~/.autohand',
    variable: 'AUTOHAND_HOME',
    project: ['.autohand/skills'],
  },
  bob: { title: 'IBM Bob', own: '~/.bob', project: ['.bob/skills'] },
  cline: { title: 'Cline', own: '~/.cline', project: [SHARED], user: [USER_SHARED] },
  'codearts-agent': { title: 'CodeArts Agent', own: '~/.codeartsdoer', project: ['.codeartsdoer/skills'] },
  codebuddy: { title: 'CodeBuddy', own: '~/.codebuddy', project: ['.codebuddy/skills'] },
  codemaker: { title: 'Codemaker', own: '~/.codemaker', project: ['.codemaker/skills'] },
  codestudio: { title: 'Code Studio', own: '~/.codestudio', project: ['.codestudio/skills'] },
  codewhale: {
    title: 'CodeWhale',
    own: '~/.codewhale',
    variable: 'CODEWHALE_HOME',
    project: ['.codewhale/skills'],
  },
  'command-code': { title: 'Command Code', own: '~/.commandcode', project: ['.commandcode/skills'] },
  continue: { title: 'Continue', own: '~/.continue', project: ['.continue/skills'] },
  cortex: { title: 'Cortex Code', own: '~/.snowflake/cortex', project: ['.cortex/skills'] },
  crush: { title: 'Crush', own: '$config/crush', project: ['.crush/skills'] },
  deepagents: { title: 'Deep Agents', own: '~/.deepagents', project: [SHARED], user: ['@/agent/skills'] },
  devin: { title: 'Devin for Terminal', own: '$config/devin', project: ['.devin/skills'] },
  dexto: { title: 'Dexto', own: '~/.dexto', project: [SHARED], user: [USER_SHARED] },
  droid: { title: 'Droid', own: '~/.factory', project: [SHARED, '.factory/skills'], user: ['@/skills', USER_SHARED] },
  // Has no folder of the user, and no folder that says that it is there.
  eve: { title: 'Eve', own: '~/.eve', project: ['agent/skills'], user: [], onlyByName: true },
  firebender: { title: 'Firebender', own: '~/.firebender', project: [SHARED] },
  forgecode: { title: 'ForgeCode', own: '~/.forge', project: ['.forge/skills'] },
  fx: { title: 'fx', own: '~/.fx', project: ['.fx/skills'] },
  goose: { title: 'Goose', own: '$config/goose', project: ['.goose/skills'] },
  grok: { title: 'Grok Build', own: '~/.grok', variable: 'GROK_HOME', project: ['.grok/skills'] },
  'hermes-agent': { title: 'Hermes Agent', own: '~/.hermes', variable: 'HERMES_HOME', project: ['.hermes/skills'] },
  'iflow-cli': { title: 'iFlow CLI', own: '~/.iflow', project: ['.iflow/skills'] },
  'inference-sh': { title: 'inference.sh', own: '~/.inferencesh', project: ['.inferencesh/skills'] },
  jazz: { title: 'Jazz', own: '~/.jazz', project: ['.jazz/skills'] },
  junie: { title: 'Junie', own: '~/.junie', project: ['.junie/skills'] },
  kilo: { title: 'Kilo Code', own: '~/.kilo', project: [SHARED], marks: ['@', '~/.kilocode'] },
  kimchi: { title: 'Kimchi', own: '$config/kimchi', project: ['.kimchi/skills'], user: ['@/harness/skills'] },
  'kimi-code-cli': {
    title: 'Kimi Code CLI',
    own: '~/.kimi-code',
    project: [SHARED],
    user: [USER_SHARED],
    marks: ['@', '~/.kimi'],
  },
  'kiro-cli': { title: 'Kiro CLI', own: '~/.kiro', project: ['.kiro/skills'] },
  kode: { title: 'Kode', own: '~/.kode', project: ['.kode/skills'] },
  lingma: { title: 'Lingma', own: '~/.lingma', project: ['.lingma/skills'] },
  loaf: { title: 'Loaf', own: '~/.loaf', project: [SHARED], user: [USER_SHARED] },
  mcpjam: { title: 'MCPJam', own: '~/.mcpjam', project: ['.mcpjam/skills'] },
  'minimax-code': { title: 'MiniMax Code', own: '~/.minimax', project: ['.minimax/skills'] },
  'mistral-vibe': { title: 'Mistral Vibe', own: '~/.vibe', variable: 'VIBE_HOME', project: ['.vibe/skills'] },
  moxby: { title: 'Moxby', own: '~/.moxby', project: ['.moxby/skills'] },
  mux: { title: 'Mux', own: '~/.mux', project: ['.mux/skills'] },
  neovate: { title: 'Neovate', own: '~/.neovate', project: ['.neovate/skills'] },
  ona: { title: 'Ona', own: '~/.ona', project: ['.ona/skills'] },
  // Its name changed twice, and so did its folder.
  openclaw: {
    title: 'OpenClaw',
    own: '~/.openclaw',
    project: ['skills'],
    user: ['@/skills', '~/.clawdbot/skills', '~/.moltbot/skills'],
    marks: ['@', '~/.clawdbot', '~/.moltbot'],
  },
  openhands: { title: 'OpenHands', own: '~/.openhands', project: ['.openhands/skills'] },
  pi: { title: 'Pi', own: '~/.pi/agent', project: ['.pi/skills'] },
  pochi: { title: 'Pochi', own: '~/.pochi', project: ['.pochi/skills'] },
  'posit-assistant': {
    title: 'Posit Assistant',
    own: '~/.posit/assistant',
    project: ['.posit/assistant/skills'],
    marks: ['@', '~/.positai'],
  },
  promptscript: {
    title: 'PromptScript',
    own: '~/.promptscript',
    project: [SHARED],
    user: [],
    projectMarks: ['.promptscript', 'promptscript.yaml'],
  },
  qoder: { title: 'Qoder', own: '~/.qoder', project: ['.qoder/skills'] },
  'qoder-cn': { title: 'Qoder CN', own: '~/.qoder-cn', project: ['.qoder/skills'] },
  'qwen-code': { title: 'Qwen Code', own: '~/.qwen', project: ['.qwen/skills'] },
  reasonix: { title: 'Reasonix', own: '~/.reasonix', project: ['.reasonix/skills'] },
  replit: {
    title: 'Replit',
    own: '~/.replit',
    project: [SHARED],
    user: ['$config/agents/skills'],
    projectMarks: ['.replit'],
  },
  roo: { title: 'Roo Code', own: '~/.roo', project: ['.roo/skills'] },
  rovodev: { title: 'Rovo Dev', own: '~/.rovodev', project: ['.rovodev/skills'] },
  'sarvam-code': {
    title: 'Sarvam Code',
    own: '~/.sarvam',
    variable: 'SARVAM_HOME',
    project: [SHARED],
    user: [USER_SHARED],
  },
  'tabnine-cli': {
    title: 'Tabnine CLI',
    own: '~/.tabnine',
    project: ['.tabnine/agent/skills'],
    user: ['@/agent/skills'],
  },
  terramind: { title: 'Terramind', own: '~/.terramind', project: ['.terramind/skills'] },
  tinycloud: { title: 'Tinycloud', own: '~/.tinycloud', project: ['.tinycloud/skills'] },
  trae: { title: 'Trae', own: '~/.trae', project: ['.trae/skills'] },
  'trae-cn': { title: 'Trae CN', own: '~/.trae-cn', project: ['.trae/skills'] },
  warp: { title: 'Warp', own: '~/.warp', project: [SHARED], user: [USER_SHARED] },
  windsurf: { title: 'Windsurf', own: '~/.codeium/windsurf', project: ['.windsurf/skills'] },
  zcode: { title: 'ZCode', own: '~/.zcode', project: ['.zcode/skills'] },
  zed: {
    title: 'Zed',
    own: '$config/zed',
    project: [SHARED],
    user: [USER_SHARED],
    marks: ['@', '%APPDATA%/Zed', '%FLATPAK_XDG_CONFIG_HOME%/zed'],
  },
  zencoder: { title: 'Zencoder', own: '~/.zencoder', project: ['.zencoder/skills'] },
  zenflow: { title: 'Zenflow', own: '~/.zencoder', project: ['.zencoder/skills'] },
  [SHARED_AGENT]: {
    title: 'Shared by agents',
    own: '~/.agents',
    project: [SHARED],
    user: [USER_SHARED, '$config/agents/skills'],
  },
};

/** Every agent that is known, in the order in which reports list them: the most used ones first. */
export const AGENTS: readonly Agent[] = Object.entries(TABLE).map(([name, entry]) => agentOf(name, entry));

function agentOf(name: string, entry: Entry): Agent {
  const { title, own, variable, project, user = ['@/skills'], system = [], marks = ['@'] } = entry;
  const ownFolder = (of: Surroundings): string =>
    (variable === undefined ? undefined : folderOf(of, variable)) ?? folderAt(of, own, '')!;
  const folders =
    (paths: readonly string[]) =>
    (of: Surroundings): readonly string[] =>
      paths.flatMap((path) => folderAt(of, path, ownFolder(of)) ?? []);
  return {
    name,
    title,
    projectFolders: project,
    scopes: entry.scopes ?? ['project', 'user', 'plugin', 'system'],
    sameName: entry.sameName ?? 'first',
    prefixesPlugins: entry.prefixesPlugins === true,
    onlyByName: entry.onlyByName === true,
    projectMarks: entry.projectMarks ?? [],
    ownFolder,
    userFolders: folders(user),
    systemFolders: (of) => folders(entry.systemOn?.[of.platform] ?? system)(of),
    marks: folders(marks),
  };
}

/** The path that an entry of the table means; undefined if it begins with a variable that is not set. */
function folderAt(of: Surroundings, path: string, own: string): string | undefined {
  const [first = '', ...rest] = path.split('/');
  if (first === '') return path;
  if (/^[A-Z]:$/.test(first)) return path.replaceAll('/', '\\');
  const [, variable] = /^%(\w+)%$/.exec(first) ?? [];
  const base =
    variable !== undefined
      ? folderOf(of, variable)
      : first === '~'
        ? of.home
        : first === '@'
          ? own
          : (folderOf(of, 'XDG_CONFIG_HOME') ?? joinPaths(of, of.home, '.config'));
  return base === undefined ? undefined : joinPaths(of, base, ...rest);
}

const PREFIXING: ReadonlySet<string> = new Set(
  AGENTS.flatMap(({ name, prefixesPlugins }) => (prefixesPlugins ? [name] : [])),
);

/** What an agent calls a skill: by its name, or `plugin:skill` if it belongs to a plugin and the agent does so. */
export function calledAs(agent: string, plugin: string | undefined, name: string): string {
  return plugin !== undefined && PREFIXING.has(agent) ? `${plugin}:${name}` : name;
}

/** Something in an agent's folders that could not be read, or was not followed. */
export interface AgentProblem {
  /** Absolute path. */
  readonly path: string;
  /** One line, for people. */
  readonly message: string;
  /** Whether skills may lie there that nobody can name now. */
  readonly hidesSkills?: true;
}

/** A path as people write it: `~` for the home folder, and `/`. */
export function shownPath(path: string, home: string): string {
  if (home === '' || !isInside(path, home)) return path;
  const inside = relative(home, path).split(sep).join('/');
  return inside === '' ? '~' : `~/${inside}`;
}
