import { describe, expect, test } from 'vitest';
import { CatalogueReader } from '../../../src/store/read/catalogue-reader.js';
import { Database } from '../../../src/store/sqlite.js';
import { VECTORS_OF_SKILL } from '../../../src/store/write/catalogue-repair.js';
import { CatalogueWriter } from '../../../src/store/write/catalogue-writer.js';
import { vectorsOf } from '../../catalogue-file.js';
import { codeOf } from '../../error-code.js';
import { scratchFile } from '../../scratch-folder.js';
import { storeItem } from '../store-items.js';

describe('the vectors of a catalogue', () => {
  test('stay where a load names another model and makes no vector of it', () => {
    const path = withVectors('old', ['a', 'b']);
    const writer = new CatalogueWriter(path, undefined, true);
    writer.put(storeItem('c'), 'source');
    expect(writer.vectors.useModel('new')).toHaveLength(3);
    writer.finish();
    expect(vectorsOf(path).map(({ model }) => model)).toEqual(['old', 'old']);
    const reader = CatalogueReader.open(path);
    expect([reader.vectors.model, reader.vectors.count, reader.vectors.dimensions]).toEqual(['old', 2, 2]);
    reader.close();
  });

  test('are read in the order asked for, and all at once in that of their numbers', async () => {
    const path = withVectors('model', ['a', 'b', 'c']);
    const reader = CatalogueReader.open(path);
    const { keys, values, dimensions } = await reader.vectors.all();
    expect([...keys, dimensions]).toEqual([1, 2, 3, 2]);
    const turned = reader.vectors.vectors([...keys].toReversed(), 2);
    expect([...turned.values]).toEqual([4, 2, 0].flatMap((at) => [...values.subarray(at, at + 2)]));
    expect([...(await reader.vectorNumbers())].toSorted()).toEqual([...keys]);
    reader.close();
  });

  test('of one skill are found without reading those of others', () => {
    const database = new Database(withVectors('model', ['a', 'b']));
    const plan = database.prepare<[number], { detail: string }>(`EXPLAIN QUERY PLAN ${VECTORS_OF_SKILL}`).all(1);
    database.close();
    expect(plan.map(({ detail }) => detail).filter((detail) => /\bvector\b/.test(detail))).toEqual([
      'SEARCH vector USING INDEX sqlite_autoindex_vector_1 (model=? AND text_hash=?)',
    ]);
  });

  test('that are not of the length they should have are told, not read', async () => {
    const path = withVectors('model', ['a', 'b']);
    const database = new Database(path);
    database.exec("UPDATE vector SET embedding = x'00000000' WHERE number = 2");
    database.close();
    const reader = CatalogueReader.open(path);
    expect(await codeOf(() => reader.vectors.all())).toBe('DATABASE_DAMAGED');
    expect(reader.vectors.vectors([1, 2, 99], 2).damaged).toEqual([1, 2]);
    reader.close();
  });
});

describe('a writer that has published', () => {
  test('holds the right to load until it is closed, for what is derived from the catalogue', async () => {
    const path = scratchFile('skills.db');
    const writer = new CatalogueWriter(path, undefined, false);
    writer.put(storeItem('a'), 'source');
    expect(writer.publish()).toMatchObject({ added: 1 });
    expect(await codeOf(() => new CatalogueWriter(path, undefined, true))).toBe('LOAD_IN_PROGRESS');
    writer.close();
    new CatalogueWriter(path, undefined, true).close();
  });
});

/** A catalogue of skills with a vector each. */
function withVectors(model: string, ids: readonly string[]): string {
  const path = scratchFile('skills.db');
  const writer = new CatalogueWriter(path, undefined, false);
  for (const id of ids) writer.put(storeItem(id), 'source');
  const texts = writer.vectors.useModel(model).map((number) => writer.vectors.textToEmbed(number));
  writer.vectors.putVectors(
    texts.map(({ textHash }, i) => ({ textHash, vector: Float32Array.of(Math.cos(i), Math.sin(i)) })),
  );
  writer.finish();
  return path;
}
