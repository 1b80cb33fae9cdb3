import { expect, test } from 'vitest';
import { buildCatalogue, openSkillSearch, type Skill, updateSkills } from '../../src/index.js';
import { Database } from '../../src/store/sqlite.js';
import { codeOf } from '../error-code.js';
import { row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';

const ROWS = ['apple', 'banana', 'cherry'].map((id) =>
  row(id, { description: `about fruit and ${id}`, categories: ['fruit'], occupations: ['cook'] }),
);

async function catalogue(): Promise<string> {
  const database = scratchFile('skills.db');
  await buildCatalogue({ database, sources: [{ name: 'rows', rows: ROWS }], semantic: false });
  return database;
}

/** Replaces a text in the rows of skills, as damage would. */
function damage(database: string, text: string, by: string): void {
  const connection = new Database(database);
  connection.exec(`UPDATE skill SET record = replace(record, '${text}', '${by}')`);
  connection.close();
}

test('who changes a hit changes nothing of later answers', async () => {
  await using search = await openSkillSearch({ database: await catalogue() });
  const ask = (): Skill[] => search.keyword({ q: 'fruit' }).hits.map(({ skill }) => skill);
  const before = structuredClone(ask());
  for (const skill of ask()) {
    Object.assign(skill, { name: 'changed' });
    (skill.categories as string[]).push('changed');
    (skill.occupations as string[]).length = 0;
  }
  expect(ask()).toEqual(before);
});

test('a hit that was read before is given as it was read, and what was not is checked', async () => {
  const database = await catalogue();
  await using search = await openSkillSearch({ database });
  const before = search.keyword({ q: 'cherry' }).hits.map(({ skill }) => skill);
  damage(database, 'about fruit', 'about blood');
  expect(search.keyword({ q: 'cherry' }).hits.map(({ skill }) => skill)).toEqual(before);
  expect(await codeOf(() => search.keyword({ q: 'banana' }))).toBe('DATABASE_DAMAGED');
});

test('a question leaves no lock on the file, answered or not', async () => {
  const database = await catalogue();
  damage(database, 'about fruit and cherry', 'about fruit and sherry');
  await using search = await openSkillSearch({ database });
  expect(search.keyword({ q: 'banana' }).pagination.total).toBe(1);
  expect(await codeOf(() => search.keyword({ q: 'cherry' }))).toBe('DATABASE_DAMAGED');
  const writer = new Database(database, { timeout: 0 });
  writer.exec('BEGIN EXCLUSIVE; COMMIT');
  writer.close();
  expect(search.keyword({ q: 'banana' }).pagination.total).toBe(1);
});

test('hits that were read before a small change stay those of the state that was opened', async () => {
  const database = await catalogue();
  await using search = await openSkillSearch({ database });
  const before = search.keyword({ q: 'apple' }).hits.map(({ skill }) => skill);
  const rows = [{ ...ROWS[0], description: 'about fruit and apple pie' }];
  await updateSkills({ database, rows, semantic: false });
  expect(search.keyword({ q: 'apple' }).hits.map(({ skill }) => skill)).toEqual(before);
  await using later = await openSkillSearch({ database });
  expect(later.keyword({ q: 'apple' }).hits[0]?.skill.description).toBe('about fruit and apple pie');
});
