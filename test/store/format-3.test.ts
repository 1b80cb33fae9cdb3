import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { buildCatalogue, checkCatalogue, openSkillSearch, removeSkills, updateSkills } from '../../src/index.js';
import { Database } from '../../src/sqlite/connection.js';
import { openForReading } from '../../src/store/database.js';
import { SMALL_PAGE_BYTES } from '../../src/store/page-bytes.js';
import { contentOf, filesBeside } from '../catalogue-file.js';
import { row } from '../rows.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { change, earlierCatalogue, formatOf } from './earlier-catalogue.js';
import { format3Rows } from './fixtures/format-3-rows.js';

const FIXTURE = 'format-3.catalogue';
const KILN = format3Rows[0] as { description: string; files: { filename: string; text: string }[] };
const embedder = new StandInEmbedder('stand-in', 16);

test('a catalogue of format 3 can be opened, searched and checked as it is', async () => {
  const database = earlierCatalogue(FIXTURE);
  await using search = await openSkillSearch({ database, embedder });
  expect(search.ids()).toEqual(['glaze "über"', 'kiln-firing', 'sieve', 'wheel']);
  expect(search.keyword({ q: 'raise the temperature slowly' }).hits.map(({ skill }) => skill.id)).toEqual([
    'kiln-firing',
  ]);
  expect((await search.semantic({ q: 'sieve slip' })).hits[0]?.skill.id).toBe('sieve');
  expect(search.files('kiln-firing').map(({ filename, text }) => ({ filename, text }))).toEqual(KILN.files);
  expect((await checkCatalogue({ database })).problems.filter(({ part }) => !part.includes('file'))).toEqual([]);
  expect(formatOf(database)).toBe(3);
});

test('small changes leave a catalogue of format 3 in its format, for the version before', async () => {
  const database = earlierCatalogue(FIXTURE);
  await using before = await openSkillSearch({ database, embedder });
  const update = { database, embedder, source: 'clay' };
  expect(await updateSkills({ ...update, rows: [{ ...KILN, stars: 8 }, row('slip')] })).toMatchObject({
    added: 1,
    updated: 1,
  });
  expect(removeSkills({ database, ids: ['sieve'] })).toBe(1);
  expect(formatOf(database)).toBe(3);
  expect(storedTypes(database)).toEqual(['text']);
  expect(before.get('kiln-firing')?.stars).toBe(7);
  expect(before.files('kiln-firing')[0]?.text).toBe(KILN.files[0]?.text);
  await using search = await openSkillSearch({ database, embedder });
  expect(search.get('kiln-firing')?.stars).toBe(8);
  expect(search.ids()).toEqual(['glaze "über"', 'kiln-firing', 'slip', 'wheel']);
  expect((await checkCatalogue({ database })).problems.filter(({ part }) => !part.includes('file'))).toEqual([]);
});

test('the next load packs a catalogue of format 3, whatever it brings, and loses nothing', async () => {
  const [database, other] = [earlierCatalogue(FIXTURE), earlierCatalogue(FIXTURE)];
  const was = contentOf(database);
  expect(await load(database, format3Rows)).toMatchObject({ added: 0, updated: 0, unchanged: 4, embedded: 0 });
  expect(await load(other, [row('slip')], 'more')).toMatchObject({ added: 1, updated: 0, embedded: 1 });
  for (const path of [database, other]) {
    expect(formatOf(path)).toBe(4);
    expect(storedTypes(path)).toEqual(['blob', 'text']);
    expect(await checkCatalogue({ database: path })).toMatchObject({ problems: [], outdated: [] });
    expect(filesBeside(path).filter((name) => name.includes('loading'))).toEqual([]);
    for (const [id, content] of was) expect(contentOf(path).get(id)).toEqual(content);
    const connection = openForReading(path);
    expect(connection.pragma('page_size', { simple: true })).toBe(SMALL_PAGE_BYTES);
    expect(connection.pragma('freelist_count', { simple: true })).toBe(0);
    connection.close();
    await using search = await openSkillSearch({ database: path, embedder });
    expect(search.keyword({ q: 'raise the temperature slowly' }).hits).toHaveLength(1);
  }
  const { mtimeMs } = statSync(database);
  expect(await load(database, format3Rows)).toMatchObject({ unchanged: 4 });
  expect(statSync(database).mtimeMs).toBe(mtimeMs);
});

test('packing leaves a damaged skill damaged, until a load brings it', async () => {
  const database = earlierCatalogue(FIXTURE);
  change(database, "UPDATE skill SET record = replace(record, 'Center', 'Canter') WHERE id = 'wheel'");
  change(database, "UPDATE file SET text = replace(text, 'Wear', 'Bear') WHERE filename = 'short.txt'");
  await load(database, [row('slip')], 'more');
  expect(formatOf(database)).toBe(4);
  {
    await using search = await openSkillSearch({ database, embedder });
    const damaged = { code: 'DATABASE_DAMAGED' };
    expect(() => search.get('wheel')).toThrow(expect.objectContaining(damaged));
    expect(() => search.files('kiln-firing')).toThrow(expect.objectContaining(damaged));
    expect(search.stats().damaged).toBe(2);
    expect(search.keyword({ q: 'sieve' }).hits).toHaveLength(1);
  }
  expect(await load(database, format3Rows)).toMatchObject({ updated: 2, unchanged: 2, warnings: [] });
  expect((await checkCatalogue({ database })).problems).toEqual([]);
});

test('a repair packs a catalogue of format 3, too', async () => {
  const database = earlierCatalogue(FIXTURE);
  expect((await checkCatalogue({ database, repair: true })).problems).toEqual([]);
  expect(formatOf(database)).toBe(4);
});

function load(database: string, rows: readonly unknown[], name = 'clay') {
  return buildCatalogue({ database, sources: [{ name, rows }], embedder });
}

/** How the texts of files are stored. */
function storedTypes(database: string): unknown[] {
  return ask(database, 'SELECT DISTINCT typeof(text) FROM file ORDER BY 1');
}

function ask(database: string, sql: string): unknown[] {
  const connection = new Database(database, { readonly: true });
  try {
    return connection.prepare<[]>(sql).pluck().all();
  } finally {
    connection.close();
  }
}
