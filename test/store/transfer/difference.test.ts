import { createHash, randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildCatalogue, removeSkills, updateSkills } from '../../../src/index.js';
import { Database } from '../../../src/store/sqlite.js';
import { applyChanges } from '../../../src/store/transfer/apply-changes.js';
import { differenceOf } from '../../../src/store/transfer/difference.js';
import { codeOf } from '../../error-code.js';
import { row, writeJsonLines } from '../../rows.js';
import { scratchFile, scratchFolder } from '../../scratch-folder.js';
import { StandInEmbedder } from '../../semantic/stand-in-embedder.js';
import { allOf } from './all-of.js';
import { withChanges } from './with-changes.js';

const embedder = new StandInEmbedder();
const ROWS = [row('a'), row('b'), row('c')];

/** What the difference of two catalogues says is removed, and what is changed. */
function idsOf(base: string | undefined, next: string): Promise<(readonly string[])[]> {
  return withChanges(base, next, ({ removed, changed }) => [removed, changed]);
}

/** A catalogue with three skills, and a copy of it. */
async function twoCatalogues(more: object = { semantic: false }): Promise<{ base: string; next: string }> {
  const folder = scratchFolder();
  const [base, next] = [join(folder, 'base.db'), join(folder, 'next.db')];
  await buildCatalogue({ database: base, sources: [{ name: 'one', rows: ROWS }], ...more });
  cpSync(base, next);
  return { base, next };
}

function run(database: string, sql: string, ...parameters: unknown[]): void {
  const connection = new Database(database);
  connection.pragma('foreign_keys = OFF');
  connection.prepare(sql).run(...parameters);
  connection.close();
}

describe('the difference of two catalogues', () => {
  test('is none between copies, whatever numbers their skills have', async () => {
    const { base, next } = await twoCatalogues();
    expect(await idsOf(base, next)).toEqual([[], []]);
    await updateSkills({ database: next, rows: [row('b', { stars: 1 })], source: 'one', semantic: false });
    await updateSkills({ database: next, rows: [row('b')], source: 'one', semantic: false });
    expect(await idsOf(base, next)).toEqual([[], []]);
    expect(await idsOf(next, base)).toEqual([[], []]);
  });

  test('has every skill of the later one if there is no former one, in code-point order', async () => {
    const database = scratchFile('skills.db');
    const ids = ['b', '\u{1F600}', '\uFFEE', 'a'];
    await buildCatalogue({ database, sources: [ids.map((id) => row(id))], semantic: false });
    expect(await idsOf(undefined, database)).toEqual([[], ['a', 'b', '\uFFEE', '\u{1F600}']]);
  });

  test('tells what came, what changed and what went', async () => {
    const { base, next } = await twoCatalogues();
    const rows = [row('d'), row('b', { stars: 1 })];
    await updateSkills({ database: next, rows, source: 'one', semantic: false });
    await removeSkills({ database: next, ids: ['c'] });
    expect(await idsOf(base, next)).toEqual([['c'], ['b', 'd']]);
    expect(await idsOf(next, base)).toEqual([['d'], ['b', 'c']]);
  });

  test('has the skills that another source claims, or another row', async () => {
    const { base, next } = await twoCatalogues();
    await updateSkills({ database: next, rows: [row('a')], source: 'two', semantic: false });
    expect(await idsOf(base, next)).toEqual([[], ['a']]);
    expect(await idsOf(next, base)).toEqual([[], ['a']]);
  });

  test('has the skills that another row has become', async () => {
    const folder = scratchFolder();
    const [file, base, next] = ['rows.jsonl', 'base.db', 'next.db'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeJsonLines(file, ROWS);
    await buildCatalogue({ database: base, sources: [file], semantic: false });
    cpSync(base, next);
    // What else a row says makes no other skill. A load that changes nothing writes nothing, hence the new one.
    writeJsonLines(file, [row('a'), { ...row('b'), unknown: 1 }, row('c'), row('d')]);
    await buildCatalogue({ database: next, sources: [file], semantic: false });
    expect(await idsOf(base, next)).toEqual([[], ['b', 'd']]);
    expect(await idsOf(next, base)).toEqual([['d'], ['b']]);
  });

  test('has the skills whose text got a vector, or lost it, and all with a vector if another model made them', async () => {
    const { base, next } = await twoCatalogues();
    await buildCatalogue({ database: next, sources: [{ name: 'one', rows: ROWS }], embedder });
    expect(await idsOf(base, next)).toEqual([[], ['a', 'b', 'c']]);
    expect(await idsOf(next, base)).toEqual([[], ['a', 'b', 'c']]);
    const other = scratchFile('other.db');
    cpSync(next, other);
    const another = new StandInEmbedder('another');
    await buildCatalogue({ database: other, sources: [{ name: 'one', rows: ROWS }], embedder: another });
    expect(await idsOf(next, other)).toEqual([[], ['a', 'b', 'c']]);
    await withChanges(next, other, ({ model }) => expect(model).toEqual({ id: 'another', dimensions: 48 }));
  });
});

test('skills with large files come in batches of 16 MiB', async () => {
  const database = scratchFile('skills.db');
  const rows = Array.from({ length: 5 }, (_, i) => {
    const bytes = randomBytes(5 * 2 ** 20);
    const files = [
      { filename: 'SKILL.md', base64: Buffer.from('# All').toString('base64'), sha256: sha256('# All') },
      { filename: 'x.bin', base64: bytes.toString('base64'), sha256: sha256(bytes) },
    ];
    return { ...row(`skill-${i}`), files: files.map((file) => ({ ...file, complete: true, executable: false })) };
  });
  await buildCatalogue({ database, sources: [rows], contents: true, semantic: false });
  const batches: number[] = [];
  await withChanges(undefined, database, async (changes) => {
    for await (const batch of changes.images()) {
      const digests = batch.flatMap(({ contents }) => contents!.files).filter(({ kept }) => kept === 'blob');
      const blobs = await changes.blobs(digests.map((file) => file.sha256));
      batches.push(blobs.filter(({ size }) => size > 1000).length);
    }
  });
  expect(batches).toEqual([3, 2]);
});

describe('what is damaged is not handed on', () => {
  test.each([
    ['its row', "UPDATE revision SET record = replace(record, 'description of b', 'description of x') WHERE id = 'b'"],
    ['its file', "UPDATE file SET filename = 'x' WHERE skill = (SELECT number FROM skill WHERE id = 'b')"],
    ['its files', "DELETE FROM file WHERE skill = (SELECT number FROM skill WHERE id = 'b')"],
  ])('and the skill is named: %s', async (fault, sql) => {
    const { next } = await twoCatalogues();
    run(next, sql);
    await withChanges(undefined, next, async ({ images }) => {
      const reading = images()[Symbol.asyncIterator]().next();
      await expect(reading).rejects.toMatchObject({ code: 'DATABASE_DAMAGED', skill: 'b' });
      await expect(images()[Symbol.asyncIterator]().next()).rejects.toThrow(`not as it was written: ${fault}`);
    });
  });

  test('be it a vector', async () => {
    const { next } = await twoCatalogues({ embedder });
    const textHash = (await allOf(next)).images[1]!.columns.textHash;
    run(next, 'UPDATE vector SET embedding = zeroblob(192) WHERE text_hash = ?', textHash);
    await withChanges(undefined, next, async ({ vectors }) => {
      await expect(vectors([textHash])).rejects.toMatchObject({ code: 'DATABASE_DAMAGED', skill: 'b' });
      expect(await vectors([Buffer.from('nothing')])).toEqual([]);
    });
  });

  test('be it the bytes or the list of its files', async () => {
    const next = await folderCatalogue(join(scratchFolder(), 'skills', 'pdf'));
    const { contents, columns } = (await allOf(next)).images[0]!;
    const digest = contents!.files.find(({ kept }) => kept === 'blob')!.sha256;
    run(next, "UPDATE blob SET bytes = x'00' WHERE sha256 = ?", digest);
    await withChanges(undefined, next, async ({ blobs }) => {
      await expect(blobs([digest])).rejects.toMatchObject({ code: 'DATABASE_DAMAGED', skill: columns.id });
      expect(await blobs([Buffer.alloc(32)])).toEqual([]);
    });
    run(next, 'DELETE FROM content_file WHERE sha256 = ?', digest);
    await withChanges(undefined, next, async ({ images }) => {
      await expect(images()[Symbol.asyncIterator]().next()).rejects.toThrow('its contents do not fit their checksum');
    });
  });

  test('and a catalogue that has lost skills is no later state', async () => {
    const { base, next } = await twoCatalogues();
    run(next, "DELETE FROM revision WHERE id = 'b'");
    expect(await codeOf(() => differenceOf(base, next))).toBe('DATABASE_DAMAGED');
    expect(await codeOf(() => differenceOf(next, base))).toBe('DATABASE_DAMAGED');
  });
});

test('a catalogue that is changed while it is compared is told from the one that was opened', async () => {
  const { base, next } = await twoCatalogues();
  await updateSkills({ database: next, rows: [row('d')], source: 'one', semantic: false });
  await withChanges(base, next, async (changes) => {
    await updateSkills({ database: next, rows: [row('e')], source: 'one', semantic: false });
    await expect(applyChanges(base, changes, { note: 'a 1' })).rejects.toMatchObject({ code: 'LOAD_IN_PROGRESS' });
  });
  expect((await allOf(base)).images).toHaveLength(3);
});

/** A catalogue with a skill of a folder, beside it. */
async function folderCatalogue(folder: string): Promise<string> {
  const database = join(dirname(dirname(folder)), 'skills.db');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'SKILL.md'), '---\nname: pdf\ndescription: Fills forms.\n---\n\nText.\n');
  writeFileSync(join(folder, 'run.bin'), '\0one');
  await buildCatalogue({ database, sources: [dirname(folder)], semantic: false, git: false });
  return database;
}

function sha256(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
