import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  buildCatalogue,
  checkCatalogue,
  copyCatalogue,
  openSkillSearch,
  removeSkills,
  type SkillSearch,
  updateSkills,
} from '../../src/index.js';
import { filesBeside } from '../../src/store/files.js';
import { changeIn, storedRecords } from '../catalogue-file.js';
import { codeOf } from '../error-code.js';
import { row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';

const ROWS = ['apple', 'banana', 'cherry', 'damson', 'elder'].map((id, i) =>
  row(id, {
    description: `about fruit and ${id}`,
    updatedAt: 1000 - i,
    stars: i,
    categories: ['fruit', `letter-${id[0]}`],
    files: [
      { filename: 'SKILL.md', text: `how to peel one ${id}, or several` },
      { filename: 'more.md', text: `further remarks on ${id}` },
    ],
  }),
);

const embedder = new StandInEmbedder();

describe('a letter that changes on the disk', () => {
  test('in a record leaves its skill out of the page, which says so', async () => {
    const database = await damaged('about fruit and cherry', 'about fruit and sherry');
    await using search = await open(database);
    const { hits, pagination, damaged: lacking } = search.keyword({ q: 'fruit', sortBy: 'recent' });
    expect(idsOf(hits)).toEqual(['apple', 'banana', 'damson', 'elder']);
    expect(pagination.total).toBe(5);
    expect(lacking).toEqual([{ id: 'cherry', reason: expect.stringContaining('not shown') }]);
    const records = storedRecords(search, { q: 'fruit', sortBy: 'recent' });
    expect(records.records).toHaveLength(4);
    expect(records.damaged).toHaveLength(1);
    const semantic = await search.semantic({ q: 'fruit', ranking: 'words' });
    expect(semantic.hits).toHaveLength(4);
    expect(semantic.damaged).toHaveLength(1);
  });

  test('keeps a search at the state that it opened, though the first read after a small change fails', async () => {
    const database = await damaged('about fruit and cherry', 'about fruit and sherry');
    await using search = await open(database);
    const rows = [row('apple', { description: 'about something else' }), row('fig')];
    await updateSkills({ database, rows, semantic: false });
    expect(await codeOf(() => search.get('cherry'))).toBe('DATABASE_DAMAGED');
    expect(search.get('apple')?.description).toBe('about fruit and apple');
    expect(search.get('fig')).toBeUndefined();
  });

  test('in a file is told where the file is shown', async () => {
    const database = await damaged('peel one cherry', 'peal one cherry');
    await using search = await open(database);
    expect(search.get('cherry')?.id).toBe('cherry');
    expect(search.file('cherry', 'more.md')?.text).toBe('further remarks on cherry');
    expect(await codeOf(() => search.file('cherry', 'SKILL.md'))).toBe('DATABASE_DAMAGED');
    expect(await codeOf(() => search.files('cherry'))).toBe('DATABASE_DAMAGED');
    const { hits, damaged: lacking } = search.keyword({ q: 'peel several', sortBy: 'recent' });
    expect(idsOf(hits)).toEqual(['apple', 'banana', 'damson', 'elder']);
    expect(lacking).toHaveLength(1);
  });
});

const rows = [
  row('long', {
    description: 'about long texts',
    files: [
      {
        filename: 'SKILL.md',
        text: 'This skill provides comprehensive guidance, and a set of best practices. '.repeat(4),
      },
      { filename: 'other.md', text: 'Use this skill when the user asks for a template, or for the API reference.' },
    ],
  }),
  row('other'),
];

test.each([
  ['any of its bytes', "UPDATE file SET text = CAST(substr(text, 1, 12) || x'00' || substr(text, 14) AS BLOB)"],
  ['its length', 'UPDATE file SET text = CAST(substr(text, 1, length(text) - 1) AS BLOB)'],
  ['its type', 'UPDATE file SET text = CAST(text AS TEXT)'],
])('a packed text is told where %s has changed, left out of the index, and written again', async (_, sql) => {
  const database = scratchFile('skills.db');
  await load(database, rows);
  changeIn(database, `${sql} WHERE filename = 'SKILL.md' AND skill = (SELECT number FROM skill WHERE id = 'long')`);
  {
    await using search = await openSkillSearch({ database: withoutDerived(database), embedder });
    expect(await codeOf(() => search.files('long'))).toBe('DATABASE_DAMAGED');
    expect(search.file('long', 'other.md')?.text).toContain('API reference');
    const found = search.keyword({ q: 'comprehensive guidance' });
    expect(found.hits).toEqual([]);
    expect(found.damaged).toEqual([{ id: 'long', reason: expect.stringContaining('may not be found') }]);
  }
  const { problems } = await checkCatalogue({ database });
  expect(problems).toContainEqual(expect.objectContaining({ part: 'skill', skill: 'long' }));
  expect(await load(database, rows)).toMatchObject({ updated: 1, unchanged: 1 });
  await using search = await open(database);
  expect(search.keyword({ q: 'comprehensive guidance' }).hits).toHaveLength(1);
  expect(search.files('long')[0]?.text).toContain('comprehensive guidance, and a set');
});

test('a file that is missing is told, and not taken for one that never was', async () => {
  const database = await catalogue();
  changeIn(database, "DELETE FROM file WHERE filename = 'more.md' AND skill = 2");
  await using search = await open(database);
  expect(await codeOf(() => search.files('banana'))).toBe('DATABASE_DAMAGED');
  expect(await codeOf(() => search.file('banana', 'more.md'))).toBe('DATABASE_DAMAGED');
  expect(search.file('apple', 'none.md')).toBeUndefined();
});

test.each([
  // The cell of the index: a header of four bytes, then the text.
  [
    'the index of SQLite has lost',
    (database: string) => damageBytes(database, /\x04\x19\x08[\s\S]banana/, (cell) => cell.replace('banana', 'bananb')),
  ],
  [
    'a row has lost',
    (database: string) =>
      changeIn(database, "UPDATE revision SET id = 'x' || id, record = 'broken' WHERE id = 'banana'"),
  ],
])('an id that %s makes it an error that an id is missing', async (_, damage) => {
  const database = await catalogue();
  damage(database);
  await using search = await open(database);
  for (const id of ['banana', 'nothing']) expect(await codeOf(() => search.get(id))).toBe('DATABASE_DAMAGED');
  expect(await codeOf(() => search.ids())).toBe('DATABASE_DAMAGED');
  expect(search.get('cherry')?.id).toBe('cherry');
});

describe('a vector', () => {
  test('that is damaged leaves its skill to be ranked by words, and the answer says so', async () => {
    const database = await catalogue();
    changeIn(database, 'UPDATE vector SET embedding = zeroblob(length(embedding)) WHERE number = 3');
    await using search = await open(database);
    const { hits, damaged: lacking } = await search.semantic({
      q: 'cherry',
      limit: 5,
      copies: 'keep',
      ranking: 'hybrid',
      explain: true,
    });
    const explain = hits.find(({ skill }) => skill.id === 'cherry')?.explain;
    expect(explain?.words).toBeGreaterThan(0);
    expect(explain).not.toHaveProperty('cosine');
    // It is taken to be as near to the best as the others usually are.
    const feedback = hits.map((hit) => hit.explain?.features?.find((one) => one.feature === 'feedback')?.value);
    expect(
      feedback.filter((value) => value === feedback[hits.findIndex(({ skill }) => skill.id === 'cherry')]).length,
    ).toBeGreaterThan(1);
    expect(lacking).toEqual([{ id: 'cherry', reason: expect.stringContaining('vector') }]);
    const left = await search.semantic({ q: 'cherry', limit: 5, copies: 'keep', ranking: 'vector' });
    expect(left.hits.map(({ skill }) => skill.id)).not.toContain('cherry');
    expect(left.damaged).toHaveLength(1);
  });

  test('that no longer belongs to its skill is still known by the derived file, and without that an error', async () => {
    const database = await catalogue();
    const answer = async () => {
      await using search = await open(database);
      return (await search.semantic({ q: 'cherry' })).hits.map(({ skill, score }) => [skill.id, score]);
    };
    const before = await answer();
    changeIn(database, 'UPDATE vector SET text_hash = randomblob(16) WHERE number = 3');
    expect(await answer()).toEqual(before);
    rmSync(filesBeside(database).vectors);
    expect(await codeOf(answer)).toBe('DATABASE_DAMAGED');
  });

  test('that is damaged is made again by the next load', async () => {
    const database = await catalogue();
    changeIn(database, 'UPDATE vector SET embedding = zeroblob(length(embedding)) WHERE number = 3');
    expect(await load(database)).toMatchObject({
      unchanged: 5,
      embedded: 1,
      warnings: [{ origin: 'catalogue', message: expect.stringContaining('1 vectors were damaged') }],
    });
    expect((await checkCatalogue({ database })).problems).toEqual([]);
  });
});

describe('a load', () => {
  test('writes a damaged skill again, though its source has not changed', async () => {
    const database = await damaged('about fruit and cherry', 'about fruit and sherry');
    expect(await load(database)).toMatchObject({ added: 0, updated: 1, unchanged: 4, warnings: [] });
    expect((await checkCatalogue({ database })).problems).toEqual([]);
    await using search = await open(database);
    expect(search.get('cherry')?.description).toBe('about fruit and cherry');
  });

  test('that does not bring a damaged skill keeps it as it is, and indexes nothing of it', async () => {
    const database = await damaged('about fruit and cherry', 'about fruit and sherry');
    await load(database, [row('fig')], 'other');
    await using search = await open(database);
    for (const q of ['sherry', 'cherry']) {
      const { hits, damaged: lacking } = search.keyword({ q });
      expect(hits).toEqual([]);
      expect(lacking).toEqual([{ id: 'cherry', reason: expect.stringContaining('may not be found') }]);
    }
    expect(search.stats()).toMatchObject({ skills: 6, damaged: 1 });
    expect(await load(database)).toMatchObject({ updated: 1, warnings: [] });
    await using mended = await open(database);
    expect(idsOf(mended.keyword({ q: 'cherry' }).hits)).toEqual(['cherry']);
    expect(mended.stats().damaged).toBeUndefined();
  });
});

test('what the last load noted of a catalogue is checked when it is opened, and the next load writes it again', async () => {
  const database = await catalogue();
  changeIn(database, "UPDATE meta SET value = 'another' WHERE key = 'stamp'");
  expect(await codeOf(() => open(database))).toBe('DATABASE_DAMAGED');
  expect(await load(database)).toMatchObject({ unchanged: 5 });
  expect((await checkCatalogue({ database })).problems).toEqual([]);
});

test.each([
  ['a table', 'UNIQUE (model, text_hash)', 'UNIQUE (model, embedding)'],
  ['a view', 'WHERE gone = 0', 'WHERE gone = 1'],
  ['an index', 'claim_skill ON claim (skill)', 'claim_skill ON claim (soill)'],
  ['the name of a view', 'VIEW skill AS', 'VIEW skilt AS'],
])(
  'a letter in the schema of %s is noticed: every call refuses the file, leaves it, and says what helps',
  async (_, text, by) => {
    const database = await catalogue();
    const bytes = readFileSync(database, 'latin1');
    expect(bytes).toContain(text);
    // SQLite may have left a former copy of it in the free part of a page.
    writeFileSync(database, bytes.replaceAll(text, by), 'latin1');
    const before = readFileSync(database);
    const code = await codeOf(() => open(database));
    // With some of these SQLite opens the file no more.
    expect(code).toMatch(/^(?:NOT_A_CATALOGUE|DATABASE_DAMAGED)$/);
    const helps = { code, message: expect.stringMatching(/; load all sources into a new file$/) };
    await expect(load(database)).rejects.toMatchObject(helps);
    await expect(removeSkills({ database, ids: ['fig'] })).rejects.toThrow(/; load all sources into a new file$/);
    await expect(checkCatalogue({ database, repair: true })).rejects.toMatchObject(helps);
    expect(readFileSync(database).equals(before)).toBe(true);
  },
);

test('a catalogue that has lost skills is an error where they are counted by reading them', async () => {
  const database = await catalogue();
  changeIn(database, 'DELETE FROM revision WHERE number = 5');
  const count = async () => {
    await using search = await openSkillSearch({ database: withoutDerived(database) });
    return search.categories();
  };
  expect(await codeOf(count)).toBe('DATABASE_DAMAGED');
});

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'skill-discovery-'));
  await load(join(folder, 'skills.db'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A copy of one catalogue: building it takes longer than a test. */
async function catalogue(): Promise<string> {
  const database = scratchFile('skills.db');
  await copyCatalogue({ from: join(folder, 'skills.db'), to: database });
  return database;
}

function load(database: string, rows: readonly unknown[] = ROWS, name = 'fruit') {
  return buildCatalogue({ database, sources: [{ name, rows }], embedder });
}

function open(database: string): Promise<SkillSearch> {
  return openSkillSearch({ database, embedder });
}

/** A catalogue in whose file one text was overwritten by another of the same length. */
async function damaged(text: string, by: string): Promise<string> {
  const database = await catalogue();
  damageBytes(database, new RegExp(text.replace(/[[\]"()]/g, '\\$&')), () => by);
  return database;
}

function damageBytes(path: string, what: RegExp, by: (found: string) => string): void {
  const before = readFileSync(path, 'latin1');
  const after = before.replace(what, by);
  expect(after).not.toBe(before);
  writeFileSync(path, after, 'latin1');
}

/** Without derived files everything is read from SQLite. */
function withoutDerived(database: string): string {
  const copy = scratchFile('copy.db');
  writeFileSync(copy, readFileSync(database));
  return copy;
}

function idsOf(hits: readonly { readonly skill: { readonly id: string } }[]): string[] {
  return hits.map(({ skill }) => skill.id);
}
