import { describe, expect, test } from 'vitest';
import { surroundings } from '../../../src/core/index.js';
import { AGENTS, type Agent } from '../../../src/sources/installed/agents.js';

const LINUX = surroundings({ platform: 'linux', home: '/home/ada', env: {}, cwd: '/work' });
const MACOS = { ...LINUX, platform: 'darwin', home: '/Users/ada' } as const;
const WINDOWS = { ...LINUX, platform: 'win32', home: 'C:\\Users\\Ada' } as const;

function agent(name: string): Agent {
  const found = AGENTS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no agent ${name}`);
  return found;
}

describe('the agents that are known', () => {
  test('have slugs as names, each once, and titles', () => {
    const names = AGENTS.map(({ name }) => name);
    expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    expect(AGENTS.every(({ title }) => title !== '')).toBe(true);
  });

  test('have paths that fit each platform', () => {
    expect(agent('codex').userFolders(MACOS)).toEqual(['/Users/ada/.agents/skills', '/Users/ada/.codex/skills']);
    expect(agent('codex').userFolders(WINDOWS)).toEqual([
      'C:\\Users\\Ada\\.agents\\skills',
      'C:\\Users\\Ada\\.codex\\skills',
    ]);
    expect(agent('codex').systemFolders(WINDOWS)).toEqual(['C:\\Users\\Ada\\.codex\\skills\\.system']);
    expect(agent('claude-code').systemFolders(WINDOWS)).toEqual(['C:\\Program Files\\ClaudeCode\\.claude\\skills']);
    expect(agent('claude-code').systemFolders(MACOS)).toEqual([
      '/Library/Application Support/ClaudeCode/.claude/skills',
    ]);
    expect(agent('goose').userFolders(WINDOWS)).toEqual(['C:\\Users\\Ada\\.config\\goose\\skills']);
    for (const one of AGENTS) {
      for (const path of one.userFolders(WINDOWS)) expect(path).toMatch(/^C:\\Users\\Ada\\[^/]+$/);
      for (const path of [...one.userFolders(LINUX), ...one.marks(LINUX)]) expect(path).toMatch(/^\/home\/ada\/\./);
    }
  });

  test('follow the variables that move their folders, if these are absolute', () => {
    const moved = (name: string, variable: string): readonly string[] =>
      agent(name).userFolders({ ...LINUX, env: { [variable]: '/moved' } });
    expect(moved('claude-code', 'CLAUDE_CONFIG_DIR')).toEqual(['/moved/skills']);
    expect(moved('codex', 'CODEX_HOME')).toEqual(['/home/ada/.agents/skills', '/moved/skills']);
    expect(moved('opencode', 'XDG_CONFIG_HOME')[0]).toBe('/moved/opencode/skills');
    expect(moved('amp', 'XDG_CONFIG_HOME')).toEqual(['/moved/agents/skills']);
    const relative = { ...LINUX, env: { CODEX_HOME: 'here', XDG_CONFIG_HOME: '' } };
    expect(agent('codex').userFolders(relative)).toEqual(agent('codex').userFolders(LINUX));
    const zed = { ...WINDOWS, env: { APPDATA: 'D:\\Roaming' } };
    expect(agent('zed').marks(zed)).toContain('D:\\Roaming\\Zed');
  });
});
