import { describe, expect, test } from 'vitest';
import { buildCatalogue, checkCatalogue } from '../../src/index.js';
import { readNamedState, writeNote } from '../../src/store/notes.js';
import { CatalogueReader } from '../../src/store/read/catalogue-reader.js';
import { CatalogueWriter, OpenLoad } from '../../src/store/writing.js';
import { changeIn, stampOf } from '../catalogue-file.js';
import { codeOf } from '../error-code.js';
import { row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { finished, loadItems, storeItem } from './store-items.js';

/** Ids in code-point order; by UTF-16 units the ones with surrogates would stand before U+FF5E. */
const IDS = ['A', 'a', 'a-b', 'aa', 'z', 'é', '漢', '\ue000', '\uff5e', '𐀀', '😀', '😀a', '🛠'];

test('ids are ranked in code-point order, characters beyond U+FFFF included', () => {
  const path = scratchFile('skills.db');
  loadItems(
    path,
    [...IDS].reverse().map((id) => storeItem(id)),
    false,
  );

  const reader = CatalogueReader.open(path);
  expect(byRank(reader)).toEqual(IDS);
  reader.close();
});

/** The ids in the order of their ranks. */
function byRank(reader: CatalogueReader): string[] {
  const { size, idRank } = reader.columns;
  const ids: string[] = [];
  for (let number = 0; number < size; number++) ids[idRank[number] as number] = reader.skill(number).id;
  return ids;
}

test('a reader that opened before a load keeps the old state until it opens again', () => {
  const path = scratchFile('skills.db');
  loadItems(path, [storeItem('a'), storeItem('b')], false);
  const before = CatalogueReader.open(path);

  const writer = new CatalogueWriter(new OpenLoad(path, true));
  writer.put(storeItem('a', { description: 'changed' }), 'source');
  writer.put(storeItem('c'), 'source');
  writer.prune(['source']);
  finished(writer);

  const after = CatalogueReader.open(path);
  expect(idsOf(before)).toEqual(['a', 'b']);
  expect(before.get('a')?.description).toBe('a skill');
  expect(before.files('b')).toHaveLength(1);
  expect(before.get('c')).toBeUndefined();
  expect(idsOf(after)).toEqual(['a', 'c']);
  expect(after.get('a')?.description).toBe('changed');
  expect(after.stamp).not.toBe(before.stamp);
  before.close();
  after.close();
});

function idsOf(reader: CatalogueReader): string[] {
  return Array.from({ length: reader.columns.size }, (_, number) => reader.skill(number).id).sort();
}

test('the vectors of a catalogue that are not of the length they should have are told, not read', async () => {
  const path = withVectors('model', ['a', 'b']);
  changeIn(path, "UPDATE vector SET embedding = x'00000000' WHERE number = 2");
  const reader = CatalogueReader.open(path);
  expect(await codeOf(() => reader.vectors.all())).toBe('DATABASE_DAMAGED');
  expect(reader.vectors.vectors([1, 2, 99], 2).damaged).toEqual([1, 2]);
  reader.close();
});

test('a writer that has published holds the right to load until it is closed, for what is derived from the catalogue', async () => {
  const path = scratchFile('skills.db');
  const writer = new CatalogueWriter(new OpenLoad(path, false));
  writer.put(storeItem('a'), 'source');
  expect(writer.publish()).toMatchObject({ added: 1 });
  expect(await codeOf(() => new CatalogueWriter(new OpenLoad(path, true)))).toBe('LOAD_IN_PROGRESS');
  writer.close();
  new CatalogueWriter(new OpenLoad(path, true)).close();
});

/** A catalogue of skills with a vector each. */
function withVectors(model: string, ids: readonly string[]): string {
  const path = scratchFile('skills.db');
  const writer = new CatalogueWriter(new OpenLoad(path, false));
  for (const id of ids) writer.put(storeItem(id), 'source');
  const texts = writer.vectors.useModel(model).map((number) => writer.vectors.textToEmbed(number));
  writer.vectors.putVectors(
    texts.map(({ textHash }, i) => ({ textHash, vector: Float32Array.of(Math.cos(i), Math.sin(i)) })),
  );
  finished(writer);
  return path;
}

describe('the note of a state', () => {
  test('is read again, and changes nothing else', async () => {
    const database = await catalogue();
    const stamp = stampOf(database);
    expect(readNamedState(database)?.note).toBeUndefined();
    writeNote(database, 'a 1');
    writeNote(database, 'b 2');
    expect([readNamedState(database)?.note, stampOf(database)]).toEqual(['b 2', stamp]);
    expect(await checkCatalogue({ database })).toMatchObject({ problems: [] });
  });

  test('counts for nothing if what a catalogue says of itself is damaged, which no note hides', async () => {
    const database = await catalogue();
    writeNote(database, 'a 1');
    changeIn(database, "UPDATE meta SET value = '{}' WHERE key = 'facts'");
    expect(readNamedState(database)?.note).toBeUndefined();
    expect(await codeOf(() => writeNote(database, 'a 2'))).toBe('DATABASE_DAMAGED');
  });
});

async function catalogue(): Promise<string> {
  const database = scratchFile('skills.db');
  await buildCatalogue({ database, sources: [[row('a'), row('b')]], semantic: false });
  return database;
}
