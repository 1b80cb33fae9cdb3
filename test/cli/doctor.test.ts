import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { DoctorReport } from '../../src/agents/index.js';
import { appendUsage, type UsageEntry, usageFile } from '../../src/core/index.js';
import { buildCatalogue } from '../../src/index.js';
import { row } from '../rows.js';
import { scratchFolder } from '../scratch-folder.js';
import { type Captured, linesOf, runCaptured, standAt } from './run-captured.js';

const NOW = Math.floor(Date.now() / 1000);

/** A user whose Claude Code calls our hook, by words, in a project; the process runs there. */
class Patient {
  readonly home: string = scratchFolder();
  readonly entry: string = join(this.home, 'package', 'dist', 'cli', 'main.js');
  readonly project: string = join(this.home, 'work');
  readonly database: string = join(this.home, 'data', 'skill-discovery', 'skills.db');

  constructor() {
    standAt(this.home, this.project);
    vi.stubEnv('XDG_DATA_HOME', join(this.home, 'data'));
    this.write('package/dist/cli/main.js', '');
    this.write('work/.git/HEAD', '');
    this.write('.claude/settings.json', this.settings('UserPromptSubmit', 'claude-code'));
  }

  /** The configuration of an agent with our hook. */
  settings(event: string, format: string, more: object = {}): string {
    const command = `'${process.execPath}' ${this.entry} hook --format ${format} --mode words 2>/dev/null || true`;
    const group = { hooks: [{ type: 'command', command }] };
    return JSON.stringify({ ...more, hooks: { [event]: [group], PostToolUse: [group] } });
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.home, path)), { recursive: true });
    writeFileSync(join(this.home, path), text);
  }

  async load(...ids: readonly string[]): Promise<void> {
    const rows = ids.map((id) => row(id, { name: id, description: `Does ${id.replaceAll('-', ' ')} for customers.` }));
    mkdirSync(dirname(this.database), { recursive: true });
    await buildCatalogue({ database: this.database, sources: [rows], semantic: false });
  }

  use(entry: Partial<UsageEntry> = {}): void {
    const shown = { time: NOW, host: 'claude-code', session: 's', kind: 'shown', skills: [] } as const;
    appendUsage(this.database, { ...shown, ...entry });
  }

  doctor(...words: readonly string[]): Promise<Captured> {
    return runCaptured(['doctor', ...words], { columns: 140 });
  }

  async report(...words: readonly string[]): Promise<DoctorReport> {
    return JSON.parse((await this.doctor('--json', ...words)).out) as DoctorReport;
  }

  async problems(...words: readonly string[]): Promise<readonly string[]> {
    return (await this.report(...words)).problems.map(({ problem }) => problem.replaceAll(this.home, '~'));
  }
}

let patient: Patient;

beforeEach(async () => {
  patient = new Patient();
  await patient.load('pdf-forms', 'cron-jobs', 'csv-charts');
});

describe('doctor', () => {
  test('ends with 0 where the hook is called, and says what became of what was shown', async () => {
    const day = { time: NOW - 3 * 86_400, session: 'former' };
    patient.use({ ...day, skills: ['pdf-forms', 'cron-jobs'], tokens: 300 });
    patient.use({ ...day, kind: 'used', skills: ['pdf-forms'] });
    for (let i = 0; i < 10; i++) patient.use({ session: `s${i}`, skills: ['cron-jobs'], tokens: 10 });
    patient.use();
    patient.use({ host: 'mcp', skills: ['pdf-forms'] });
    const { status, out, error } = await patient.doctor();
    expect([status, error]).toEqual([0, '']);
    expect(linesOf(out)).toEqual([
      expect.stringMatching(/^Claude Code called the hook today at \d\d:\d\d\.$/),
      '~/data/skill-discovery/skills.db has 3 skills, found by words.',
      expect.stringMatching(/^Since \d{4}-\d\d-\d\d: skills beside 11 of 12 prompts, 200 tokens a day\.$/),
      'Of 13 skills shown, 1 were loaded.',
      'Shown often and never loaded: cron-jobs.',
      '1 skill of it were never shown.',
    ]);
    const { usage, neverShown } = await patient.report();
    expect(neverShown).toEqual(['csv-charts']);
    expect(usage.skills).toEqual([
      { id: 'cron-jobs', shown: 11, loaded: 0 },
      { id: 'pdf-forms', shown: 2, loaded: 1 },
    ]);
  });

  test('says what is missing on a machine without anything, and ends with 1', async () => {
    patient.write('.claude/settings.json', '{}');
    const { status, out, error } = await patient.doctor('--database', join(patient.home, 'none.db'));
    expect([status, error]).toEqual([1, 'error: 2 things are wrong\n']);
    expect(linesOf(out)).toEqual([
      'WRONG: no agent calls the hook: run `skill-discovery init`.',
      'WRONG: there is no catalogue at ~/none.db: run `skill-discovery init`.',
      'Claude Code has no hook of ours.',
      'The log of use is empty.',
    ]);
    writeFileSync(patient.database, 'text');
    expect((await patient.report()).problems[1]).toMatchObject({
      ...{ about: 'catalogue', remedy: 'move it away, then run `skill-discovery init`' },
    });
  });

  test('names what a command starts that has moved, once for all agents, and settings that cannot be read', async () => {
    const moved = patient.settings('UserPromptSubmit', 'codex').replaceAll(patient.entry, '/gone/dist/cli/main.js');
    patient.write('.claude/settings.json', moved);
    patient.write(
      '.cursor/mcp.json',
      JSON.stringify({ mcpServers: { skills: { command: 'node', args: ['/gone/dist/cli/main.js', 'mcp'] } } }),
    );
    patient.write('.claude.json', '{');
    expect(await patient.problems()).toEqual([
      'what Claude Code, Cursor would start names /gone/dist/cli/main.js, which is not there',
      '~/.claude.json: it is not JSON: close brace expected in line 1, column 2',
    ]);
    expect((await patient.problems('--agents', 'codex,vscode'))[0]).toBe('no agent calls the hook');
    patient.write('.claude/settings.json', '{');
    expect((await patient.problems()).filter((problem) => problem.includes('settings.json'))).toHaveLength(1);
    expect(await patient.doctor('--agents', 'claude')).toMatchObject({ status: 2, out: '' });
  });

  test.each([
    ['claude-code', 'UserPromptSubmit', 'Claude Code', 'disableAllHooks = true', '.claude/settings.json'],
    ['claude-code', 'UserPromptSubmit', 'Claude Code', 'disableAllHooks = true', 'work/.claude/settings.local.json'],
    ['gemini-cli', 'BeforeAgent', 'Gemini CLI', 'hooksConfig.enabled = false', '.gemini/settings.json'],
    ['gemini-cli', 'BeforeAgent', 'Gemini CLI', 'hooksConfig.enabled = false', 'work/.gemini/settings.json'],
  ])('says that a setting of %s switches its hooks off', async (agent, event, title, setting, file) => {
    const off = { disableAllHooks: true, hooksConfig: { enabled: false } };
    const on = { disableAllHooks: false, hooksConfig: { enabled: true } };
    const [folder] = agent.split('-');
    patient.write(`.${folder}/settings.json`, patient.settings(event, agent));
    patient.write(file, patient.settings(event, agent, off));
    const problem = `${title} does not call the hook, because of ${setting} in ~/${file}`;
    expect(await patient.problems('--agents', agent)).toEqual([problem]);
    patient.write(`work/.${folder}/settings${folder === 'claude' ? '.local' : ''}.json`, JSON.stringify(on));
    expect(await patient.problems('--agents', agent)).toEqual([]);
  });

  test('says that Codex calls no hook, or waits for its review, until it was called', async () => {
    patient.write('.codex/hooks.json', patient.settings('UserPromptSubmit', 'codex'));
    patient.write('work/.codex/config.toml', '[features]\nhooks = false\n');
    const waits = 'Codex calls a hook only after a review, and has not called it yet';
    expect(await patient.problems()).toEqual([
      'Codex does not call the hook, because of features.hooks = false in ~/work/.codex/config.toml',
      waits,
    ]);
    patient.write('work/.codex/config.toml', '');
    expect(await patient.problems()).toEqual([waits]);
    patient.use({ host: 'codex' });
    expect(await patient.problems()).toEqual([]);
  });

  test('says why skills are not found by meaning, where the hook wants that', async () => {
    const byMeaning = patient.settings('UserPromptSubmit', 'claude-code').replace(' --mode words', '');
    patient.write('.claude/settings.json', byMeaning);
    const { problems, catalogue } = await patient.report();
    expect(problems).toEqual([
      {
        about: 'meaning',
        problem: `words only: ${patient.database} has no vectors, which semantic search needs`,
        remedy: 'run `skill-discovery init`',
      },
    ]);
    expect(catalogue).toEqual({ database: patient.database, skills: 3 });
  });

  test('counts what the hook failed with, unless it is rare and over', async () => {
    const log = (...ages: readonly number[]): void => {
      const lines = ages.map((age) => `${new Date((NOW - age) * 1000).toISOString()} TIME_LIMIT\n`);
      patient.write('.local/state/skill-discovery/hook.log', lines.join(''));
    };
    log(8 * 86_400, 60, 30);
    expect(await patient.problems()).toEqual(['the hook failed 2 times in a week, last with TIME_LIMIT']);
    for (let i = 0; i < 20; i++) patient.use();
    log(8 * 86_400, 60);
    expect(await patient.problems()).toEqual([]);
    log(-60);
    expect(await patient.problems()).toEqual(['the hook failed once in a week, last with TIME_LIMIT']);
  });

  test('shows how a prompt is decided', async () => {
    const PROMPT = 'Write cron jobs that run every night and mail a report of the sales to our customers';
    expect(linesOf((await patient.doctor('--prompt', PROMPT)).out).slice(3, 5)).toEqual([
      expect.stringMatching(/^Prompt: by words/),
      expect.stringMatching(/^0\.\d{3} cron-jobs/),
    ]);
    const named = linesOf((await patient.doctor('--prompt', 'use the csv-charts skill for this')).out);
    expect(named[4]).toMatch(/csv-charts, shown, because it is named$/);
    expect(linesOf((await patient.doctor('--prompt', '/clear')).out).at(-1)).toBe(
      'Prompt: nothing is looked up for it.',
    );
  });

  test('lists names that several skills have', async () => {
    for (const path of ['.claude/skills/review', 'work/.claude/skills/review']) {
      patient.write(`${path}/SKILL.md`, '---\nname: review\ndescription: Reviews texts.\n---\n');
    }
    expect(linesOf((await patient.doctor()).out).at(-1)).toBe(
      'Names of several skills: review (`skill-discovery agents`).',
    );
  });

  test('asks the catalogue that the hook names, and says if nothing tells which skills are loaded', async () => {
    const named = patient.settings('UserPromptSubmit', 'x').replace('--format', '--database /gone.db --format');
    patient.write('.claude/settings.json', named.replace('PostToolUse', 'Stop'));
    expect(await patient.report()).toMatchObject({ catalogue: { database: '/gone.db' }, hooks: [{ hidesUse: true }] });
    expect((await patient.doctor()).out).toContain('\nIt does not say which skills it loads: ');
  });

  test('says what the log of use had, and deletes it, with --forget', async () => {
    patient.use({ skills: ['pdf-forms'] });
    const { status, out } = await patient.doctor('--forget');
    expect(status).toBe(0);
    expect(linesOf(out)).toEqual([
      expect.stringContaining('skills beside 1 of 1 prompt'),
      'Of 1 skill shown, 0 were loaded.',
      'Deleted ~/data/skill-discovery/skills.db.usage.',
    ]);
    expect(existsSync(usageFile(patient.database))).toBe(false);
    expect(linesOf((await patient.doctor('--forget')).out)).toEqual(['The log of use is empty.']);
  });
});
