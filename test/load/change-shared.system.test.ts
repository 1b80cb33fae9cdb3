import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MAX_CHANGED_IN_PLACE } from '../../src/core/index.js';
import { buildCatalogue, removeSkills, updateSkills } from '../../src/index.js';
import { contentOf } from '../catalogue-file.js';
import { row } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { describeWithPostgres } from '../share/postgres/describe-with-postgres.js';

const MANY = Array.from({ length: MAX_CHANGED_IN_PLACE + 1 }, (_, i) => row(`many-${i}`));

describeWithPostgres('a small change in PostgreSQL', (server) => {
  /** A database with some skills, and the same in a file. */
  const place = async () => {
    const database = await server.database();
    const [file, cache] = [scratchFile('skills.db'), scratchFolder()];
    const sources = [{ name: 'mine', rows: [row('a'), row('b'), row('c')] }];
    const shared = { database, cache, embedder: new StandInEmbedder() };
    const own = { database: file, embedder: new StandInEmbedder() };
    await buildCatalogue({ ...shared, sources });
    await buildCatalogue({ ...own, sources });
    const both = () => [contentOf(join(cache, 'skills.db')), contentOf(file)] as const;
    return { database, cache, shared, own, both };
  };

  test.each([
    ['a few rows', [row('a', { stars: 1 }), row('b'), row('d', { description: 'new' }), { name: '' }]],
    ['more rows than are changed in place', [row('a', { stars: 1 }), ...MANY]],
    ['no row', []],
  ])('updates %s with the report of a file', async (_, rows) => {
    const { shared, own, both } = await place();
    const { seconds: _s, ...got } = await updateSkills({ ...shared, rows });
    const { seconds: _t, ...expected } = await updateSkills({ ...own, rows });
    expect(got).toEqual(expected);
    const [here, there] = both();
    expect([...here]).toEqual([...there]);
  });

  test('updates a catalogue that is not there yet', async () => {
    const [database, cache] = [await server.database(), scratchFolder()];
    const report = await updateSkills({ database, cache, semantic: false, rows: [row('a')] });
    expect([report.added, [...contentOf(join(cache, 'skills.db')).keys()]]).toEqual([1, ['a']]);
  });

  test.each([
    ['a few ids', ['a', 'c', 'nobody']],
    ['more ids than are removed in place', ['b', ...MANY.map(({ id }) => id!)]],
    ['none that is there', ['nobody']],
  ])('removes %s with the number of a file', async (_, ids) => {
    const { shared, own, both } = await place();
    const { embedder: _e, ...where } = shared;
    const removing: unknown = removeSkills({ ...where, ids });
    expect(removing).toBeInstanceOf(Promise);
    expect(await removing).toBe(await removeSkills({ database: own.database, ids }));
    const [here, there] = both();
    expect([...here]).toEqual([...there]);
  });

  test('removes nothing where there is no catalogue', async () => {
    const database = (await server.database()) as `postgres://${string}`;
    const removing = removeSkills({ database, cache: scratchFolder(), ids: ['a'] });
    await expect(removing).rejects.toMatchObject({ code: 'DATABASE_NOT_FOUND' });
  });

  test('may be made many times at once', async () => {
    const { shared, both } = await place();
    const ids = ['p', 'q', 'r', 's'];
    const changes = ids.map((id) => updateSkills({ ...shared, rows: [row(id), row('a', { author: id })] }));
    for (const report of await Promise.all(changes)) expect(report.added).toBe(1);
    expect([...both()[0].keys()]).toEqual(['a', 'b', 'c', ...ids]);
  });

  describe('of rows that can be read only once', () => {
    test('is made again if they are few, because they are kept', async () => {
      const { database, shared, both } = await place();
      const elsewhere = { database, cache: scratchFolder(), embedder: new StandInEmbedder() };
      let times = 0;
      const embedder = {
        model: 'stand-in',
        embed: async (texts: readonly string[]) => {
          times += 1;
          if (times === 1) await updateSkills({ ...elsewhere, rows: [row('a', { stars: 7 })] });
          return new StandInEmbedder().embed(texts);
        },
      };
      const rows = (function* () {
        yield row('a', { description: 'another', stars: 3 });
      })();
      const report = await updateSkills({ ...shared, embedder, rows });
      expect([report.updated, report.embedded]).toEqual([1, 0]);
      expect(both()[0].get('a')).toMatchObject({ record: { stars: 3 } });
    });
  });
});
