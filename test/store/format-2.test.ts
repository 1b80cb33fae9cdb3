import { expect, test } from 'vitest';
import { buildCatalogue, checkCatalogue, openSkillSearch } from '../../src/index.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { change, earlierCatalogue, formatOf } from './earlier-catalogue.js';
import { format2Rows } from './fixtures/format-2-rows.js';

const FIXTURE = 'format-2.catalogue';
const IDS = ['apple-cutter', 'pear-poacher', 'plum-jam', 'quince-über'];
const embedder = new StandInEmbedder('stand-in', 16);

test('a catalogue of format 2 can be opened and searched as it is', async () => {
  await using search = await openSkillSearch({ database: earlierCatalogue(FIXTURE), embedder });
  expect(search.ids()).toEqual(IDS);
  expect(search.keyword({ q: 'poach pears' }).hits.map(({ skill }) => skill.id)).toEqual(['pear-poacher']);
  expect((await search.semantic({ q: 'plum jam' })).hits[0]?.skill.id).toBe('plum-jam');
  expect(search.get('apple-cutter')).toMatchObject({ license: 'MIT', tags: [], categories: ['kitchen', 'fruit'] });
  expect(search.files('apple-cutter').map(({ filename }) => filename)).toEqual(['SKILL.md', 'references/knives.md']);
  expect(search.get('cherry')).toBeUndefined();
  expect(search.stats()).toMatchObject({ skills: 4, files: 5, vectors: 4 });
});

test('the next load completes a catalogue of format 2, whatever it brings', async () => {
  const database = earlierCatalogue(FIXTURE);
  const report = await load(database, [
    { id: 'cherry', name: 'cherry', description: 'Stone cherries.', tags: ['red'] },
  ]);
  expect(report).toMatchObject({ added: 1, updated: 0, removed: 0, embedded: 1, warnings: [] });
  expect(formatOf(database)).toBe(4);
  expect(await checkCatalogue({ database })).toMatchObject({ skills: 5, vectors: 5, problems: [] });
  await using search = await openSkillSearch({ database, embedder });
  expect(search.keyword({ q: 'red' }).hits.map(({ skill }) => skill.id)).toEqual(['cherry']);
  expect(search.get('quince-über')).toMatchObject({ metadata: { difficulty: 'high' } });
});

test('loading the same rows into a catalogue of format 2 changes no skill, and embeds nothing again', async () => {
  const database = earlierCatalogue(FIXTURE);
  const report = await load(database, format2Rows, 'fruit');
  expect(report).toMatchObject({ added: 0, updated: 0, unchanged: 4, removed: 0, embedded: 0 });
  expect(formatOf(database)).toBe(4);
  expect(await checkCatalogue({ database })).toMatchObject({ problems: [] });
});

test('completing marks a skill that does not fit its hash as damaged, until a load brings it', async () => {
  const database = earlierCatalogue(FIXTURE);
  change(database, "UPDATE skill SET record = replace(record, 'plum jam', 'plum ham') WHERE id = 'plum-jam'");
  await load(database, [{ id: 'cherry', name: 'cherry', description: 'Stone cherries.' }]);
  {
    await using search = await openSkillSearch({ database, embedder });
    expect(() => search.get('plum-jam')).toThrow(
      expect.objectContaining({ code: 'DATABASE_DAMAGED', skill: 'plum-jam' }),
    );
    expect(search.keyword({ q: 'ham' }).hits).toEqual([]);
    expect(search.keyword({ q: 'apples' }).damaged).toEqual([{ id: 'plum-jam', reason: expect.any(String) }]);
  }
  expect(await load(database, format2Rows, 'fruit')).toMatchObject({ updated: 1, unchanged: 3, warnings: [] });
  await using search = await openSkillSearch({ database, embedder });
  expect(search.get('plum-jam')?.description).toBe('Plan a batch of plum jam: sugar, jars and time.');
  expect(search.keyword({ q: 'apples' }).damaged).toBeUndefined();
  expect(search.keyword({ q: 'jam' }).hits).toHaveLength(1);
});

test('a repair completes a catalogue of format 2, too', async () => {
  const database = earlierCatalogue(FIXTURE);
  expect((await checkCatalogue({ database })).problems.map(({ part }) => part)).toEqual([
    'database',
    'keyword file',
    'vector files',
  ]);
  const { problems, repaired } = await checkCatalogue({ database, repair: true });
  expect(problems).toEqual([]);
  expect(repaired).toHaveLength(3);
  expect(formatOf(database)).toBe(4);
});

function load(database: string, rows: readonly unknown[], name = 'more') {
  return buildCatalogue({ database, sources: [{ name, rows }], embedder });
}
