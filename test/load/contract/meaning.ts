import { describe, expect, test } from 'vitest';
import type { Embedder } from '../../../src/index.js';
import { readClassifier } from '../../../src/semantic/classifier.js';
import { codeOf } from '../../error-code.js';
import { type Row, row } from '../../rows.js';
import { StandInEmbedder } from '../../semantic/stand-in-embedder.js';
import { CategoryEmbedder } from '../category-embedder.js';
import { type CatalogueStore, CatalogueUnderTest } from './catalogue-under-test.js';

const ROWS = [
  row('notes', { name: 'release notes', description: 'Writes release notes from the log.' }),
  row('forms', { name: 'forms', description: 'Fills in forms of PDF files.' }),
  row('charts', { name: 'charts', description: 'Draws charts of tables.' }),
];

/** Which vectors and derived categories there are after loads. */
export function keepsMeaning(store: CatalogueStore): void {
  const empty = (): Promise<CatalogueUnderTest> => CatalogueUnderTest.of(store);
  const nearest = (catalogue: CatalogueUnderTest, embedder: Embedder, q: string): Promise<readonly string[]> =>
    catalogue.searching(
      async (search) => (await search.semantic({ q, ranking: 'vector' })).hits.map(({ skill }) => skill.id),
      embedder,
    );

  describe('vectors', () => {
    test('are made once for a text, whichever load, row or skill brings it', async () => {
      const catalogue = await empty();
      const embedder = new StandInEmbedder();
      expect(await catalogue.load(ROWS, { embedder })).toMatchObject({ added: 3, embedded: 3 });
      expect(embedder.asked).toHaveLength(3);

      const same = { name: ROWS[0]!.name!, description: ROWS[0]!.description! };
      await catalogue.loadFrom([{ name: 'other', rows: [row('copy', same)] }], { embedder });
      await catalogue.update([row('another', { ...same, stars: 3 })], { embedder });
      await catalogue.remove(['notes', 'forms']);
      await catalogue.load(ROWS.slice(0, 1), { embedder });
      expect(embedder.asked).toHaveLength(3);
      expect(await nearest(catalogue, embedder, 'draws charts')).toContain('charts');
      expect(await catalogue.searching((search) => search.stats())).toMatchObject({ model: 'stand-in', skills: 4 });
    });

    test('are those of the text as it is now', async () => {
      const catalogue = await empty();
      const embedder = new StandInEmbedder();
      await catalogue.load(ROWS, { embedder });
      await catalogue.load([row('forms', { name: 'birds', description: 'Tells birds by their song.' })], { embedder });
      expect((await nearest(catalogue, embedder, 'birds song'))[0]).toBe('forms');
      await catalogue.update([row('charts', { name: 'stars', description: 'Tells stars by their light.' })], {
        embedder,
      });
      expect((await nearest(catalogue, embedder, 'stars light'))[0]).toBe('charts');
      expect((await nearest(catalogue, embedder, 'birds song'))[0]).toBe('forms');
    });

    test('stay where a load makes none, and the next one makes what is missing', async () => {
      const catalogue = await empty();
      const embedder = new StandInEmbedder();
      await catalogue.load(ROWS.slice(0, 2), { embedder });
      expect(await catalogue.load(ROWS)).toMatchObject({ added: 1, unchanged: 2, embedded: 0 });
      expect([...(await nearest(catalogue, embedder, 'charts'))].sort()).toEqual(['forms', 'notes']);
      expect(await catalogue.load(ROWS, { embedder })).toMatchObject({ unchanged: 3, embedded: 1 });
      expect((await nearest(catalogue, embedder, 'charts'))[0]).toBe('charts');
      await catalogue.staysDuring(() => catalogue.load(ROWS, { embedder }));
    });

    test('of another model replace them all', async () => {
      const catalogue = await empty();
      await catalogue.load(ROWS, { embedder: new StandInEmbedder() });
      const other = new StandInEmbedder('other', 24);
      expect(await catalogue.load(ROWS.slice(0, 1), { embedder: other })).toMatchObject({ unchanged: 1, embedded: 3 });
      expect((await nearest(catalogue, other, 'charts'))[0]).toBe('charts');
      expect(await catalogue.searching((search) => search.stats())).toMatchObject({ model: 'other', vectors: 3 });
      const former = nearest(catalogue, new StandInEmbedder(), 'charts');
      expect(await codeOf(() => former)).toBe('MODEL_MISMATCH');
      // And back: what was made before need not be there any more.
      await catalogue.load(ROWS, { embedder: new StandInEmbedder() });
      expect((await nearest(catalogue, new StandInEmbedder(), 'charts'))[0]).toBe('charts');
    });

    test('are not made by a model that nobody named in place of another', async () => {
      const catalogue = await empty();
      await catalogue.load(ROWS, { embedder: new StandInEmbedder() });
      await catalogue.staysDuring(async () =>
        expect(await codeOf(() => catalogue.load([row('later')], { semantic: true }))).toBe('MODEL_MISMATCH'),
      );
    });

    test('that cannot be made fail the load, and it can be done again', async () => {
      const catalogue = await empty();
      await catalogue.load(ROWS.slice(0, 1), { embedder: new StandInEmbedder() });
      const failing = Object.assign(new StandInEmbedder(), { embed: () => Promise.reject(new Error('no more')) });
      await catalogue.staysDuring(() => expect(catalogue.load(ROWS, { embedder: failing })).rejects.toThrow('no more'));
      expect(await catalogue.load(ROWS, { embedder: new StandInEmbedder() })).toMatchObject({ added: 2, embedded: 2 });
    });
  });

  describe('derived categories', () => {
    const embedder = new CategoryEmbedder();
    const TESTS = row('tests', {
      name: 'unit-tests',
      description: 'Write unit tests and integration tests with pytest.',
    });
    const COMMITS = row('commits', {
      name: 'git-commit',
      description: 'Write commit messages for git, rebase, open a PR.',
    });
    const GIVEN: Row = { ...TESTS, id: 'given', name: 'unit-tests-given', categories: ['my-own-slug'] };
    const ALL = [TESTS, COMMITS, GIVEN];

    const derived = (catalogue: CatalogueUnderTest): Promise<readonly string[]> =>
      catalogue.searching((search) =>
        search
          .ids()
          .filter((id) => search.get(id)?.derivedCategories !== undefined)
          .sort(),
      );

    test('are given to skills without any, count as categories, and stay with the catalogue', async () => {
      const catalogue = await empty();
      expect(await catalogue.load(ALL, { embedder, classify: true })).toMatchObject({ added: 3, classified: 2 });
      await catalogue.searching((search) => {
        expect(search.get('tests')?.derivedCategories).toContain('testing');
        expect(search.get('commits')?.derivedCategories).toContain('git-workflows');
        expect(search.get('given')).not.toHaveProperty('derivedCategories');
        expect(search.categories()).toContainEqual({ slug: 'testing', count: 1, derived: 1 });
        expect(search.list({ category: 'git-workflows' }).hits.map(({ skill }) => skill.id)).toEqual(['commits']);
      });
      for (const more of [{ classify: true }, {}]) {
        await catalogue.staysDuring(async () =>
          expect(await catalogue.load(ALL, { embedder, ...more })).toMatchObject({ unchanged: 3, classified: 0 }),
        );
      }
      // Nobody says it again: the catalogue is classified.
      const another = { ...COMMITS, id: 'new', name: 'git-commit-2' };
      expect(await catalogue.load([another], { embedder })).toMatchObject({ added: 1, classified: 1 });
      expect(await catalogue.update([{ ...another, id: 'newer', name: 'git-commit-3' }], { embedder })).toMatchObject({
        classified: 1,
      });
      expect(await derived(catalogue)).toEqual(['commits', 'new', 'newer', 'tests']);
    });

    test('go with what they were made of, and come back with it', async () => {
      const catalogue = await empty();
      await catalogue.load(ALL, { embedder, classify: true });
      await catalogue.load(
        [
          { ...COMMITS, id: 'tests', name: 'git-commit-3' },
          { ...COMMITS, categories: ['mine'] },
        ],
        {
          embedder,
        },
      );
      await catalogue.searching((search) => {
        expect(search.get('tests')?.derivedCategories).toContain('git-workflows');
        expect(search.get('commits')).not.toHaveProperty('derivedCategories');
        expect(search.categories().map(({ slug }) => slug)).not.toContain('testing');
      });
      await catalogue.load(ALL, { embedder });
      expect(await derived(catalogue)).toEqual(['commits', 'tests']);
    });

    test('come to a catalogue that was loaded without, and go when a load says so', async () => {
      const catalogue = await empty();
      await catalogue.load(ALL, { embedder });
      expect(await catalogue.load(ALL, { embedder, classify: true })).toMatchObject({
        unchanged: 3,
        updated: 0,
        embedded: 0,
        classified: 2,
      });
      expect(await derived(catalogue)).toEqual(['commits', 'tests']);
      await catalogue.load([TESTS], { embedder, classify: false });
      expect(await derived(catalogue)).toEqual([]);
      await catalogue.staysDuring(() => catalogue.load(ALL, { embedder }));
    });

    test('are not given without vectors of the right model, and a warning says so', async () => {
      const catalogue = await empty();
      const { classified, warnings } = await catalogue.load(ALL, { classify: true });
      expect([classified, warnings.map(({ message }) => message)]).toEqual([
        0,
        [
          `no skill was classified: that needs vectors of the model ${readClassifier().model}, and the catalogue has none`,
        ],
      ]);
    });
  });
}
