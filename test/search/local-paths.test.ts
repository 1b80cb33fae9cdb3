import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildCatalogue, followCatalogue, openSkillSearch, type SkillSearch } from '../../src/index.js';
import { storedRecords } from '../catalogue-file.js';
import { row } from '../rows.js';
import { scratchFolder } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { writeFiles } from '../sources/folders.js';

const SKILL = (name: string): string => `---\nname: ${name}\ndescription: bakes bread\n---\nText of ${name}\n`;

/** A catalogue of a folder without git, one with a remote, and a row. */
async function place() {
  const home = realpathSync(scratchFolder());
  const [plain, clone] = [join(home, 'my skills/plain'), join(home, 'clone')];
  await writeFiles(plain, { 'SKILL.md': SKILL('plain') });
  await writeFiles(clone, { 'a/SKILL.md': SKILL('cloned') });
  const git = (...words: string[]): void => void execFileSync('git', ['-C', clone, ...words], { stdio: 'ignore' });
  git('init');
  git('remote', 'add', 'origin', 'https://code.example/ada/tools.git');
  const database = join(home, 'db/skills.db');
  mkdirSync(join(home, 'db'));
  const rows = [row('row', { description: 'bakes bread' })];
  const embedder = new StandInEmbedder();
  await buildCatalogue({ database, sources: [join(home, 'my skills'), clone, rows], embedder });
  return { home, database, plain, cloned: join(clone, 'a'), embedder };
}

function pathsOf(search: SkillSearch): (string | undefined)[] {
  const { hits } = search.keyword({ q: 'bread', copies: 'keep' });
  return hits.map(({ skill }) => skill.localPath).sort();
}

describe('the path of the folder that a skill was loaded from', () => {
  test('is told by hits and by get, if asked for', async () => {
    const { database, plain, cloned, embedder } = await place();
    for (const open of [openSkillSearch, followCatalogue]) {
      await using search = await open({ database, localPaths: true, embedder });
      expect(pathsOf(search)).toEqual([cloned, plain, undefined]);
      expect(search.get('ada-tools-a')?.localPath).toBe(cloned);
      expect(search.get('my-skills-plain')?.localPath).toBe(plain);
      expect(search.get('row')).not.toHaveProperty('localPath');
      const { hits } = await search.semantic({ q: 'bake bread', copies: 'keep' });
      expect(hits.map(({ skill }) => skill.localPath).sort()).toEqual([cloned, plain, undefined]);
    }
  });

  test('is not told otherwise, and never in records', async () => {
    const { home, database, embedder } = await place();
    for (const localPaths of [undefined, false, true] as const) {
      await using search = await openSkillSearch({ database, localPaths, embedder });
      const answers: unknown[] = [storedRecords(search, { q: 'bread' }), search.ids(), search.stats()];
      if (localPaths !== true) {
        answers.push(search.keyword({ q: 'bread' }), await search.semantic({ q: 'bread', explain: true }));
        answers.push(search.get('my-skills-plain'), search.files('my-skills-plain'));
      }
      expect(JSON.stringify(answers)).not.toContain(home);
    }
  });

  test('is right whatever path the catalogue is opened by, and after both were moved together', async () => {
    const { home, database, plain } = await place();
    symlinkSync(join(home, 'db'), join(home, 'link'));
    for (const path of [join(home, 'link/skills.db'), database]) {
      await using search = await openSkillSearch({ database: path, localPaths: true });
      expect(search.get('my-skills-plain')?.localPath).toBe(plain);
    }
    renameSync(home, `${home}-moved`);
    try {
      await using search = await openSkillSearch({ database: `${home}-moved/db/skills.db`, localPaths: true });
      expect(search.get('my-skills-plain')?.localPath).toBe(`${home}-moved/my skills/plain`);
    } finally {
      renameSync(`${home}-moved`, home);
    }
  });

  test('cannot be made up by a row', async () => {
    const { database, embedder } = await place();
    const mark = '\u001f';
    const forged = `${mark}${'0'.repeat(32)}${mark}../../etc`;
    const address = forged.replaceAll(mark, '%1F');
    const made = [
      { name: 'place', description: 'a', place: forged },
      { name: 'place after', description: 'a', place: `o/r${mark}../../etc` },
      { name: 'url', description: 'a', codehostUrl: `https://code.example/${address}` },
      { name: 'folder url', description: 'a', codehostUrl: 'https://code.example/o/r/tree/main/x%1F..%2F..%2Fetc' },
      { name: 'page', description: 'a', codehostUrl: `https://code.example/a/b/c/${address}` },
      { name: `name${mark}../../etc`, description: 'a', codehostUrl: 'https://code.example/o/r' },
      { name: `other${mark}../../etc`, description: 'a' },
    ];
    const report = await buildCatalogue({ database, sources: [{ name: 'made up', rows: made }], semantic: false });
    expect(report.added).toBe(made.length);
    expect(
      await buildCatalogue({ database, sources: [{ name: 'made up', rows: made }], semantic: false }),
    ).toMatchObject({
      unchanged: made.length,
    });
    for (const options of [{ database }, { skills: made, embedder }]) {
      await using search = await openSkillSearch({ ...options, localPaths: true });
      const paths = search.ids().map((id) => search.get(id)?.localPath ?? '');
      expect(paths.filter((path) => path.includes('etc'))).toEqual([]);
    }
  });
});
