import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildCatalogue, type LoadReport } from '../../src/index.js';
import { contentOf } from '../catalogue-file.js';
import { codeOf } from '../error-code.js';
import { scratchFolder } from '../scratch-folder.js';
import { writeFiles } from '../sources/folders.js';

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
