import { chmod, mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildCatalogue, openSkillSearch } from '../../../src/index.js';
import { inspectInstalled } from '../../../src/sources/installed/index.js';
import { walkInstalled } from '../../../src/sources/installed/read-installed.js';
import { MadeUpHome, skillMarkdown } from './made-up-home.js';

/** The skills that are found, as paths, and what was not read. */
async function foundIn(made: MadeUpHome): Promise<{ skills: string[]; problems: string[] }> {
  const { skills, problems } = await walkInstalled(made.options);
  return {
    skills: skills.map(({ found }) => made.inside(found.realPath)),
    problems: problems.map(({ path, message }) => `${made.inside(path)}: ${message}`),
  };
}

describe('a folder of an agent', () => {
  test('has no links out of all such folders, whatever lies there', async () => {
    const made = await MadeUpHome.with('secret/s', 'home/.claude/skills/a');
    await made.write({ 'secret/SKILL.md': skillMarkdown('secret', 'Is secret.') });
    await made.link('home/.claude/skills/out', 'secret/s');
    await made.link('home/work/project/.claude/skills/out', 'secret');
    await made.link('home/work/project/.claude/skills/up/SKILL.md', 'secret/SKILL.md');
    await made.link('home/work/project/.claude/skills/home', 'home');
    await mkdir(join(made.root, 'home/.claude/skills/root'));
    await symlink('/', join(made.root, 'home/.claude/skills/root/link'));
    const { skills, problems } = await foundIn(made);
    expect(skills).toEqual(['home/.claude/skills/a']);
    expect(problems.sort()).toEqual(
      [
        'home/.claude/skills/out',
        'home/.claude/skills/root/link',
        'home/work/project/.claude/skills/home',
        'home/work/project/.claude/skills/out',
        'home/work/project/.claude/skills/up/SKILL.md',
      ].map((path) => `${path}: a link that leads outside the agents' folders`),
    );
  });

  test('may have names with control characters: they are data', async () => {
    const made = await MadeUpHome.with();
    const name = 'evil\u001b[2J\u202e\nname';
    await made.write({ [`home/.claude/skills/${name}/SKILL.md`]: '---\nname: "a\\e[31m"\n---\n' });
    await made.link(`home/.claude/skills/${name}/link`, 'nowhere');
    const { skills, problems } = await inspectInstalled(made.options);
    expect(skills.map(({ path }) => made.inside(path))).toEqual([`home/.claude/skills/${name}`]);
    expect(skills[0]!.faults.join('\n')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(problems.map(({ message }) => message)).toEqual(['a link that leads nowhere']);
    const database = join(made.root, 'skills.db');
    const report = await buildCatalogue({ database, sources: [{ installed: made.options }], semantic: false });
    expect(report.rejected.map(({ reason }) => reason)).toEqual(['description: expected text, got blank text']);
  });

  test.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
    'may be closed: that is told, and the others are read',
    async () => {
      const made = await MadeUpHome.with(
        'home/.claude/skills/a',
        'home/.claude/skills/closed',
        'home/.cursor/skills/b',
      );
      const closed = [join(made.home, '.claude/skills/closed'), join(made.home, '.cursor/skills')];
      for (const path of closed) await chmod(path, 0o000);
      const found = await foundIn(made);
      for (const path of closed) await chmod(path, 0o700);
      expect(found).toEqual({
        skills: ['home/.claude/skills/a'],
        problems: [
          'home/.claude/skills/closed: the folder cannot be read: EACCES',
          'home/.cursor/skills: cannot be read: EACCES',
        ],
      });
    },
  );
});

test('nothing is executed: a repository with hooks and filters leaves no trace', async () => {
  const made = await MadeUpHome.with('home/work/project/.claude/skills/a');
  const trace = join(made.root, 'trace');
  await made.write({
    'home/work/project/.git/config': `[core]\n\tfsmonitor = "touch ${trace}"\n[remote "origin"]\n\turl = "ext::touch ${trace}"\n`,
    'home/work/project/.claude/skills/a/scripts/run.sh': `#!/bin/sh\ntouch ${trace}\n`,
  });
  const database = join(made.root, 'skills.db');
  const report = await buildCatalogue({ database, sources: [{ installed: made.options }], semantic: false });
  expect([report.added, report.warnings]).toEqual([1, []]);
  await expect(readFile(trace)).rejects.toThrow('ENOENT');
  await using search = await openSkillSearch({ database });
  expect(search.get('skills-a')?.codehostUrl).toBe('unknown');
});

test('every skill is found once, with all the ways to it, in any home', { timeout: 60_000 }, async () => {
  const folders = ['home/.claude/skills', 'home/.cursor/skills', 'home/.agents/skills'] as const;
  const at = fc.constantFrom(...folders);
  const name = fc.constantFrom('a', 'b', 'c', 'd');
  const skill = fc.tuple(at, name);
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(skill, { selector: String, maxLength: 6 }),
      fc.array(fc.tuple(skill, skill)),
      async (skills, links) => {
        const paths = skills.map((parts) => parts.join('/'));
        const made = await MadeUpHome.with(...paths);
        const reached = new Map(paths.map((path) => [path, path]));
        for (const [from, to] of links.map((link) => link.map((parts) => parts.join('/')) as [string, string])) {
          if (reached.has(from)) continue;
          await made.link(from, to);
          reached.set(from, to);
        }
        // A naive reading: follow each link until a skill is there.
        const expected = new Map<string, string[]>();
        for (const path of reached.keys()) {
          let target: string | undefined = path;
          for (let steps = 0; target !== undefined && !paths.includes(target); steps++) {
            target = steps > reached.size ? undefined : reached.get(target);
          }
          if (target !== undefined) expected.set(target, [...(expected.get(target) ?? []), path]);
        }
        const agents = ['claude-code', 'cursor', 'universal'];
        const walk = await walkInstalled({ ...made.options, cwd: '/', agents });
        // A folder that is walked through tells one way to a skill, the one without links if there is one.
        const ways = walk.skills.map(({ found, installations }): [string, string[]] => [
          made.inside(found.realPath),
          installations.map(({ path }) => made.inside(path).split('/').slice(0, 3).join('/')),
        ]);
        const naive = [...expected].map(([path, from]): [string, string[]] => [
          path,
          [...new Set(from.map((one) => one.split('/').slice(0, 3).join('/')))].sort(),
        ]);
        expect(new Map(ways.map(([path, from]) => [path, [...from].sort()]))).toEqual(new Map(naive));
      },
    ),
    { numRuns: 20 },
  );
});
