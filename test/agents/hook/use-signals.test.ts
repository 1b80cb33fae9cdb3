import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeEach, expect, test, vi } from 'vitest';
import { runHook } from '../../../src/agents/hook/run-hook.js';
import { appendUsage, readUsage, type UsageEntry, usageSession } from '../../../src/core/index.js';
import { buildCatalogue } from '../../../src/index.js';
import { scratchFolder } from '../../scratch-folder.js';
import { writeFiles } from '../../sources/folders.js';

let home: string;
let database: string;

beforeEach(async () => {
  home = scratchFolder();
  for (const kind of ['DATA', 'STATE']) vi.stubEnv(`XDG_${kind}_HOME`, join(home, kind));
  vi.stubEnv('XDG_RUNTIME_DIR', join(home, 'run'));
  const skills = join(home, 'skills');
  for (const name of ['pdf', 'pdf-forms', 'bread'])
    await writeFiles(join(skills, name), { 'SKILL.md': `---\nname: ${name}\ndescription: about ${name}\n---\nText\n` });
  database = join(home, 'skills.db');
  await buildCatalogue({ database, sources: [skills], semantic: false });
  return () => vi.unstubAllEnvs();
});

/** Runs the hook with what a host writes. */
async function hook(event: object, format = 'claude-code'): Promise<void> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  input.end(JSON.stringify({ session_id: 'abc', cwd: home, ...event }));
  await runHook(['--format', format, '--mode', 'words', '--timeout', '60000', '--database', database], {
    input,
    output,
  });
  expect(output.read()).toBeNull();
}

function used(): (readonly string[])[] {
  return readUsage(database).flatMap(({ kind, skills }) => (kind === 'used' ? [skills] : []));
}

function tool(tool_name: string, tool_input: object): object {
  return { hook_event_name: 'PostToolUse', tool_name, tool_input, tool_response: 'x' };
}

test('a skill that an agent loads is noted with the question that was asked last in its session', async () => {
  const shown: UsageEntry = {
    ...{ time: 1_790_000_000, host: 'claude-code', kind: 'shown', skills: [], model: 'm' },
    ...{ session: usageSession('abc'), vector: 'AAEC' },
  };
  appendUsage(database, { ...shown, vector: 'AQID' });
  appendUsage(database, shown);
  appendUsage(database, { ...shown, session: usageSession('other'), vector: 'BAUG' });
  await hook(tool('Skill', { skill: 'pdf' }));
  const last = readUsage(database).at(-1)!;
  expect(last).toMatchObject({ ...shown, time: last.time, kind: 'used', skills: ['skills-pdf'] });
  expect(Math.abs(last.time - Date.now() / 1000)).toBeLessThan(60);
});

test('it is found by the names and paths that hosts have for it', async () => {
  symlinkSync(join(home, 'skills/bread'), join(home, 'link'));
  await hook(tool('Skill', { skill: 'some-plugin:pdf-forms' }));
  await hook({ ...tool('activate_skill', { name: 'bread' }), hook_event_name: 'AfterTool' }, 'gemini-cli');
  await hook(tool('Read', { file_path: join(home, 'skills/pdf/SKILL.md') }));
  await hook(tool('Read', { file_path: join(home, 'link/SKILL.md') }));
  await hook(tool('Bash', { command: `cat 'skills/pdf/SKILL.md' | head` }), 'codex');
  await hook({ prompt: '/pdf-forms fill this in' });
  expect(used()).toEqual(['pdf-forms', 'bread', 'pdf', 'bread', 'pdf', 'pdf-forms'].map((name) => [`skills-${name}`]));
});

test('nothing is noted of other tools, files and skills, nor without a session or where it is switched off', async () => {
  for (const event of [
    tool('Read', { file_path: join(home, 'skills/pdf/notes.md') }),
    tool('Read', { file_path: join(home, 'elsewhere/SKILL.md') }),
    tool('Skill', { skill: 'unknown' }),
    tool('Skill', { skill: 5 }),
    tool('Skill', { skill: '' }),
    tool('Write', { content: `${'/a'.repeat(500_000)} ` }),
    tool('Bash', { command: 'ls' }),
    { prompt: '/clear' },
    { ...tool('Skill', { skill: 'pdf' }), session_id: undefined },
  ])
    await hook(event);
  vi.stubEnv('SKILL_DISCOVERY_NO_USAGE', '1');
  await hook(tool('Skill', { skill: 'pdf' }));
  expect(used()).toEqual([]);
});
