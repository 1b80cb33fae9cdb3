import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  buildCatalogue,
  type CatalogueProblem,
  checkCatalogue,
  openSkillSearch,
  removeSkills,
  updateSkills,
} from '../../src/index.js';
import { SharedStore } from '../../src/share/shared-catalogue/shared-store.js';
import { changeIn } from '../catalogue-file.js';
import { row } from '../rows.js';
import { scratchFolder } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { describeWithPostgres } from '../share/postgres/describe-with-postgres.js';

const EMBEDDER = new StandInEmbedder();

describeWithPostgres('a check of a catalogue in PostgreSQL', (server) => {
  interface Place {
    readonly database: string;
    readonly cache: string;
  }

  /** Twenty skills of rows, and one of a folder with a file that is kept as it is. */
  async function catalogue(): Promise<Place> {
    const place = { database: await server.database(), cache: scratchFolder() };
    const folder = scratchFolder();
    mkdirSync(join(folder, 'drawing'));
    writeFileSync(join(folder, 'drawing', 'SKILL.md'), '---\nname: drawing\ndescription: Draws.\n---\nDraw.\n');
    writeFileSync(join(folder, 'drawing', 'pixels.bin'), Buffer.from([0, 255, 1, 254]));
    const rows = Array.from({ length: 20 }, (_, i) => row(`skill-${i}`));
    await buildCatalogue({ ...place, embedder: EMBEDDER, git: false, sources: [{ name: 'rows', rows }, folder] });
    return place;
  }

  /** The problems in short: part, skill, what is wrong. */
  function short(problems: readonly CatalogueProblem[]): string[] {
    return problems.map(({ part, skill, problem }) => `${part} ${skill ?? ''}: ${problem}`);
  }

  test('finds nothing where all is well, on a new machine too', async () => {
    const { database, cache } = await catalogue();
    for (const folder of [cache, scratchFolder()]) {
      const report = await checkCatalogue({ database, cache: folder });
      expect(report).toMatchObject({ skills: 21, vectors: 21, problems: [], outdated: [], repaired: [] });
    }
  });

  const TEXT_7 = `(SELECT text_hash FROM skill_discovery.skill WHERE id = 'skill-7')`;
  const BLOB_7 = `(SELECT decode(split_part(digests, ' ', 1), 'hex') FROM skill_discovery.skill WHERE id = 'skill-7')`;
  const inDatabase = 'in the database it does not fit its hash';
  const isMissing = 'in the database its row is missing, or a text of it is missing or not what its digest says';
  const ofBytes = 'in the database the bytes of a file, or its vector, are missing or not as they were written';

  test.each([
    [
      'a row',
      `UPDATE skill_discovery.skill SET image = replace(image, 'skill-7', 'skill-x') WHERE id = 'skill-7'`,
      [`skill skill-7: ${inDatabase}`],
    ],
    [
      'a text that has lost a bit',
      `UPDATE skill_discovery.blob SET bytes = set_byte(bytes, 3, get_byte(bytes, 3) # 1) WHERE sha256 = ${BLOB_7}`,
      [`skill skill-7: ${isMissing}`],
    ],
    [
      'bytes of a file',
      `DELETE FROM skill_discovery.blob WHERE sha256 IN
        (SELECT decode(split_part(digests, ' ', -1), 'hex') FROM skill_discovery.skill WHERE id LIKE '%drawing')`,
      [expect.stringMatching(new RegExp(`^skill .*drawing: ${ofBytes}$`))],
    ],
    [
      'a vector that is gone',
      `DELETE FROM skill_discovery.vector WHERE text_hash = ${TEXT_7}`,
      [`skill skill-7: ${ofBytes}`],
    ],
  ])('names what is damaged in the database, which it does not change: %s', async (_, damage, told) => {
    const { database, cache } = await catalogue();
    await server.execute(database, damage);
    const { problems } = await checkCatalogue({ database, cache });
    expect(short(problems)).toEqual(told);
    expect(problems[0]).toMatchObject({
      path: expect.not.stringContaining(':zebra'),
      remedy: expect.stringContaining('backup'),
    });
    expect(problems[0]?.path).toMatch(/^postgres:/);
    const repaired = await checkCatalogue({ database, cache, repair: true });
    expect([short(repaired.problems), repaired.repaired]).toEqual([told, []]);
  });

  test.each([
    [
      'another vector',
      `UPDATE skill_discovery.vector SET embedding =
        (SELECT embedding FROM skill_discovery.vector AS other WHERE other.text_hash <> ${TEXT_7} LIMIT 1)
        WHERE text_hash = ${TEXT_7}`,
      'its vector is another one in the database',
    ],
    ['a skill less', `DELETE FROM skill_discovery.skill WHERE id = 'skill-7'`, 'the database does not have it'],
  ])('tells what the copy has, and the database has not: %s', async (_, change, problem) => {
    const { database, cache } = await catalogue();
    // Or the copy would be made of a snapshot, which has what was there before.
    await server.execute(database, 'DELETE FROM skill_discovery.snapshot; DELETE FROM skill_discovery.chunk');
    await server.execute(database, change);
    expect(short((await checkCatalogue({ database, cache })).problems)).toEqual([`skill skill-7: ${problem}`]);
    const { problems, repaired } = await checkCatalogue({ database, cache, repair: true });
    expect([problems, short(repaired)]).toEqual([[], [`skill skill-7: ${problem}`]]);
  });

  test('names what is damaged in the copy, and makes it anew when it may repair', async () => {
    const { database, cache } = await catalogue();
    changeIn(join(cache, 'skills.db'), `UPDATE revision SET record = X'00' WHERE id = 'skill-3'`);
    writeFileSync(join(cache, 'skills.db.keyword'), 'nothing of use');
    const { problems } = await checkCatalogue({ database, cache });
    // Derived files are made again while the copy is brought up to date.
    expect(short(problems)).toEqual(['skill skill-3: a value has the wrong type']);
    expect(problems.every(({ remedy }) => remedy.includes('makes the local copy anew'))).toBe(true);
    const repaired = await checkCatalogue({ database, cache, repair: true });
    expect([repaired.problems, short(repaired.repaired)]).toEqual([[], short(problems)]);
    await using search = await openSkillSearch({ database, cache });
    expect(search.get('skill-3')?.id).toBe('skill-3');
  });

  test('tells a snapshot of no use, and deletes it when it may repair', async () => {
    const { database, cache } = await catalogue();
    await server.execute(
      database,
      `UPDATE skill_discovery.chunk SET bytes = '\\x00'
      WHERE sha256 = (SELECT sha256 FROM skill_discovery.chunk LIMIT 1)`,
    );
    const { problems } = await checkCatalogue({ database, cache });
    expect(short(problems)).toEqual([expect.stringMatching(/^snapshot : 1 of its \d+ chunks are missing or not/)]);
    const { problems: left, repaired } = await checkCatalogue({ database, cache, repair: true });
    expect([left, repaired]).toEqual([[], problems]);
    expect(await server.execute(database, 'SELECT FROM skill_discovery.chunk')).toEqual([]);
  });

  test('finds nothing, and asks to check again, where changes are published meanwhile', async () => {
    const { database, cache } = await catalogue();
    const { withChangesSince } = SharedStore.prototype;
    let isPublished = false;
    const spy = vi.spyOn(SharedStore.prototype, 'withChangesSince').mockImplementation(async function (
      this: SharedStore,
      since,
      work,
      signal,
    ) {
      // The copy is read before, and held.
      if (since === undefined && !isPublished) {
        isPublished = true;
        const place = { database, cache: scratchFolder() };
        await updateSkills({ ...place, embedder: EMBEDDER, rows: [row('skill-5', { stars: 7 })] });
        await removeSkills({ ...place, ids: ['skill-6'] });
      }
      return withChangesSince.call(this, since, work, signal) as never;
    });
    onTestFinished(() => spy.mockRestore());
    await (await openSkillSearch({ database, cache })).close();
    isPublished = false;
    const { problems, outdated } = await checkCatalogue({ database, cache });
    expect([problems, outdated.map(({ remedy }) => remedy)]).toEqual([[], ['check again']]);
    expect(await checkCatalogue({ database, cache })).toMatchObject({ problems: [], outdated: [] });
  });

  test('finds nothing while loads publish', async () => {
    const { database, cache } = await catalogue();
    let isDone = false;
    const loads = (async () => {
      const place = { database, cache: scratchFolder() };
      for (let n = 0; !isDone; n++) {
        await updateSkills({ ...place, embedder: EMBEDDER, rows: [row('skill-5', { stars: n }), row(`new-${n}`)] });
      }
    })();
    for (let i = 0; i < 6; i++) expect((await checkCatalogue({ database, cache })).problems).toEqual([]);
    isDone = true;
    await loads;
  }, 60_000);
});
