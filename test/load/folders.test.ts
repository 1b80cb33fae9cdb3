import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { buildCatalogue, type LoadReport, openSkillSearch } from '../../src/index.js';
import { StagingFile } from '../../src/store/write/staging-file.js';
import { contentOf, traceOf } from '../catalogue-file.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { repository, writeFiles } from '../sources/folders.js';
import { writeSkill } from './whole-files.js';

/** Two folders with the same last name and the same skill, and a catalogue beside them. */
function twoFolders() {
  const home = scratchFolder();
  const database = join(home, 'skills.db');
  const [a, b] = [join(home, 'a/skills'), join(home, 'b/skills')];
  writeSkill(join(a, 'pdf'), 'of a');
  writeSkill(join(b, 'pdf'), 'of b');
  const load = (sources: string[], more: { prune?: boolean; database?: string } = {}): Promise<LoadReport> =>
    buildCatalogue({ database, sources, semantic: false, ...more });
  return { home, database, a, b, load };
}

test('two folders with the same last name keep their ids whatever the order of loads and prunings', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.shuffledSubarray(['a', 'b', 'c'], { minLength: 1 }), fc.boolean()), {
        minLength: 1,
        maxLength: 5,
      }),
      async (loads) => {
        const { home, database, load } = twoFolders();
        writeSkill(join(home, 'c/skills/pdf'), 'of c');
        const idOf = new Map<string, string>();
        for (const [names, prune] of loads) {
          await load(
            names.map((name) => join(home, name, 'skills')),
            { prune },
          );
          const found = Object.entries(descriptions(database)).map(([id, text]) => [text, id] as const);
          for (const [text, id] of found) {
            expect(idOf.get(text) ?? id).toBe(id);
            idOf.set(text, id);
          }
          expect(found).toHaveLength(idOf.size);
          for (const name of names) expect(idOf.has(`of ${name}`)).toBe(true);
        }
      },
    ),
    { numRuns: 10 },
  );
}, 30_000);

test('one folder is the same origin however it is written, and whatever folder above it is loaded', async () => {
  const { home, database, a, load } = twoFolders();
  await load([a]);
  symlinkSync(a, join(home, 'link'));
  const before = traceOf(database);
  for (const source of [relative(process.cwd(), a), `${a}/`, join(a, '../skills')]) {
    expect(sum([await load([source])])).toMatchObject({ added: 0, updated: 0, unchanged: 1 });
  }
  expect(traceOf(database)).toEqual(before);
  for (const source of [join(home, 'link'), dirname(a)]) {
    expect(sum([await load([source])])).toMatchObject({ added: 0, updated: 0, unchanged: 1 });
  }
  expect(contentOf(database).get('skills-pdf')?.sources).toEqual(['folder:a', 'folder:a/skills', 'folder:link']);
});

test('two clones of one repository in one load are stored once, and the next load changes nothing', async () => {
  const home = realpathSync(scratchFolder());
  const [first, second, database] = [join(home, 'first'), join(home, 'second'), join(home, 'skills.db')];
  const git = (folder: string, ...words: string[]): void => {
    const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@code.example'];
    execFileSync('git', ['-C', folder, ...who, ...words], { stdio: 'ignore' });
  };
  writeSkill(join(first, 'skills/pdf'), 'of a clone');
  git(first, 'init');
  git(first, 'add', '.');
  git(first, 'commit', '-m', 'Add a skill');
  git(home, 'clone', first, second);
  git(first, 'remote', 'add', 'origin', 'https://code.example/ada/tools.git');
  git(second, 'remote', 'set-url', 'origin', 'https://code.example/ada/tools.git');
  const load = (sources: string[]) => buildCatalogue({ database, sources, semantic: false });
  const pathOf = async (): Promise<string | undefined> => {
    await using search = await openSkillSearch({ database, localPaths: true });
    return search.get(search.ids()[0]!)?.localPath;
  };

  expect(await load([first, second])).toMatchObject({ added: 1, updated: 0 });
  expect(await pathOf()).toBe(join(first, 'skills/pdf'));
  const before = traceOf(database);
  expect(await load([first, second])).toMatchObject({ added: 0, updated: 0, unchanged: 1 });
  expect(traceOf(database)).toEqual(before);
  // Neither was the catalogue copied and thrown away.
  expect(await copiesMade(() => load([first, second]))).toBe(0);

  // The folder of a clone that is loaded alone is noted: the other one may be gone.
  expect(await load([second])).toMatchObject({ added: 0, updated: 1 });
  expect(await pathOf()).toBe(join(second, 'skills/pdf'));
});

async function copiesMade(work: () => Promise<unknown>): Promise<number> {
  const create = vi.spyOn(StagingFile.prototype, 'create');
  await work();
  const { length } = create.mock.calls;
  create.mockRestore();
  return length;
}

function descriptions(database: string): Record<string, string> {
  const skills = [...contentOf(database)].map(([id, { record }]) => [
    id,
    (record as { description: string }).description,
  ]);
  return Object.fromEntries(skills) as Record<string, string>;
}

function sum(reports: readonly LoadReport[]) {
  const total = (of: (report: LoadReport) => number): number => reports.reduce((all, report) => all + of(report), 0);
  return {
    added: total(({ added }) => added),
    updated: total(({ updated }) => updated),
    unchanged: total(({ unchanged }) => unchanged),
    removed: total(({ removed }) => removed),
    warnings: total(({ warnings }) => warnings.length),
  };
}

describe('a folder whose repository cannot be asked for its remote', () => {
  afterEach(() => vi.unstubAllEnvs());

  test('loses no skill that was stored while it could', async () => {
    const folder = join(scratchFolder(), 'tools');
    const database = scratchFile('skills.db');
    writeSkill(join(folder, 'pdf'), 'reads pdf');
    repository(folder, 'https://host.example/own/rep');
    const load = (prune: boolean): Promise<LoadReport> =>
      buildCatalogue({ database, sources: [folder], semantic: false, prune });
    await load(false);

    vi.stubEnv('PATH', '/nowhere');
    const { removed, warnings } = await load(true);
    expect([removed, contentOf(database).has('own-rep-pdf')]).toEqual([0, true]);
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('author, address and dates come from elsewhere'),
      expect.stringContaining('nothing was pruned'),
    ]);
    vi.unstubAllEnvs();
    await load(true);
    expect([...contentOf(database).keys()]).toEqual(['own-rep-pdf']);
  });
});

/** A pool of skills, and a folder of links into it, as installers of skills make them. */
async function place() {
  const home = realpathSync(scratchFolder());
  const [pool, links] = [join(home, '.agents/skills'), join(home, '.claude/skills')];
  await writeFiles(pool, {
    'pdf/SKILL.md': '---\nname: pdf\ndescription: Reads PDF files.\n---\n',
    'pdf/forms.md': 'forms',
    'doc/SKILL.md': '---\nname: doc\ndescription: Writes documents.\n---\n',
  });
  mkdirSync(links, { recursive: true });
  symlinkSync(join(pool, 'pdf'), join(links, 'pdf'));
  const database = join(home, 'skills.db');
  const load = (sources: string[], more: { prune?: boolean; followLinks?: boolean } = {}): Promise<LoadReport> =>
    buildCatalogue({ database, sources, semantic: false, followLinks: true, ...more });
  return { home, pool, links, database, load };
}

describe('links that lead into another source of the load', () => {
  test.each([
    ['links first', true],
    ['links last', false],
  ])('make one skill that both sources claim: %s', async (_, linksFirst) => {
    const { pool, links, database, load } = await place();
    const sources = linksFirst ? [links, pool] : [pool, links];
    expect(await load(sources)).toMatchObject({ added: 2, warnings: [] });
    expect(await load(sources)).toMatchObject({ added: 0, updated: 0, unchanged: 2, warnings: [] });

    const content = contentOf(database);
    expect([...content.keys()]).toEqual(['skills-doc', 'skills-pdf']);
    expect(content.get('skills-doc')?.sources).toEqual(['folder:.agents/skills']);
    expect(content.get('skills-pdf')?.sources).toEqual(['folder:.agents/skills', 'folder:.claude/skills']);
    expect(content.get('skills-pdf')?.files.map(([name]) => name)).toEqual(['SKILL.md', 'forms.md']);
  });

  test('give a skill of a repository the id and address that it has there', async () => {
    const { home, links, database, load } = await place();
    const clone = join(home, 'clones/tools');
    await writeFiles(clone, { 'skills/chart/SKILL.md': '---\nname: chart\ndescription: Draws charts.\n---\n' });
    const git = (...words: string[]): void => void execFileSync('git', ['-C', clone, ...words], { stdio: 'ignore' });
    git('init');
    git('remote', 'add', 'origin', 'https://code.example/ada/tools.git');
    symlinkSync(join(clone, 'skills/chart'), join(links, 'chart'));
    for (const sources of [
      [links, join(home, 'clones')],
      [join(home, 'clones'), links],
    ]) {
      rmSync(database, { force: true });
      expect(await load(sources)).toMatchObject({ added: 1 });
      expect(contentOf(database).get('ada-tools-skills-chart')).toMatchObject({
        record: { author: 'ada', codehostUrl: 'https://code.example/ada/tools/tree/HEAD/skills/chart' },
        sources: ['folder:.claude/skills', 'folder:clones'],
      });
    }
  });
});
