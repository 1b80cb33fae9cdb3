import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { scratchFolder } from '../scratch-folder.js';
import type { Captured } from './run-captured.js';
import { catchOutput, runProcess } from './run-process.js';

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
    return runProcess(['init', '--no-semantic', ...words], '', { cwd, env: this.env });
  }

  /** Runs it where no file can grow over so many blocks of 512 bytes, as on a full disk. */
  async onFullDisk(blocks: number, ...words: readonly string[]): Promise<Captured> {
    const program = [process.execPath, '--import', 'tsx', join(process.cwd(), 'src/cli/main.ts'), 'init', ...words];
    const child = spawn('sh', ['-c', `ulimit -f ${blocks}; exec "$@"`, 'sh', ...program], {
      ...{ cwd: this.path, env: { ...process.env, ...this.env, TSX_DISABLE_CACHE: '1' } },
    });
    const output = catchOutput(child);
    await once(child, 'close');
    return { status: child.exitCode ?? -1, ...output() };
  }

  get env(): Readonly<Record<string, string>> {
    const inside = (name: string): string => join(this.path, name);
    // Nothing of the machine that the test runs on.
    return {
      ...{ HOME: this.path, USERPROFILE: this.path, APPDATA: inside('roaming'), LOCALAPPDATA: inside('local') },
      ...{ XDG_CONFIG_HOME: '', XDG_DATA_HOME: inside('data'), XDG_STATE_HOME: '', XDG_RUNTIME_DIR: '' },
      ...{ CLAUDE_CONFIG_DIR: '', CODEX_HOME: '', COPILOT_HOME: '' },
    };
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

  test('says what it left because it was changed since, and ends with 1', async () => {
    const home = new Home();
    await home.init('--yes', '--agents', 'cursor,codex', '--no-hook');
    writeFileSync(home.config, readFileSync(home.config, 'utf8').replace('"--watch"', '"--changed"'));
    const removed = await home.init('--remove', '--yes');
    expect([removed.status, removed.out]).toEqual([1, expect.stringMatching(/\nUndone in part\.\n$/)]);
    const left = `error: left as they are: ${home.config}: mcpServers.skills: it was changed after init had written it`;
    expect(removed.error).toContain(left);
    expect(existsSync(join(home.path, '.codex'))).toBe(false);
    const again = await home.init('--remove', '--yes');
    expect([again.status, again.out]).toEqual([1, expect.stringMatching(/Nothing to change\.\n$/)]);
    expect(again.error).toContain(left);
  }, 60_000);

  test.skipIf(process.platform === 'win32')(
    'says nothing is undone, or a part, where the disk is full',
    async () => {
      const home = new Home();
      writeFileSync(home.config, `{ "a": "${'x'.repeat(4000)}" }\n`);
      await home.init('--yes', '--agents', 'cursor,codex', '--no-hook');
      const written = readFileSync(home.config, 'utf8');
      const record = join(home.path, 'data/skill-discovery/init.json');
      const full = await home.onFullDisk(1, '--remove', '--yes', '--agents', 'cursor');
      expect([full.status, full.out]).toEqual([1, expect.stringMatching(/\nNothing was undone\.\n$/)]);
      expect(full.error).toMatch(/^error: left as they are: .*mcp\.json: it cannot be written: EFBIG/);
      expect(readFileSync(home.config, 'utf8')).toBe(written);
      // What needs no room is undone; only the record of it cannot be written.
      const part = await home.onFullDisk(1, '--remove', '--yes');
      expect([part.status, part.out]).toEqual([1, expect.stringMatching(/\nUndone in part\.\n$/)]);
      expect(part.error).toContain(`the record of what is written, ${record}, cannot be written: EFBIG`);
      expect(existsSync(join(home.path, '.codex'))).toBe(false);
      expect(await home.init('--remove', '--yes')).toMatchObject({ status: 0, error: '' });
      expect(readdirSync(join(home.path, '.cursor')).sort()).toEqual(['mcp.json', 'skills']);
      expect(existsSync(join(home.path, 'data'))).toBe(false);
    },
    60_000,
  );

  test.skipIf(process.platform !== 'linux')(
    'ends with 1 where its output cannot be written',
    async () => {
      const home = new Home();
      await home.init('--yes');
      const stdout = openSync('/dev/full', 'w');
      const { status, error } = await runProcess(['init', '--remove', '--yes'], '', {
        ...{ cwd: home.path, env: home.env, stdout },
      });
      closeSync(stdout);
      expect([status, error]).toEqual([1, expect.stringMatching(/^error: the output cannot be written: ENOSPC/)]);
      expect((await home.init('--remove', '--yes')).status).toBe(0);
      expect(existsSync(join(home.path, 'data'))).toBe(false);
    },
    60_000,
  );

  test('is wrong use with an unknown agent', async () => {
    const { status, error } = await new Home().init('--agents', 'curser');
    expect(status).toBe(2);
    expect(error).toBe('error: unknown agent "curser": did you mean cursor?\n');
    expect((await new Home().init('--agents', 'cursor', '--database', '')).status).toBe(2);
  });
});
