import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Row, row } from '../../rows.js';
import { scratchFolder } from '../../scratch-folder.js';
import { type CatalogueStore, CatalogueUnderTest, counts, countsOf } from './catalogue-under-test.js';

const at = (path: string, more: Row = {}): Row => ({
  name: 'n',
  description: 'd',
  codehostUrl: `https://github.com/Owner/repo/tree/main/${path}`,
  ...more,
});

/** Which ids skills get that bring none. */
export function derivesIds(store: CatalogueStore): void {
  async function loaded(rows: readonly unknown[]): Promise<CatalogueUnderTest> {
    const catalogue = await CatalogueUnderTest.of(store);
    await catalogue.load(rows);
    return catalogue;
  }

  describe('ids that are derived', () => {
    test('say where the skill is', async () => {
      expect(await (await loaded([at('skills/PDF Tools')])).ids()).toEqual(['owner-repo-skills-pdf-tools']);
    });

    test('stay when the text changes', async () => {
      const catalogue = await loaded([at('a'), at('漢字')]);
      const ids = await catalogue.ids();
      const changed = { name: 'other', description: 'other', stars: 3 };
      expect(countsOf(await catalogue.load([at('a', changed), at('漢字', changed)]))).toEqual(counts({ updated: 2 }));
      expect(await catalogue.ids()).toEqual(ids);
    });

    test('get a hash where two places make one slug, and keep it in whatever order they come later', async () => {
      const [one, two] = [at('a/b'), at('a-b')];
      const catalogue = await loaded([one, two]);
      const ids = await catalogue.ids();
      expect(ids).toEqual(['owner-repo-a-b', expect.stringMatching(/^owner-repo-a-b-[0-9a-f]{8}$/)]);
      await catalogue.staysDuring(async () => {
        for (const rows of [[two, one], [two], [one]]) {
          expect(countsOf(await catalogue.load(rows))).toEqual(counts({ unchanged: rows.length }));
        }
      });
      await catalogue.load([two], { prune: true });
      expect(await catalogue.ids()).toEqual([ids[1]]);
      // An id that became free is not taken by a skill that has one.
      expect(countsOf(await catalogue.update([at('a-b', { stars: 5 })]))).toEqual(counts({ updated: 1 }));
    });

    test('get a hash where a path loses characters', async () => {
      const ids = await (await loaded([at('工具/一'), at('工具/二')])).ids();
      expect(ids).toHaveLength(2);
      for (const id of ids) expect(id).toMatch(/^owner-repo-[a-z0-9_.-]*[0-9a-f]{8}$/);
    });

    test('do not take the id that another skill was given', async () => {
      const catalogue = await loaded([row('owner-repo-a', { name: 'given' })]);
      expect(countsOf(await catalogue.load([at('a')]))).toEqual(counts({ added: 1 }));
      const skills = await catalogue.skills();
      expect([skills.size, skills.get('owner-repo-a')?.skill?.name]).toEqual([2, 'given']);
    });

    test('of the same place twice in one load are one skill: the later row', async () => {
      const catalogue = await CatalogueUnderTest.of(store);
      const report = await catalogue.load([at('a', { stars: 1 }), at('a', { stars: 2 })]);
      expect([countsOf(report), report.warnings.length]).toEqual([counts({ added: 1 }), 1]);
      expect((await catalogue.skills()).get('owner-repo-a')?.skill?.stars).toBe(2);
    });
  });

  describe('two folders with the same last name', () => {
    test.each(['in one load', 'in two loads'])('are two origins, and each keeps its ids: %s', async (loads) => {
      const home = scratchFolder();
      const [a, b] = ['a', 'b'].map((name) => join(home, name, 'skills')) as [string, string];
      for (const [folder, text] of [
        [a, 'of a'],
        [b, 'of b'],
      ] as const)
        writeSkill(join(folder, 'pdf'), text);
      const catalogue = await CatalogueUnderTest.of(store);
      for (const sources of loads === 'in one load' ? [[a, b]] : [[a], [b]]) await catalogue.loadFrom(sources);
      const ids = await catalogue.ids();
      expect(ids).toEqual(['skills-pdf', expect.stringMatching(/^skills-pdf-[0-9a-f]{8}$/)]);
      expect(await catalogue.descriptions()).toEqual({ [ids[0]!]: 'of a', [ids[1]!]: 'of b' });

      await catalogue.staysDuring(async () => {
        for (const sources of [[b, a], [a], [b]]) await catalogue.loadFrom(sources, { prune: true });
      });
      rmSync(join(a, 'pdf'), { recursive: true });
      writeSkill(join(a, 'other'), 'another');
      expect(await catalogue.loadFrom([a], { prune: true })).toMatchObject({ added: 1, removed: 1 });
      expect(await catalogue.descriptions()).toEqual({ 'skills-other': 'another', [ids[1]!]: 'of b' });
    });

    test('are one origin for the folder above them', async () => {
      const home = scratchFolder();
      const folder = join(home, 'a/skills');
      writeSkill(join(folder, 'pdf'), 'of a');
      const catalogue = await CatalogueUnderTest.of(store);
      await catalogue.loadFrom([folder]);
      expect(countsOf(await catalogue.loadFrom([join(home, 'a')]))).toEqual(counts({ unchanged: 1 }));
      // Both have it by now.
      rmSync(join(folder, 'pdf'), { recursive: true });
      writeSkill(join(folder, 'new'), 'new');
      expect(await catalogue.loadFrom([folder], { prune: true })).toMatchObject({ added: 1, removed: 0 });
      expect(await catalogue.loadFrom([join(home, 'a')], { prune: true })).toMatchObject({ unchanged: 1, removed: 1 });
    });
  });
}

function writeSkill(folder: string, description: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'SKILL.md'), `---\nname: pdf\ndescription: ${description}\n---\nText\n`);
}
