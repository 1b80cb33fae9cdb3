import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AGENT_HOSTS } from '../../../src/agents/index.js';
import { buildCatalogue } from '../../../src/index.js';
import { codeOf } from '../../error-code.js';
import { HomeOfAgents } from './home-of-agents.js';

const CLAUDE = '{\n  "numStartups": 12,\n  "projects": {}\n}';
const SETTINGS = '{\n  // mine\n  "hooks": {\n    "Stop": []\n  },\n}\n';
const CODEX = '# mine\r\nmodel = "x"\r\n\r\n[mcp_servers.other]\r\ncommand = "y" # z\r\n';

/** What lies in the same place on each platform. */
const ANYWHERE: Readonly<Record<string, string>> = {
  '.claude.json': CLAUDE,
  '.claude/settings.json': SETTINGS,
  '.codex/config.toml': CODEX,
  '.copilot/': '',
  '.cursor/mcp.json': '{"mcpServers":{"a":{"url":"http://x"}}}',
  '.gemini/settings.json': '\ufeff{\r\n    "theme": "x"\r\n}\r\n',
  '.config/opencode/opencode.jsonc': '{\n  "mcp": {\n    "servers": {} /* two */\n  }\n}\n',
  '.codeium/windsurf/mcp_config.json': '',
  '.kiro/': '',
  '.qwen/settings.json': '{}',
  '.config/amp/settings.json': '{ "amp.mcpServers": { "a": {} }, "amp.x": [1,  2] }',
};

function nested(open: string, close: string): string {
  return `${open.repeat(10_000)}1${close.repeat(10_000)}`;
}

/** A home with each agent, by platform: what is in its configuration, if it has one. */
const HOMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  linux: { ...ANYWHERE, '.config/Code/User/mcp.json': '{\n\t"inputs": [],\n\t"servers": {}\n}\n' },
  darwin: { ...ANYWHERE, 'Library/Application Support/Code/User/settings.json': '{}' },
  win32: { ...ANYWHERE, 'AppData/Roaming/Code/User/settings.json': '{}' },
};

describe('init', () => {
  test.each(Object.keys(HOMES))('writes to each agent of %s once, and undoes it to the byte', async (platform) => {
    const home = new HomeOfAgents(HOMES[platform]!, platform as NodeJS.Platform);
    const before = home.everything;
    const { agents } = await home.run();
    expect(agents.map(({ agent }) => agent)).toEqual(AGENT_HOSTS.map(({ name }) => name));
    const entries = agents.flatMap((plan) => plan.entries);
    expect(entries.map(({ action }) => action)).toEqual(entries.map(() => 'add'));
    for (const { file } of entries) expect(readFileSync(file, 'utf8')).toMatch(/skills\/main\.js/);

    const after = home.everything;
    const second = await home.run();
    expect(second).toMatchObject({ hadWork: false, isDone: false });
    expect(new Set(second.agents.flatMap((plan) => plan.entries.map(({ action }) => action)))).toEqual(
      new Set(['unchanged']),
    );
    expect(home.everything).toEqual(after);

    // The catalogue of these tests is none that can be opened, so it is not deleted.
    rmSync(home.database);
    writeFileSync(`${home.database}.usage`, '');
    await home.run({ isRemoval: true });
    expect(home.everything).toEqual(before);
  });

  test('writes what each agent reads', async () => {
    const home = new HomeOfAgents(HOMES['linux']!);
    await home.run();
    const args = ['/opt/skills/main.js', 'mcp', '--installed', '--watch'];
    const command = '/usr/bin/node';
    const hook = (format: string, timeout: number): object[] => {
      const line = `/usr/bin/node /opt/skills/main.js hook --format ${format} 2>/dev/null || true`;
      return [{ hooks: [{ type: 'command', command: line, timeout }] }];
    };
    const json = (path: string): unknown => JSON.parse(home.read(path));
    expect(json('.claude.json')).toHaveProperty('mcpServers.skills', { type: 'stdio', command, args, env: {} });
    expect(home.read('.claude/settings.json')).toMatch(
      /^\{\n {2}\/\/ mine\n {2}"hooks": \{\n {4}"Stop": \[\],\n {4}"UserPromptSubmit": \[/,
    );
    expect(json('.codex/hooks.json')).toEqual({ hooks: { UserPromptSubmit: hook('codex', 10) } });
    expect(home.read('.codex/config.toml')).toBe(
      [
        `${CODEX}\r\n# begin of what skill-discovery init wrote\r\n[mcp_servers.skills]\r\ncommand = "/usr/bin/node"`,
        `args = ${JSON.stringify(args).replaceAll('",', '", ')}\r\n# end of what skill-discovery init wrote\r\n`,
      ].join('\r\n'),
    );
    expect(json('.copilot/mcp-config.json')).toEqual({
      mcpServers: { skills: { type: 'local', command, args, tools: ['*'] } },
    });
    expect(json('.config/Code/User/mcp.json')).toEqual({
      inputs: [],
      servers: { skills: { type: 'stdio', command, args } },
    });
    expect(json('.cursor/mcp.json')).toEqual({ mcpServers: { a: { url: 'http://x' }, skills: { command, args } } });
    expect(JSON.parse(home.read('.gemini/settings.json').slice(1))).toEqual({
      ...{ theme: 'x', mcpServers: { skills: { command, args } } },
      hooks: {
        BeforeAgent: hook('gemini-cli', 10_000),
        AfterTool: [{ matcher: 'activate_skill', ...hook('gemini-cli', 10_000)[0] }],
      },
    });
    expect(home.read('.claude/settings.json').match(/"(?:matcher|if)": .*"/g)).toEqual([
      '"matcher": "Skill|Read"',
      '"if": "Skill"',
      '"if": "Read(**/SKILL.md)"',
    ]);
    expect(home.read('.config/opencode/opencode.jsonc')).toMatch(
      /^\{\n {2}"mcp": \{\n {4}"servers": \{\n {6}"skills": \{/,
    );
    expect(json('.config/amp/settings.json')).toHaveProperty(['amp.mcpServers', 'skills'], { command, args });
  });

  test('keeps a configuration of OpenCode in the form that it has', async () => {
    const file = '.config/opencode/opencode.json';
    const home = new HomeOfAgents({ [file]: '{"mcp": {"servers": {"type": "local", "command": []}}}' });
    await home.run();
    expect(JSON.parse(home.read(file))).toHaveProperty('mcp.skills.type', 'local');
  });

  test('follows the variables that name the folders of agents', async () => {
    const env = {
      CLAUDE_CONFIG_DIR: 'c',
      CODEX_HOME: 'x',
      COPILOT_HOME: 'p',
      XDG_CONFIG_HOME: 'g',
      XDG_DATA_HOME: 'd',
    };
    const home = new HomeOfAgents({ 'c/': '', 'x/': '', 'p/': '', 'g/opencode/': '', '.claude/': '' }, 'linux', env);
    await home.run();
    const files = Object.keys(home.everything).filter((path) => /\.(json|toml|db)$/.test(path));
    expect(files).toEqual([
      ...['c/.claude.json', 'c/settings.json', 'd/skill-discovery/init.json', 'd/skill-discovery/skills.db'],
      ...['g/opencode/opencode.json', 'p/mcp-config.json', 'x/config.toml', 'x/hooks.json'],
    ]);
  });

  test('starts a hook on Windows without a shell, and none where its shell is not known', async () => {
    const home = new HomeOfAgents({ '.claude/': '', '.codex/': '', '.gemini/settings.json': '{}' }, 'win32');
    expect(await home.actions()).toEqual([
      ...['claude-code server add', 'claude-code hook add', 'claude-code use add'],
      ...['codex server add', 'gemini-cli server add'],
    ]);
    const settings = JSON.parse(home.read('.claude/settings.json'));
    expect(settings.hooks.UserPromptSubmit[0].hooks[0]).toMatchObject({
      command: '/usr/bin/node',
      args: expect.arrayContaining(['hook']),
    });
  });

  test('updates the hook of an earlier version, and writes one that ends silently where node has moved', async () => {
    const home = new HomeOfAgents({ '.codex/': '' });
    await home.run();
    const file = '.codex/hooks.json';
    const record = '.local/share/skill-discovery/init.json';
    for (const path of [file, record]) home.write(path, home.read(path).replace(' 2>/dev/null || true', ''));
    expect(await home.actions()).toEqual(['codex server unchanged', 'codex hook replace']);
    const { command } = JSON.parse(home.read(file)).hooks.UserPromptSubmit[0].hooks[0];
    const moved = command.replace('/usr/bin/node', '/gone/node');
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', moved], { encoding: 'utf8' });
    expect([status, stdout, stderr]).toEqual([0, '', '']);
  });

  test('refuses unknown agents, and a home without any', async () => {
    const home = new HomeOfAgents({});
    expect(await codeOf(() => home.run({ agents: ['claude'] }))).toBe('INVALID_OPTION');
    await expect(home.run({ agents: ['claud-code'] })).rejects.toThrow('did you mean claude-code?');
    await expect(home.run()).rejects.toThrow(/^no agent was found: name some with --agents \(claude-code, /);
    expect(await codeOf(() => home.run())).toBe('INVALID_OPTION');
    expect(home.everything).toEqual({});
  });

  test('quotes paths for the shell', async () => {
    const home = new HomeOfAgents({ '.claude/': '' });
    await home.run({ entry: "/opt/it's mine/main.js" });
    const settings = JSON.parse(home.read('.claude/settings.json'));
    expect(settings.hooks.UserPromptSubmit[0].hooks[0].command).toContain(`node '/opt/it'\\''s mine/main.js' hook`);
  });
});

describe('what is in the way', () => {
  test.each([
    ['broken JSON', '.claude/settings.json', '{"hooks": {', /settings\.json: it is not JSON: close brace expected/],
    ['broken TOML', '.codex/config.toml', 'a = [', /config\.toml: it is not TOML: .* in line 1/],
    [
      'another type',
      '.claude.json',
      '{"mcpServers": []}',
      /\.claude\.json: expected an object at mcpServers, found an array/,
    ],
    ['no UTF-8', '.claude.json', '\ud800', /\.claude\.json: /],
    ['deep JSON', '.claude.json', nested('{"a":', '}'), /\.claude\.json: its values are nested too deeply/],
    ['deep TOML', '.codex/config.toml', `a = ${nested('[', ']')}`, /config\.toml: /],
  ])('%s keeps init from writing anything for that agent, and the others go on', async (_, path, text, reason) => {
    const home = new HomeOfAgents({
      '.claude.json': CLAUDE,
      '.codex/config.toml': CODEX,
      '.cursor/': '',
      [path]: text,
    });
    if (text === '\ud800') writeFileSync(join(home.home, path), Buffer.from([0x7b, 0xff, 0x7d]));
    const before = home.everything;
    const { agents } = await home.run();
    expect(agents.flatMap(({ faults }) => faults)).toEqual([expect.stringMatching(reason)]);
    const [agent] = agents.filter(({ faults }) => faults.length > 0);
    expect(new Set(agent!.entries.map(({ action }) => action))).toEqual(new Set(['refused']));
    for (const [file, contents] of Object.entries(before)) {
      if (agent!.entries.some((entry) => entry.file === join(home.home, file)))
        expect(home.everything[file]).toBe(contents);
    }
    expect(home.read('.cursor/mcp.json')).toContain('skills');
    const other = agent!.agent === 'codex' ? '.claude.json' : '.codex/config.toml';
    expect(home.read(other)).toContain('--watch');
  });

  test.skipIf(process.platform === 'win32')(
    'a folder that cannot be made is told of its agent, and the others go on, also when all is undone',
    async () => {
      const home = new HomeOfAgents({ '.claude.json': CLAUDE, '.codex/config.toml': CODEX });
      symlinkSync('nowhere/at/all', join(home.home, '.cursor'));
      const before = home.everything;
      const { agents, isDone } = await home.run({ agents: ['cursor', 'codex'] });
      expect(isDone).toBe(true);
      const file = join(home.home, '.cursor/mcp.json');
      const reason = expect.stringMatching(/^it cannot be written: the folder .* is a link that leads nowhere$/);
      expect(agents[0]).toMatchObject({ agent: 'cursor', entries: [{ file, action: 'refused', edits: [], reason }] });
      expect(agents.map(({ faults }) => faults.length)).toEqual([1, 0]);
      expect(agents[0]!.faults[0]).toMatch(`${file}: it cannot be written: the folder `);
      expect(home.read('.codex/config.toml')).toContain('--watch');
      rmSync(home.database);
      await home.run({ isRemoval: true });
      expect(home.everything).toEqual(before);
    },
  );

  test('a server of the same name that somebody else wrote stays', async () => {
    const text = '{"mcpServers": {"skills": {"command": "skill-discovery", "args": ["mcp"]}}}';
    const home = new HomeOfAgents({ '.cursor/mcp.json': text });
    const { agents } = await home.run();
    expect(agents[0]!.entries[0]).toMatchObject({
      action: 'kept',
      reason: expect.stringMatching(/^init did not write it/),
    });
    expect(home.read('.cursor/mcp.json')).toBe(text);
    await home.run({ isRemoval: true });
    expect(home.read('.cursor/mcp.json')).toBe(text);
  });

  test('an entry that is there already, but not from init, is left there by a removal', async () => {
    const home = new HomeOfAgents({ '.cursor/': '' });
    await home.run();
    const text = home.read('.cursor/mcp.json');
    rmSync(join(home.home, '.local'), { recursive: true });
    expect(await home.actions()).toEqual(['cursor server unchanged']);
    await home.run({ isRemoval: true });
    expect(home.read('.cursor/mcp.json')).toBe(text);
  });
});

describe('after an upgrade', () => {
  test('the entries get the new path, and are undone to the byte', async () => {
    const home = new HomeOfAgents(HOMES['linux']!);
    const before = home.everything;
    await home.run();
    const actions = await home.actions({ entry: '/opt/new/main.js' });
    expect(new Set(actions.map((action) => action.split(' ')[2]))).toEqual(new Set(['replace']));
    expect(home.read('.codex/config.toml')).toContain('/opt/new/main.js');
    expect(home.read('.claude/settings.json')).not.toContain('/opt/skills/main.js');
    // One of two parts, and another move: what is not named stays as it is.
    await home.run({ entry: '/opt/newer/main.js', parts: ['hook'] });
    expect(home.read('.gemini/settings.json')).toMatch(/new\/main\.js[\s\S]*newer\/main\.js/);
    rmSync(home.database);
    // No copy is left: it may hold tokens.
    expect(await home.run({ isRemoval: true })).toMatchObject({ backups: [], left: [] });
    expect(home.everything).toEqual(before);
  });

  test('the entries get the new path also where somebody else has written since', async () => {
    const home = new HomeOfAgents({ '.codex/config.toml': CODEX, '.gemini/settings.json': '{"theme": "x"}' });
    await home.run();
    home.write('.codex/config.toml', `${home.read('.codex/config.toml')}[tui]\r\nx = 1\r\n`);
    home.write('.gemini/settings.json', home.read('.gemini/settings.json').replace('"x"', '"y"'));
    await home.run({ entry: '/opt/new/main.js' });
    expect(home.read('.gemini/settings.json')).not.toContain('/opt/skills/main.js');
    expect(await home.run({ isRemoval: true })).toMatchObject({ left: [] });
    expect(home.read('.codex/config.toml')).toBe(`${CODEX}[tui]\r\nx = 1\r\n`);
    expect(home.read('.gemini/settings.json')).toBe('{"theme": "y"}');
  });
});

describe('undoing', () => {
  test('takes nothing that its user has added since', async () => {
    const home = new HomeOfAgents({
      '.claude.json': CLAUDE,
      '.claude/settings.json': SETTINGS,
      '.codex/config.toml': CODEX,
    });
    await home.run();
    home.write(
      '.claude.json',
      home.read('.claude.json').replace('12', '13').replace('"mcpServers": {', '"mcpServers": {\n    "new": {},'),
    );
    const hook = '{ "hooks": [{ "type": "command", "command": "echo" }] }';
    home.write(
      '.claude/settings.json',
      home
        .read('.claude/settings.json')
        .replace('"UserPromptSubmit": [', `"UserPromptSubmit": [\n      ${hook}, // new`),
    );
    home.write('.codex/config.toml', `${home.read('.codex/config.toml')}\r\n# new\r\n[tui]\r\nx = 1\r\n`);
    const { agents, backups } = await home.run({ isRemoval: true });
    expect(agents.flatMap(({ entries }) => entries.map(({ action }) => action))).toEqual(Array(5).fill('remove'));
    expect(home.read('.claude.json')).toBe(
      CLAUDE.replace('12', '13').replace('{}', '{},\n  "mcpServers": {\n    "new": {}\n  }'),
    );
    expect(home.read('.claude/settings.json')).toBe(
      SETTINGS.replace('[]\n', `[],\n    "UserPromptSubmit": [\n      ${hook} // new\n    ]\n`),
    );
    expect(home.read('.codex/config.toml')).toBe(`${CODEX}\r\n# new\r\n[tui]\r\nx = 1\r\n`);
    // Copies of what was before the removal, and of what was before init: neither is there otherwise.
    expect(backups).toHaveLength(6);
    for (const backup of backups) expect(existsSync(backup)).toBe(true);
  });

  test('leaves an entry that its user has changed, and says so until it is gone', async () => {
    const home = new HomeOfAgents({ '.cursor/': '', '.claude/': '' });
    await home.run();
    home.write('.cursor/mcp.json', home.read('.cursor/mcp.json').replace('"args"', '"env": {}, "args"'));
    const settings = home.read('.claude/settings.json');
    home.write('.claude/settings.json', settings.replace('"timeout": 10', '"timeout": 20'));
    const again = async (): Promise<readonly string[]> => home.actions({ isRemoval: true });
    const { left } = await home.run({ isRemoval: true, dialogue: { choose: async () => undefined } });
    expect(left).toEqual([
      expect.stringMatching(/settings\.json: hooks\.UserPromptSubmit: it was changed after init had written it/),
      expect.stringMatching(/mcp\.json: mcpServers\.skills: it was changed after init had written it/),
    ]);
    expect(await again()).toEqual([
      ...['claude-code server remove', 'claude-code hook kept', 'claude-code use remove', 'cursor server kept'],
    ]);
    expect(await again()).toEqual(['claude-code hook kept', 'cursor server kept']);
    expect(home.read('.cursor/mcp.json')).toContain('"env": {}');
    // What they start is still there.
    expect(existsSync(home.database)).toBe(true);
    home.write('.cursor/mcp.json', '{}');
    home.write('.claude/settings.json', settings);
    expect(await again()).toEqual(['claude-code hook remove', 'cursor server gone']);
    expect(existsSync(join(home.home, '.local/share/skill-discovery/init.json'))).toBe(false);
  });

  test('undoes one agent and leaves the others', async () => {
    const home = new HomeOfAgents({ '.cursor/': '', '.codex/': '' });
    await home.run();
    const actions = await home.actions({ isRemoval: true, agents: ['codex'] });
    expect(actions).toEqual(['codex server remove', 'codex hook remove']);
    expect(home.read('.cursor/mcp.json')).toContain('skills');
    expect(existsSync(home.database)).toBe(true);
  });

  test('deletes a file that init made, and keeps one to which something was added', async () => {
    const home = new HomeOfAgents({ '.cursor/': '', '.copilot/': '', '.kiro/': '' });
    await home.run();
    home.write('.copilot/mcp-config.json', home.read('.copilot/mcp-config.json').replace('{\n', '{ // mine\n'));
    home.write('.kiro/settings/mcp.json', JSON.stringify(JSON.parse(home.read('.kiro/settings/mcp.json'))));
    await home.run({ isRemoval: true });
    expect(Object.keys(home.everything).filter((path) => !/local|bak$/.test(path))).toEqual([
      ...['.copilot', '.copilot/mcp-config.json', '.cursor', '.kiro', '.kiro/settings'],
    ]);
    expect(home.read('.copilot/mcp-config.json')).toBe('{ // mine\n}\n');
  });

  test('deletes the catalogue that init built, unless it has skills from elsewhere', async () => {
    for (const isKept of [false, true]) {
      const skill = '---\nname: a\ndescription: A skill.\n---\n';
      const home = new HomeOfAgents({ '.cursor/skills/a/SKILL.md': skill, 'mine/b/SKILL.md': skill });
      await home.run();
      rmSync(home.database);
      const installed = { home: home.home, cwd: home.home, env: {}, platform: 'linux', agents: ['cursor'] } as const;
      const sources = [{ installed }, ...(isKept ? [join(home.home, 'mine')] : [])];
      await buildCatalogue({ database: home.database, sources, semantic: false });
      const { catalogues } = await home.run({ isRemoval: true });
      expect(catalogues).toEqual([{ database: home.database, action: isKept ? 'keep' : 'remove' }]);
      expect(existsSync(home.database)).toBe(isKept);
      expect(existsSync(join(home.home, '.local'))).toBe(isKept);
    }
  });

  test('deletes the catalogues of projects with that of the user', async () => {
    const mine = '---\nname: a\ndescription: A skill.\n---\n';
    const home = new HomeOfAgents({ '.cursor/': '', 'mine/a/SKILL.md': mine });
    const before = Object.keys(home.everything);
    const projects = '.local/share/skill-discovery/projects';
    await home.run();
    rmSync(home.database);
    const one = `${projects}/0123456789abcdef/skills.db`;
    home.write(`${one}.loading`, '');
    const removed = { database: join(home.home, one), action: 'remove' };
    expect((await home.run({ isRemoval: true })).catalogues).toEqual([
      { database: home.database, action: 'remove' },
      removed,
    ]);
    expect(Object.keys(home.everything)).toEqual(before);
  });

  test('leaves a catalogue that was there before', async () => {
    const home = new HomeOfAgents({ '.cursor/': '', '.local/share/skill-discovery/skills.db': 'mine' });
    const before = home.everything;
    expect((await home.run()).catalogues).toEqual([{ database: home.database, action: 'present' }]);
    home.write('.local/share/skill-discovery/skills.db', 'mine');
    await home.run({ isRemoval: true });
    expect(home.everything).toEqual(before);
  });

  test('refuses a record that it cannot read', async () => {
    const home = new HomeOfAgents({ '.local/share/skill-discovery/init.json': '{"version": 2}' });
    expect(() => home.record).toThrow(/init\.json is not a record of this version's `init`/);
  });
});

describe('asking', () => {
  test('writes nothing, not even a catalogue, if the answer is no', async () => {
    const home = new HomeOfAgents(HOMES['linux']!);
    const before = home.everything;
    const result = await home.run({ dialogue: { choose: async () => undefined } });
    expect(result).toMatchObject({ hadWork: true, isDone: false, backups: [] });
    expect(home.everything).toEqual(before);
  });

  test('writes for those that were chosen', async () => {
    const home = new HomeOfAgents({ '.cursor/': '', '.codex/': '' });
    const { agents } = await home.run({ dialogue: { choose: async () => ['cursor'] } });
    // What was left alone is not told of: neither entries, nor what to do after Codex got a hook.
    expect(agents.map(({ agent }) => agent)).toEqual(['cursor']);
    expect(existsSync(join(home.home, '.cursor/mcp.json'))).toBe(true);
    expect(existsSync(join(home.home, '.codex/config.toml'))).toBe(false);
  });

  test('shows nothing of a configuration but what changes', async () => {
    const home = new HomeOfAgents({ '.cursor/mcp.json': '{"mcpServers": {"a": {"env": {"KEY": "secret"}}}}' });
    const { agents } = await home.run();
    expect(JSON.stringify(agents.map(({ entries }) => entries))).not.toContain('secret');
  });

  test('shows a file anew that was written meanwhile, and keeps what was written', async () => {
    const home = new HomeOfAgents({ '.cursor/mcp.json': '{}', '.codex/': '' });
    const shown: boolean[] = [];
    const result = await home.run({
      dialogue: {
        show: (_, isAgain) => {
          shown.push(isAgain);
          if (!isAgain) home.write('.cursor/mcp.json', '{"mine": 1}');
        },
      },
    });
    expect(shown).toEqual([false, true]);
    expect(result.isDone).toBe(true);
    expect(JSON.parse(home.read('.cursor/mcp.json'))).toMatchObject({ mine: 1, mcpServers: {} });
    await home.run({ isRemoval: true });
    expect(home.read('.cursor/mcp.json')).toBe('{"mine": 1}');
  });
});

describe('a configuration', () => {
  test.skipIf(process.platform === 'win32')('keeps its mode, and its copy has the same', async () => {
    const home = new HomeOfAgents({});
    home.write('.cursor/mcp.json', '{}', 0o640);
    const { backups } = await home.run();
    expect(backups).toEqual([join(home.home, '.cursor/mcp.json.20261123T040506Z.bak')]);
    expect(readFileSync(backups[0]!, 'utf8')).toBe('{}');
    for (const path of [join(home.home, '.cursor/mcp.json'), ...backups])
      expect(statSync(path).mode & 0o777).toBe(0o640);
  });

  test('that is a link stays one: what it leads to is written', async () => {
    const home = new HomeOfAgents({ '.cursor/': '', 'dotfiles/mcp.json': '{}' });
    symlinkSync('../dotfiles/mcp.json', join(home.home, '.cursor/mcp.json'));
    const before = home.everything;
    await home.run();
    expect(home.everything['.cursor/mcp.json']).toBe('link to ../dotfiles/mcp.json');
    expect(home.read('dotfiles/mcp.json')).toContain('skills');
    rmSync(home.database);
    await home.run({ isRemoval: true });
    expect(home.everything).toEqual(before);
  });
});

test('two runs at the same time know of each other, and what both wrote is undone to the byte', async () => {
  const home = new HomeOfAgents(HOMES['linux']!);
  const before = home.everything;
  await Promise.all([home.run({ agents: ['codex', 'cursor'] }), home.run({ agents: ['claude-code', 'cursor'] })]);
  expect(home.record.files.map(({ agent }) => agent).sort()).toEqual([
    ...['claude-code', 'claude-code', 'codex', 'codex', 'cursor'],
  ]);
  rmSync(home.database);
  const both = await Promise.all([home.run({ isRemoval: true }), home.run({ isRemoval: true })]);
  expect(both.map(({ left }) => left)).toEqual([[], []]);
  expect(home.everything).toEqual(before);
});
