import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSkillSearch, updateSkills } from '../../src/index.js';
import { until } from '../processes.js';
import { row } from '../rows.js';
import { scratchFolder } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { describeWithPostgres } from '../share/postgres/describe-with-postgres.js';
import { temporaryFolder } from '../sources/folders.js';
import { eventually, skillText, watching } from './watching.js';

describeWithPostgres('a watch into PostgreSQL', (server) => {
  /** Another machine, which sees what is published. */
  function otherMachine(database: string) {
    const place = { database, cache: scratchFolder() };
    return {
      place,
      /** Waits until these are the descriptions by name. */
      untilSees: (expected: Readonly<Record<string, string>>) =>
        eventually(async () => {
          await using search = await openSkillSearch(place);
          const skills = search.ids().map((id) => search.get(id)!);
          expect(Object.fromEntries(skills.map(({ name, description }) => [name, description]))).toEqual(expected);
        }),
    };
  }

  test('publishes what changes, appears and vanishes, each as a version of its own', async () => {
    const database = await server.database();
    const folder = await temporaryFolder({ 'a/SKILL.md': skillText('a'), 'b/SKILL.md': skillText('b') });
    const { changes } = await watching({ database, cache: scratchFolder(), sources: [folder] });
    const other = otherMachine(database);
    await other.untilSees({ a: 'does a', b: 'does b' });
    writeFileSync(join(folder, 'a', 'SKILL.md'), skillText('a', 'does more'));
    await other.untilSees({ a: 'does more', b: 'does b' });
    rmSync(join(folder, 'b'), { recursive: true });
    await other.untilSees({ a: 'does more' });
    // Others may see a change before the watch is told that it was made.
    await until(() => changes.length === 3);
    expect(changes.map(({ whole }) => whole)).toEqual([true, false, false]);
    const rows = await server.execute(
      database,
      'SELECT version::int, image IS NULL AS gone FROM skill_discovery.skill ORDER BY version',
    );
    expect(rows).toEqual([
      { version: 2, gone: false },
      { version: 3, gone: true },
    ]);
  });

  test('loses nothing while the database is away, and leaves what others have loaded', async () => {
    const database = await server.database();
    const folder = await temporaryFolder({ 'a/SKILL.md': skillText('a'), 'b/SKILL.md': skillText('b') });
    const { heard, problems } = await watching({ database, cache: scratchFolder(), sources: [folder] });
    const other = otherMachine(database);
    await updateSkills({
      ...other.place,
      semantic: false,
      rows: [row('theirs', { name: 'theirs', description: 'of another machine' })],
    });
    await server.stop();
    writeFileSync(join(folder, 'a', 'SKILL.md'), skillText('a', 'changed while it was away'));
    expect((await heard('load-failed')).message).toMatch(/is tried again in \d+ s: /);
    rmSync(join(folder, 'b'), { recursive: true });
    await server.start();
    await other.untilSees({ a: 'changed while it was away', theirs: 'of another machine' });
    for (const { message } of problems) expect(message).not.toMatch(/zebra|password=|:[^:@/]+@/);
  });

  test('makes vectors after words, and publishes them', async () => {
    const database = await server.database();
    const embedder = new StandInEmbedder();
    const folder = await temporaryFolder({ 'a/SKILL.md': skillText('a') });
    const { changes } = await watching({
      ...{ database, cache: scratchFolder(), embedder, semantic: true },
      sources: [folder],
    });
    const vectors = (count: number) =>
      eventually(async () => {
        await using search = await openSkillSearch({ database, cache, embedder });
        expect(search.stats().vectors).toBeGreaterThanOrEqual(count);
      });
    const cache = scratchFolder();
    await vectors(1);
    await eventually(() => expect(changes.map(({ kind }) => kind)).toEqual(['words', 'vectors']));
    writeFileSync(join(folder, 'a', 'SKILL.md'), skillText('a', 'does something else'));
    await eventually(() => expect(changes.map(({ kind }) => kind)).toEqual(['words', 'vectors', 'words', 'vectors']));
    await vectors(2);
    await using search = await openSkillSearch({ database, cache, embedder });
    expect((await search.semantic({ q: 'something else' })).hits).toHaveLength(1);
  });

  test('of two on one machine one loads, and the other takes over, in threads too', async () => {
    const database = await server.database();
    const folder = await temporaryFolder({ 'a/SKILL.md': skillText('a') });
    const options = { database, cache: scratchFolder(), sources: [folder], thread: true };
    const one = await watching(options);
    const two = await watching(options);
    expect(await two.heard('watched-elsewhere')).toMatchObject({ message: expect.stringMatching(/into postgres:/) });
    await one.watch.close();
    writeFileSync(join(folder, 'a', 'SKILL.md'), skillText('a', 'after the first'));
    await otherMachine(database).untilSees({ a: 'after the first' });
    await eventually(() => expect(two.changes.length).toBeGreaterThan(0));
  });
});
