import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { randomNumbers } from '../../src/evaluation/compare.js';
import { buildCatalogue, type CheckReport, checkCatalogue, removeSkills, updateSkills } from '../../src/index.js';
import { LoadLock } from '../../src/store/locks.js';
import { findDamage } from '../../src/store/read/catalogue-check.js';
import { Database } from '../../src/store/sqlite.js';
import { filesBeside, traceOf } from '../catalogue-file.js';
import { codeOf } from '../error-code.js';
import { row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { runCaptured } from './run-captured.js';

const embedder = new StandInEmbedder();

describe('check', () => {
  test('says that all is well, and exits with 0', async () => {
    const database = await catalogue();
    const before = traceOf(database);
    const { status, out, error } = await runCaptured(['check', '--database', database]);
    expect([status, out, error]).toEqual([0, 'checked 3 skills and 3 vectors: all is well\n', '']);
    expect(traceOf(database)).toEqual(before);
  });

  test('names each damaged skill with its remedy, exits with 1, and repairs none', async () => {
    const database = await catalogue();
    const bytes = readFileSync(database, 'latin1');
    writeFileSync(database, bytes.replace('about b', 'about x'), 'latin1');
    const { status, out, error } = await runCaptured(['check', '--database', database, '--json']);
    expect(status).toBe(1);
    expect(error).toContain('has a problem');
    const problem = {
      part: 'skill',
      skill: 'b',
      problem: 'its record does not fit its checksum',
      remedy: 'load its source again',
    };
    expect(JSON.parse(out)).toMatchObject({ skills: 3, vectors: 3, problems: [problem], repaired: [] });
    const repair = await runCaptured(['check', '--repair', '--database', database]);
    expect([repair.status, repair.out]).toEqual([
      1,
      'skill b: its record does not fit its checksum: load its source again\nchecked 3 skills and 3 vectors\n',
    ]);
    await load(database);
    expect((await runCaptured(['check', '--database', database])).status).toBe(0);
  });

  test('repairs derived files, indexes of SQLite, and what points nowhere; damaged vectors are removed', async () => {
    const database = await catalogue();
    rmSync(`${database}.keyword`);
    const vectors = readFileSync(`${database}.vectors`);
    vectors[vectors.length - 1]! ^= 1;
    writeFileSync(`${database}.vectors`, vectors);
    change(
      database,
      `UPDATE vector SET embedding = zeroblob(length(embedding)) WHERE number = 2;
      INSERT INTO claim (source, skill) VALUES (1, 99)`,
    );
    // The entry of the skill `b` in the index of ids.
    const bytes = readFileSync(database, 'latin1');
    writeFileSync(
      database,
      bytes.replace(/\x03\x0f[\s\S]b/, (cell) => `${cell.slice(0, -1)}y`),
      'latin1',
    );
    const found = await checkCatalogue({ database });
    const parts = found.problems.map(({ part }) => part);
    expect(parts).toEqual(expect.arrayContaining(['database', 'vectors', 'keyword file', 'vector files']));
    const { problems, repaired, vectors: left } = await checkCatalogue({ database, repair: true });
    expect(problems).toEqual([]);
    expect(repaired.length).toBe(found.problems.length);
    expect(left).toBe(2);
    expect(await load(database)).toMatchObject({ unchanged: 3, embedded: 1 });
    expect((await checkCatalogue({ database })).problems).toEqual([]);
  });

  test('takes derived files of another state for outdated, not for damaged, and a repair makes them again', async () => {
    const database = await catalogue();
    const former = ['keyword', 'vectors'].map(
      (name) => [`${database}.${name}`, readFileSync(`${database}.${name}`)] as const,
    );
    await buildCatalogue({ database, sources: [[row('d')]], embedder });
    for (const [path, bytes] of former) writeFileSync(path, bytes);
    const { status, out, error } = await runCaptured(['check', '--database', database]);
    expect([status, error]).toEqual([0, '']);
    expect(out.split('\n').map((line) => line.replaceAll(database, 'db'))).toEqual([
      'note: db.keyword: it belongs to another state of the catalogue, or to another version: check it with the option repair, or load anything',
      'note: db.vectors: it belongs to another state of the catalogue, or to another version: check it with the option repair, or load anything',
      expect.stringMatching(/^checked 4 skills .*: all is well$/),
      '',
    ]);
    const { problems, outdated, repaired } = await checkCatalogue({ database, repair: true });
    expect([problems, outdated]).toEqual([[], []]);
    expect(repaired.map(({ part }) => part)).toEqual(['keyword file', 'vector files']);
    expect(await checkCatalogue({ database })).toMatchObject({ problems: [], outdated: [] });
  });

  test('finds nothing wrong after small changes: the derived files of a former state are in use', async () => {
    const database = await catalogue();
    expect(await removeSkills({ database, ids: ['b'] })).toBe(1);
    await updateSkills({ database, rows: [row('a', { description: 'new' })], embedder });
    expect(await checkCatalogue({ database })).toMatchObject({ skills: 2, problems: [], outdated: [] });
    writeFileSync(`${database}.keyword`, 'damaged');
    const { problems } = await checkCatalogue({ database });
    expect(problems.map(({ part }) => part)).toEqual(['keyword file']);
    expect(await checkCatalogue({ database, repair: true })).toMatchObject({ problems: [], outdated: [] });
  });

  test('finds nothing wrong while a load replaces the catalogue and its derived files', async () => {
    const database = await catalogue();
    const during: Promise<CheckReport>[] = [];
    for (let turn = 0; turn < 3; turn++) {
      const rows = [row('a', { description: `turn ${turn}` })];
      const sources = [{ name: 'rows', rows }];
      const onProgress = () => void during.push(checkCatalogue({ database }));
      await buildCatalogue({ database, sources, embedder, onProgress });
    }
    expect(during.length).toBeGreaterThan(6);
    for (const { problems } of await Promise.all(during)) expect(problems).toEqual([]);
    expect(await checkCatalogue({ database })).toMatchObject({ problems: [], outdated: [] });
  });

  test('tells that a running load has not made a derived file yet', async () => {
    const database = await catalogue();
    rmSync(`${database}.keyword`);
    const lock = new LoadLock(database);
    const { problems, outdated } = await checkCatalogue({ database });
    lock.release();
    expect(problems).toEqual([]);
    expect(outdated).toMatchObject([{ part: 'keyword file', problem: 'a load is making it' }]);
    expect((await checkCatalogue({ database })).problems).toMatchObject([{ problem: 'it is missing' }]);
  });

  test('tells a damaged signature, and a repair makes it again and leaves nothing beside the catalogue', async () => {
    const database = await catalogue();
    change(database, 'UPDATE text_signature SET words = words + 1 WHERE skill = 2');
    const { problems } = await checkCatalogue({ database });
    expect(problems).toMatchObject([{ part: 'skill', skill: 'b', problem: expect.stringContaining('signature') }]);
    const { problems: left, repaired } = await checkCatalogue({ database, repair: true });
    expect([left, repaired.length]).toEqual([[], 1]);
    expect(filesBeside(database).filter((name) => name.includes('loading'))).toEqual([]);
  });

  test('that publishes nothing keeps what is noted for the report of a killed load', async () => {
    const database = await catalogue();
    writeFileSync(`${database}.loading-report`, '{}\n');
    rmSync(`${database}.keyword`);
    expect((await checkCatalogue({ database, repair: true })).problems).toEqual([]);
    expect(await removeSkills({ database, ids: ['nothing'] })).toBe(0);
    expect(existsSync(`${database}.loading-report`)).toBe(true);
  });

  test('gives way to others after a megabyte of text, however few skills that is', async () => {
    const database = scratchFile('skills.db');
    // Signs without order, for texts are stored packed: some half of this is left.
    const random = randomNumbers(1);
    const text = Array.from({ length: 1_000_000 }, () => '!#$%&*+-/:;<=>?@^_|~'[Math.floor(random() * 20)]).join('');
    const rows = Array.from({ length: 20 }, (_, i) => row(`fat-${i}`, { files: [{ filename: 'SKILL.md', text }] }));
    await buildCatalogue({ database, sources: [{ name: 'rows', rows }], semantic: false });
    const connection = new Database(database, { readonly: true });
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await findDamage(connection, database);
    isOver = true;
    connection.close();
    expect(turns).toBeGreaterThanOrEqual(8);
  });

  test('tells columns that do not follow from the record, though their checksum is right', async () => {
    const database = await catalogue();
    const connection = new Database(database);
    connection.exec("UPDATE skill SET hash = x'00112233445566778899aabbccddeeff' WHERE id = 'a'");
    connection.close();
    const { problems } = await checkCatalogue({ database });
    expect(problems).toMatchObject([{ part: 'skill', skill: 'a', problem: 'its row does not fit its checksum' }]);
  });

  test('tells a table that SQLite cannot read, and that its sources must be loaded into a new file', async () => {
    const database = await catalogue(400);
    const bytes = readFileSync(database);
    bytes.fill(0, 8 * 4096, 9 * 4096);
    writeFileSync(database, bytes);
    const { problems } = await checkCatalogue({ database, repair: true });
    expect(problems.length).toBeGreaterThan(0);
    const { status, out } = await runCaptured(['check', '--repair', '--database', database]);
    expect(status).toBe(1);
    expect(out).toMatch(/database: /);
  });

  test('is an error of its own kind where there is no catalogue', async () => {
    const database = scratchFile('none.db');
    expect((await runCaptured(['check', '--database', database])).status).toBe(1);
    expect((await runCaptured(['check', 'word'])).status).toBe(2);
    expect(await codeOf(() => checkCatalogue({ database }))).toBe('DATABASE_NOT_FOUND');
    expect(await codeOf(() => checkCatalogue({ database, repairs: true } as never))).toBe('INVALID_OPTION');
    await expect(checkCatalogue({ database, signal: AbortSignal.abort(new Error('stop')) })).rejects.toThrow('stop');
  });
});

test('search tells damaged skills on standard error', async () => {
  const database = await catalogue();
  const bytes = readFileSync(database, 'latin1');
  writeFileSync(database, bytes.replace('about b', 'about x'), 'latin1');
  const { status, error } = await runCaptured(['search', 'about', '--database', database]);
  expect(status).toBe(0);
  expect(error).toMatch(/^damaged: the skill b: .*load its source again\n$/);
});

async function catalogue(size = 3): Promise<string> {
  const database = scratchFile('skills.db');
  await load(database, size);
  return database;
}

function load(database: string, size = 3) {
  const ids = Array.from({ length: size }, (_, i) => (i < 26 ? String.fromCharCode(97 + i) : `skill-${i}`));
  const rows = ids.map((id) => row(id, { description: `about ${id} ${'and more '.repeat(20)}` }));
  return buildCatalogue({ database, sources: [{ name: 'rows', rows }], embedder });
}

function change(database: string, sql: string): void {
  const connection = new Database(database);
  connection.pragma('foreign_keys = OFF');
  connection.exec(sql);
  connection.close();
}
