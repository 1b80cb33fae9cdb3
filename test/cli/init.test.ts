import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { scratchFolder } from '../scratch-folder.js';
import type { Captured } from './run-captured.js';
import { runProcess } from './run-process.js';

const ENTRY = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** A home with Cursor and one skill. */
class Home {
  readonly path: string = scratchFolder();
  readonly config: string = join(this.path, '.cursor', 'mcp.json');

  constructor() {
    const skill = join(this.path, '.cursor', 'skills', 'pdf-fill');
    mkdirSync(skill, { recursive: true });
    writeFileSync(join(skill, 'SKILL.md'), '---\nname: pdf-fill\ndescription: Fills in PDF forms.\n---\n');
    writeFileSync(this.config, '{}\n');
    // The sources are run, by a package that is looked for from the working folder.
    symlinkSync(join(process.cwd(), 'node_modules'), join(this.path, 'node_modules'), 'junction');
  }

  init(...words: readonly string[]): Promise<Captured> {
    return this.in(this.path, ...words);
  }

  /** Runs it in a folder. */
  in(cwd: string, ...words: readonly string[]): Promise<Captured> {
    const inside = (name: string): string => join(this.path, name);
    // Nothing of the machine that the test runs on.
    const env = {
      ...{ HOME: this.path, USERPROFILE: this.path, APPDATA: inside('roaming'), LOCALAPPDATA: inside('local') },
      ...{ XDG_CONFIG_HOME: '', XDG_DATA_HOME: inside('data'), XDG_STATE_HOME: '', XDG_RUNTIME_DIR: '' },
      ...{ CLAUDE_CONFIG_DIR: '', CODEX_HOME: '', COPILOT_HOME: '' },
    };
    return runProcess(['init', '--no-semantic', ...words], '', { cwd, env });
  }
}

describe('init', () => {
  test('shows what it would write and ends with 2 where nobody can be asked', async () => {
    const home = new Home();
    const { status, out, error } = await home.init();
    expect(status).toBe(2);
    expect(out).toContain(`${home.config}: mcpServers.skills is added\n`);
    expect(out).toMatch(/Nothing was written\.\n$/);
    expect(error).toBe('error: nobody can be asked here: --yes writes this, --dry-run only shows it\n');
    expect(readFileSync(home.config, 'utf8')).toBe('{}\n');
    expect(await home.init('--dry-run')).toMatchObject({ status: 0, out, error: '' });
    expect(existsSync(join(home.path, 'data'))).toBe(false);
  });

  test('builds the catalogue, writes absolute paths, changes nothing in a second run, and undoes all', async () => {
    const home = new Home();
    const database = join(home.path, 'data', 'skill-discovery', 'skills.db');
    const first = await home.init('--yes');
    expect(first).toMatchObject({ status: 0, error: '' });
    expect(first.out).toContain(`${database} has 1 installed skill.`);
    const args = [ENTRY, 'mcp', '--installed', '--watch', '--no-semantic'];
    const written = readFileSync(home.config, 'utf8');
    expect(JSON.parse(written)).toEqual({ mcpServers: { skills: { command: process.execPath, args } } });
    const second = await home.init('--yes');
    expect(second).toMatchObject({ status: 0, out: expect.stringMatching(/Nothing to change\.\n$/) });
    expect(readFileSync(home.config, 'utf8')).toBe(written);
    expect(await home.init('--remove', '--yes')).toMatchObject({
      status: 0,
      out: expect.stringMatching(/Undone\.\n$/),
    });
    expect(readFileSync(home.config, 'utf8')).toBe('{}\n');
    expect(existsSync(join(home.path, 'data'))).toBe(false);
    expect(await home.init('--remove')).toMatchObject({ status: 0, out: 'There is nothing to undo.\n' });
  }, 60_000);

  test('loads the skills of the user only, wherever it is run, and names a catalogue only if one is given', async () => {
    const home = new Home();
    const project = join(home.path, 'work');
    const skill = join(project, '.claude', 'skills', 'whole');
    mkdirSync(skill, { recursive: true });
    writeFileSync(join(skill, 'SKILL.md'), '---\nname: whole\ndescription: Belongs to the project.\n---\n');
    const first = await home.in(project, '--yes', '--json');
    expect(JSON.parse(first.out)).toMatchObject({ report: { added: 1 } });
    const database = join(home.path, 'my.db');
    await home.in(project, '--yes', '--database', database);
    expect(JSON.parse(readFileSync(home.config, 'utf8')).mcpServers.skills.args).toEqual([
      ...[ENTRY, 'mcp', '--database', database, '--installed', '--watch', '--no-semantic'],
    ]);
  }, 60_000);

  test('prints one JSON object, and ends with 1 where a configuration cannot be edited', async () => {
    const home = new Home();
    writeFileSync(home.config, '{"a": \n');
    const { status, out, error } = await home.init('--yes', '--json', '--agents', 'cursor,codex', '--no-hook');
    expect(status).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      agents: [
        { agent: 'cursor', entries: [{ action: 'refused', reason: expect.stringMatching(/in line 2, column 1$/) }] },
        { agent: 'codex', entries: [{ part: 'server', action: 'add', place: 'mcp_servers.skills' }] },
      ],
      ...{ changes: true, written: true, backups: [], report: { added: 1 } },
    });
    expect(error).toContain(`left as they are: ${home.config}: it is not JSON: expected a value in line 2, column 1`);
    expect(existsSync(join(home.path, '.codex', 'config.toml'))).toBe(true);
  }, 60_000);

  test('is wrong use with an unknown agent', async () => {
    const { status, error } = await new Home().init('--agents', 'curser');
    expect(status).toBe(2);
    expect(error).toBe('error: unknown agent "curser": did you mean cursor?\n');
    expect((await new Home().init('--agents', 'cursor', '--database', '')).status).toBe(2);
  });
});
