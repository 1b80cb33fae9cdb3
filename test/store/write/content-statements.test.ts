import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createInMemory } from '../../../src/store/database.js';
import { type PackedBlob, packBlob } from '../../../src/store/packing.js';
import { type Connection, Database } from '../../../src/store/sqlite.js';
import { type SkillToStore, toColumns } from '../../../src/store/stored-skill.js';
import { CatalogueWriter } from '../../../src/store/write/catalogue-writer.js';
import { WriterStatements } from '../../../src/store/write/writer-statements.js';
import { scratchFolder } from '../../scratch-folder.js';
import { storeItem } from '../store-items.js';

const ORPHAN = 'bytes without a skill';

describe('the end of a load', () => {
  test('looks at bytes of deleted contents alone, and deletes those that no skill has any more', async () => {
    const { statements, save, texts } = catalogue();
    const a = await save('a', ['shared', 'of a']);
    await save('b', ['shared', 'of b']);
    await putBlob(statements.connection, ORPHAN);

    statements.erase(a);
    statements.contents.deleteUnused(false);
    expect(texts()).toEqual([ORPHAN, 'of b', 'shared']);
    await save('b', ['new']);
    statements.contents.deleteUnused(false);
    expect(texts()).toEqual([ORPHAN, 'new']);
    statements.contents.deleteUnused(true);
    expect(texts()).toEqual(['new']);
  });

  test('looks at all bytes where very many were deleted', async () => {
    const { statements, save, texts } = catalogue();
    await save('b', ['of b']);
    const file = statements.connection.prepare("INSERT INTO content_file VALUES (?, ?, 1, ?, 0, 1, 0, 'blob')");
    const a = await save('a', ['of a']);
    for (let i = 0; i <= 20_000; i++) file.run(a, `other ${i}`, createHash('sha256').update(`${i}`).digest());
    await putBlob(statements.connection, ORPHAN);
    statements.erase(a);
    statements.contents.deleteUnused(false);
    expect(texts()).toEqual(['of b']);
  });
});

describe('bytes that no skill has any more', () => {
  test('are deleted where a killed run replaced them', async () => {
    const path = `${scratchFolder()}/skills.db`;
    await load(path, 'finish', [await withFiles('a', ['first'])]);
    await load(path, 'close', [await withFiles('a', ['second'])]);
    await load(path, 'finish', [await withFiles('a', ['third'])]);
    expect(textsIn(path)).toEqual(['third']);
  });

  test('are deleted by any load that writes where damage left them', async () => {
    const path = `${scratchFolder()}/skills.db`;
    await load(path, 'finish', [await withFiles('a', ['of a'])]);
    const database = new Database(path);
    await putBlob(database, ORPHAN);
    database.close();
    await load(path, 'finish', [await withFiles('b', ['of b'])]);
    expect(textsIn(path)).toEqual(['of a', 'of b']);
  });
});

interface ItemWithBlobs {
  readonly item: SkillToStore;
  readonly blobs: readonly PackedBlob[];
}

async function withFiles(id: string, texts: readonly string[]): Promise<ItemWithBlobs> {
  const blobs = await Promise.all(texts.map(pack));
  const files = blobs.map(({ sha256, size }, i) => ({
    path: `${i}`,
    size,
    sha256,
    executable: false,
    complete: true,
    isText: false,
    bytes: Buffer.from(texts[i]!),
  }));
  return { item: { ...storeItem(id), contents: { complete: true, files } }, blobs };
}

function catalogue(): {
  statements: WriterStatements;
  save: (id: string, texts: readonly string[]) => Promise<number>;
  texts: () => string[];
} {
  const statements = new WriterStatements(createInMemory());
  const save = async (id: string, texts: readonly string[]): Promise<number> => {
    const { item, blobs } = await withFiles(id, texts);
    return statements.save(toColumns(item), item, statements.find.get(id)?.number, blobs);
  };
  return { statements, save, texts: () => storedTexts(statements.connection) };
}

async function load(path: string, end: 'finish' | 'close', items: readonly ItemWithBlobs[]): Promise<void> {
  const writer = new CatalogueWriter(path, undefined, existsSync(path));
  for (const { item, blobs } of items) writer.put(item, 'source', undefined, blobs);
  writer[end]();
}

function pack(text: string): Promise<PackedBlob> {
  return packBlob(createHash('sha256').update(text).digest('hex'), Buffer.from(text));
}

async function putBlob(connection: Connection, text: string): Promise<void> {
  const { sha256, size, packing, bytes } = await pack(text);
  connection
    .prepare('INSERT INTO blob (sha256, size, packing, bytes, checksum) VALUES (?, ?, ?, ?, 0)')
    .run(Buffer.from(sha256, 'hex'), size, packing, bytes);
}

function textsIn(path: string): string[] {
  const database = new Database(path, { readonly: true });
  try {
    return storedTexts(database);
  } finally {
    database.close();
  }
}

/** Short bytes are stored as they are. */
function storedTexts(connection: Connection): string[] {
  const bytes = connection.prepare<[], Buffer>('SELECT bytes FROM blob').pluck().all();
  return bytes.map(String).sort();
}
