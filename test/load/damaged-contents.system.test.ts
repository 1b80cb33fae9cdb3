import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { buildCatalogue, checkCatalogue, type LoadReport, openSkillSearch, removeSkills } from '../../src/index.js';
import { catalogueSearchOf } from '../../src/search/index.js';
import { Database } from '../../src/store/sqlite.js';
import { CatalogueWriter } from '../../src/store/write/catalogue-writer.js';
import { codeOf } from '../error-code.js';
import { row, toJsonLines } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { loadItems, storeItem } from '../store/store-items.js';

const PICTURE = Buffer.alloc(3000, 0xfe);
const OF_R = "(SELECT number FROM skill WHERE id = 'r')";

/** Each of them makes the contents of the skill `r` unreadable. */
const DAMAGES = [
  `UPDATE contents SET hash = zeroblob(17) WHERE skill = ${OF_R}`,
  `UPDATE contents SET hash = zeroblob(16) WHERE skill = ${OF_R}`,
  `UPDATE contents SET checksum = checksum + 1 WHERE skill = ${OF_R}`,
  `UPDATE contents SET skill = 4000 WHERE skill = ${OF_R}`,
  `UPDATE contents SET complete_id = NULL WHERE skill = ${OF_R}`,
  `DELETE FROM contents WHERE skill = ${OF_R}`,
  `DELETE FROM contents WHERE skill = ${OF_R}; DELETE FROM content_file WHERE skill = ${OF_R}`,
  `DELETE FROM content_file WHERE skill = ${OF_R} AND path = 'x.bin'`,
  "DELETE FROM blob WHERE sha256 = (SELECT sha256 FROM content_file WHERE path = 'x.bin')",
  'DELETE FROM contents; DELETE FROM content_file; DELETE FROM blob',
];

/** What writes the catalogue without a look at the source of `r`. */
const OTHER_WRITES: readonly (readonly [string, (database: string) => unknown])[] = [
  ['another load', (database) => load(database, [row('z')])],
  ['a removal', (database) => removeSkills({ database, ids: ['s'] })],
  ['a repair', (database) => checkCatalogue({ database, repair: true })],
];

describe('damaged contents', () => {
  test.each(OTHER_WRITES)('stay known as damaged after %s, until their own load brings them', async (_, write) => {
    for (const damage of DAMAGES) {
      const database = scratchFile('skills.db');
      const own = sourceOf([whole('r'), row('s'), whole('t')]);
      await loadFile(database, own);
      change(database, damage);
      await write(database);
      expect(await damagedIn(database), damage).toContain('r');
      {
        await using search = await openSkillSearch({ database });
        expect(await codeOf(() => search.read('r', 'x.bin')), damage).toBe('DATABASE_DAMAGED');
        expect(search.contents('s')?.complete).not.toBe(true);
        const isLost = damage.startsWith('DELETE FROM contents');
        if (isLost)
          expect(await codeOf(() => catalogueSearchOf(search).completeIds({ limit: 9 })), damage).toBe(
            'DATABASE_DAMAGED',
          );
      }
      expect((await loadFile(database, own)).updated, damage).toBeGreaterThan(0);
      expect((await checkCatalogue({ database })).problems, damage).toEqual([]);
      await using search = await openSkillSearch({ database });
      expect(search.contents('r')?.complete).toBe(true);
      expect(Buffer.from(search.read('r', 'x.bin')!)).toEqual(PICTURE);
      expect(catalogueSearchOf(search).completeIds({ limit: 9 })).toEqual(['r', 't']);
    }
  });

  test('stay known as damaged where a killed run is undone', async () => {
    const database = scratchFile('skills.db');
    const item = { ...storeItem('r'), contents: { complete: true, files: [] } };
    loadItems(database, [item, storeItem('s')], false);
    change(database, DAMAGES[0]!);
    const killed = new CatalogueWriter(database, undefined, true);
    killed.put({ ...storeItem('r', { stars: 1 }), contents: item.contents }, 'source');
    killed.close();

    loadItems(database, [storeItem('s', { stars: 2 })], true);
    expect(await damagedIn(database)).toEqual(['r']);
    expect(loadItems(database, [item], true)).toMatchObject({ updated: 1 });
    expect(await damagedIn(database)).toEqual([]);
  });
});

function whole(id: string): object {
  const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');
  const files = [
    { filename: 'SKILL.md', text: id, complete: true, sha256: sha256(id) },
    { filename: 'x.bin', base64: PICTURE.toString('base64'), complete: true, sha256: sha256(PICTURE) },
  ];
  return { ...row(id), files };
}

function sourceOf(rows: readonly object[]): string {
  const file = scratchFile('rows.jsonl');
  writeFileSync(file, toJsonLines(rows));
  return file;
}

function load(database: string, rows: readonly object[]): Promise<LoadReport> {
  return loadFile(database, sourceOf(rows));
}

function loadFile(database: string, source: string): Promise<LoadReport> {
  return buildCatalogue({ database, sources: [source], semantic: false });
}

/** Ids of the skills whose contents a check finds fault with. */
async function damagedIn(database: string): Promise<string[]> {
  const { problems } = await checkCatalogue({ database });
  return problems.flatMap(({ skill, problem }) => (/contents|bytes/.test(problem) ? (skill ?? []) : []));
}

function change(database: string, sql: string): void {
  changing(database, (connection) => connection.exec(`PRAGMA foreign_keys = OFF; ${sql}`));
}

function changing(database: string, work: (connection: InstanceType<typeof Database>) => void): void {
  const connection = new Database(database);
  try {
    work(connection);
  } finally {
    connection.close();
  }
}
