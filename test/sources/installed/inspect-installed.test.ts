import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type InstalledReport, inspectInstalled } from '../../../src/sources/installed/index.js';
import { MadeUpHome, skillMarkdown } from './made-up-home.js';

async function reportOf(made: MadeUpHome, ...agents: string[]): Promise<InstalledReport> {
  return inspectInstalled({ ...made.options, ...(agents.length > 0 && { agents }) });
}

/** Name collisions in a short form: `agent name: taken | left`. */
async function collisionsOf(made: MadeUpHome, ...agents: string[]): Promise<string[]> {
  const { collisions } = await reportOf(made, ...agents);
  return collisions.map(({ agent, name, taken, left }) => {
    const shown = [taken, left].map((paths) => paths.map((path) => made.inside(path)).join(', '));
    return `${agent} ${name}: ${shown.join(' | ')}`;
  });
}

/** What is wrong with one skill. */
async function faultsOf(markdown: string | Uint8Array, folder = 'pdf', file = 'SKILL.md'): Promise<readonly string[]> {
  const made = await MadeUpHome.with();
  await made.write({ [`home/.claude/skills/${folder}/${file}`]: markdown });
  const { skills } = await reportOf(made, 'claude-code');
  expect(skills.length).toBe(1);
  return skills[0]!.faults;
}

test('what agents have is counted for each agent and folder, each skill once', async () => {
  const made = await MadeUpHome.with('home/.agents/skills/a', 'home/.agents/skills/b', 'home/.codex/skills/c');
  await made.link('home/.codex/skills/a-again', 'home/.agents/skills/a');
  const { agents, skills, problems } = await reportOf(made, 'codex', 'universal', 'cursor');
  expect(problems).toEqual([]);
  expect(agents).toEqual([
    {
      name: 'codex',
      title: 'Codex',
      skills: 3,
      folders: [
        { path: join(made.home, '.agents/skills'), scope: 'user', skills: 2 },
        { path: join(made.home, '.codex/skills'), scope: 'user', skills: 2 },
      ],
    },
    { name: 'cursor', title: 'Cursor', skills: 0, folders: [] },
    {
      name: 'universal',
      title: 'Shared by agents',
      skills: 2,
      folders: [{ path: join(made.home, '.agents/skills'), scope: 'user', skills: 2 }],
    },
  ]);
  expect(skills.map(({ name, faults }) => [name, faults])).toEqual([
    ['a', []],
    ['b', []],
    ['c', []],
  ]);
  expect(skills[0]!.installations.map(({ agent, path }) => `${agent} ${made.inside(path)}`)).toEqual([
    'codex home/.agents/skills/a',
    'codex home/.codex/skills/a-again',
    'universal home/.agents/skills/a',
  ]);
});

describe('of skills with the same name an agent', () => {
  test('takes that of the project, and Gemini CLI the one in the shared folder', async () => {
    const made = await MadeUpHome.with(
      'home/.gemini/skills/a',
      'home/.agents/skills/a',
      'home/work/project/.gemini/skills/a',
      'home/work/project/.agents/skills/a',
    );
    expect(await collisionsOf(made, 'gemini-cli')).toEqual([
      'gemini-cli a: home/work/project/.agents/skills/a | home/work/project/.gemini/skills/a, home/.agents/skills/a, home/.gemini/skills/a',
    ]);
    expect(await collisionsOf(made, 'github-copilot')).toEqual([
      'github-copilot a: home/work/project/.agents/skills/a | home/.agents/skills/a',
    ]);
  });

  test('takes all of them, if it is Codex', async () => {
    const made = await MadeUpHome.with('home/.codex/skills/a', 'home/work/project/.agents/skills/a');
    expect(await collisionsOf(made, 'codex')).toEqual([
      'codex a: home/work/project/.agents/skills/a, home/.codex/skills/a | ',
    ]);
  });

  test('has one only if it is the same skill, however it is reached', async () => {
    const made = await MadeUpHome.with('home/.agents/skills/a');
    await made.link('home/.codex/skills/a', 'home/.agents/skills/a');
    expect(await collisionsOf(made, 'codex')).toEqual([]);
  });
});

describe('a skill is said to be broken', () => {
  test('by nothing, if it keeps the rules', async () => {
    const more = 'license: MIT\ncompatibility: Needs git\nmetadata:\n  author: ada\n  version: "1.0"\n';
    expect(await faultsOf(skillMarkdown('pdf', 'x'.repeat(1024), more))).toEqual([]);
    expect(await faultsOf(skillMarkdown('a'.repeat(64), 'Fits.'), 'a'.repeat(64))).toEqual([]);
  });

  test.each([
    ['Pdf', ['name: "Pdf" is not of lower-case letters, digits and single hyphens']],
    ['-pdf', ['name: "-pdf" is not of lower-case letters, digits and single hyphens']],
    ['a'.repeat(65), ['name: 65 characters, at most 64']],
  ])('by the name %s', async (name, faults) => {
    expect(await faultsOf(skillMarkdown(name, 'Fits.'), name)).toEqual(faults);
  });

  test.each([
    ['another name than its folder', skillMarkdown('other', 'Fits.'), 'name: "other" is not that of its folder, "pdf"'],
    ['no name', '---\ndescription: Fits.\n---\n', 'name: missing'],
    ['a name that shows nothing', '---\nname: "\u200b"\ndescription: Fits.\n---\n', 'name: blank'],
    ['a description too long', skillMarkdown('pdf', 'x'.repeat(1025)), 'description: 1,025 characters, at most 1,024'],
    [
      'metadata that is no map of texts',
      skillMarkdown('pdf', 'Fits.', 'metadata:\n  tags: [a, b]\n'),
      'metadata: not a map of texts',
    ],
    ['no front matter', '# pdf\n', 'no front matter'],
    ['front matter that is not closed', '---\nname: pdf\ndescription: Fits.\n', 'not closed'],
    ['front matter that is not YAML', '---\nname: pdf\ndescription: [a\n---\n', 'not YAML'],
    ['bytes that are not UTF-8', Buffer.from('---\nname: pdf\ndescription: \xff\n---\n', 'latin1'), 'not UTF-8'],
  ])('by %s', async (_, markdown, fault) => {
    const faults = await faultsOf(markdown);
    expect(faults.some((one) => one.includes(fault))).toBe(true);
  });
});
