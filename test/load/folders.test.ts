import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { buildCatalogue, copyCatalogue, type LoadReport, openSkillSearch } from '../../src/index.js';
import { StagingFile } from '../../src/store/write/staging-file.js';
import { contentOf, traceOf } from '../catalogue-file.js';
import { codeOf } from '../error-code.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { repository, writeFiles } from '../sources/folders.js';

describe('folder origins', () => {
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

  describe('two folders with the same last name', () => {
    test('have two skills each whose id has a hash, because their path is not in ASCII', async () => {
      const { database, a, b, load } = twoFolders();
      for (const folder of [a, b]) renameSync(join(folder, 'pdf'), join(folder, '文書'));
      await load([a]);
      const [idOfA] = [...contentOf(database).keys()];
      await load([b]);
      expect(Object.values(descriptions(database)).sort()).toEqual(['of a', 'of b']);
      expect(descriptions(database)[idOfA!]).toBe('of a');
      expect(sum([await load([a, b])])).toMatchObject({ added: 0, updated: 0, unchanged: 2 });
    });

    test('say of a rejected SKILL.md which of the two is kept', async () => {
      const { database, a, b, load } = twoFolders();
      writeSkill(join(b, 'other'), 'another');
      await load([a, b]);
      writeFileSync(join(b, 'pdf', 'SKILL.md'), '');
      expect(sum([await load([b], { prune: true })])).toMatchObject({ unchanged: 1, removed: 0 });
      expect(contentOf(database).size).toBe(3);

      rmSync(join(b, 'pdf'), { recursive: true });
      expect(sum([await load([b], { prune: true })])).toMatchObject({ unchanged: 1, removed: 1 });
      expect(descriptions(database)).toMatchObject({ 'skills-pdf': 'of a', 'skills-other': 'another' });
    });

    test('keep their ids whatever the order of loads and prunings', async () => {
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
  });

  describe('one folder', () => {
    test('is the same origin however it is written, and whatever folder above it is loaded', async () => {
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

    test('that two sources of a load reach is read as one skill, without a warning, and pruning one source keeps it', async () => {
      const { database, a, load } = twoFolders();
      writeSkill(join(dirname(a), 'own'), 'own');
      for (const sources of [
        [a, dirname(a)],
        [dirname(a), a],
      ]) {
        rmSync(database, { force: true });
        expect(sum([await load(sources)])).toEqual({ added: 2, updated: 0, unchanged: 0, removed: 0, warnings: 0 });
        expect(sum([await load(sources)])).toEqual({ added: 0, updated: 0, unchanged: 2, removed: 0, warnings: 0 });
      }
      renameSync(join(a, 'pdf'), join(dirname(a), 'moved'));
      writeSkill(join(a, 'new'), 'new');
      // At another path it is another skill. The former one goes with its last claim.
      expect(sum([await load([a], { prune: true })])).toMatchObject({ added: 1, removed: 0 });
      expect(sum([await load([dirname(a)], { prune: true })])).toMatchObject({ added: 1, unchanged: 2, removed: 1 });
    });

    test('that moved alone is another origin: what was there stays until it is removed', async () => {
      const { home, database, a, load } = twoFolders();
      await load([a]);
      renameSync(join(home, 'a'), join(home, 'c'));
      expect(sum([await load([join(home, 'c/skills')], { prune: true })])).toMatchObject({ added: 1, removed: 0 });
      expect(contentOf(database).size).toBe(2);
    });

    test('that moved together with the catalogue is the same origin', async () => {
      const { home, load } = twoFolders();
      const inside = join(home, 'one/skills.db');
      mkdirSync(dirname(inside));
      writeSkill(join(home, 'one/skills/pdf'), 'of one');
      await load([join(home, 'one/skills')], { database: inside });
      renameSync(join(home, 'one'), join(home, 'two'));
      const database = join(home, 'two/skills.db');
      expect(sum([await load([join(home, 'two/skills')], { database, prune: true })])).toMatchObject({
        added: 0,
        removed: 0,
      });
      expect(descriptions(database)).toEqual({ 'skills-pdf': 'of one' });
      expect(sum([await load([join(home, 'two')], { database, prune: true })])).toMatchObject({
        added: 0,
        unchanged: 1,
      });
    });

    test('is the same origin for a copy of the catalogue elsewhere', async () => {
      const { home, database, a, load } = twoFolders();
      await load([a]);
      const copy = join(home, 'far/away/skills.db');
      mkdirSync(dirname(copy), { recursive: true });
      await copyCatalogue({ from: database, to: copy });
      expect(sum([await load([a], { database: copy })])).toMatchObject({ added: 0 });
      expect(Object.keys(descriptions(copy))).toEqual(['skills-pdf']);
    });

    test('is another origin than a row that says the same location', async () => {
      const { database, a } = twoFolders();
      const rows = [{ name: 'pdf', description: 'of a row', place: 'skills/pdf' }];
      for (const sources of [
        [a, { name: 'rows', rows }],
        [{ name: 'rows', rows }, a],
      ]) {
        rmSync(database, { force: true });
        await buildCatalogue({ database, sources, semantic: false });
        expect(Object.values(descriptions(database)).sort()).toEqual(['of a', 'of a row']);
        const again = await buildCatalogue({ database, sources, semantic: false });
        expect(again).toMatchObject({ added: 0, updated: 0, unchanged: 2 });
      }
    });
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

  function writeSkill(folder: string, description: string): void {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'SKILL.md'), `---\nname: pdf\ndescription: ${description}\n---\nText\n`);
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

  test('a folder that git is not asked about has the same ids wherever it was cloned from', async () => {
    const folder = join(scratchFolder(), 'tools');
    writeSkill(join(folder, 'pdf'), 'reads pdf');
    repository(folder, 'https://host.example/own/rep');
    const idsOf = async (git?: boolean): Promise<string[]> => {
      const database = scratchFile('skills.db');
      const { warnings } = await buildCatalogue({ database, sources: [folder], semantic: false, git });
      expect(warnings).toEqual([]);
      return [...contentOf(database).keys()];
    };
    expect(await idsOf()).toEqual(['own-rep-pdf']);
    expect(await idsOf(false)).toEqual(['tools-pdf']);
  });
});

describe('follow links', () => {
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
    test('are refused, unless they are to be followed', async () => {
      const { pool, links, database, load } = await place();
      const { warnings } = await load([links, pool], { followLinks: false });
      expect(warnings[0]).toEqual({ origin: join(links, 'pdf'), message: 'a link that leads outside the source' });
      expect(contentOf(database).get('skills-pdf')?.sources).toEqual(['folder:.agents/skills']);
    });

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

    test('keep the skill when one of the two is pruned', async () => {
      const { pool, links, database, load } = await place();
      symlinkSync(join(pool, 'doc'), join(links, 'other'));
      await load([links, pool]);
      rmSync(join(links, 'pdf'));
      expect(await load([links, pool], { prune: true })).toMatchObject({ unchanged: 2, removed: 0 });
      expect(contentOf(database).size).toBe(2);
      rmSync(join(pool, 'pdf'), { recursive: true });
      expect(await load([links, pool], { prune: true })).toMatchObject({ unchanged: 1, removed: 1 });
    });

    test('may lead to a SKILL.md itself, and through each other', async () => {
      const { home, pool, links, database, load } = await place();
      mkdirSync(join(links, 'doc'));
      symlinkSync(join(pool, 'doc/SKILL.md'), join(links, 'doc/SKILL.md'));
      symlinkSync(links, join(home, 'more'));
      mkdirSync(join(home, 'third'));
      symlinkSync(join(home, 'more/pdf'), join(home, 'third/pdf'));
      expect(await load([join(home, 'third'), links, pool])).toMatchObject({ added: 2, warnings: [] });
      expect(contentOf(database).size).toBe(2);
    });

    test('end where they go in circles', async () => {
      const { pool, links, database, load } = await place();
      symlinkSync(links, join(pool, 'back'));
      symlinkSync(pool, join(links, 'all'));
      symlinkSync('loop', join(links, 'loop'));
      const { warnings } = await load([links, pool]);
      expect(warnings).toEqual([
        { origin: join(links, 'loop'), message: 'a link that leads in a circle' },
        { origin: join(pool, 'back/loop'), message: 'a link that leads in a circle' },
      ]);
      expect(contentOf(database).size).toBe(2);
    });

    test('do not lead out of all sources, or into a .git folder', async () => {
      const { home, pool, links, load } = await place();
      await writeFiles(home, { 'secret/SKILL.md': '# secret', '.agents/skills/.git/SKILL.md': '# hidden' });
      symlinkSync(join(home, 'secret'), join(links, 'secret'));
      symlinkSync(join(pool, '.git'), join(links, 'hidden'));
      symlinkSync(join(home, 'secret/SKILL.md'), join(pool, 'doc/more.md'));
      const { warnings } = await load([links, pool]);
      expect(warnings.map(({ message }) => message)).toEqual([
        'a link into a .git folder',
        'a link that leads outside the sources of the load',
        'a link that leads outside the sources of the load',
      ]);
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

    test('are followed by true or false only', async () => {
      const { pool, load } = await place();
      expect(await codeOf(() => load([pool], { followLinks: 'yes' as unknown as boolean }))).toBe('INVALID_OPTION');
    });
  });
});
