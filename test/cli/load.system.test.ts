import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildCatalogue, checkCatalogue, type LoadReport } from '../../src/index.js';
import { Database } from '../../src/store/sqlite.js';
import { contentOf } from '../catalogue-file.js';
import { row, writeJsonLines } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { linesOf, outOf, runCaptured } from './run-captured.js';

describe('load', () => {
  const PHASES = ['reading', 'storing', 'embedding', 'publishing', 'indexing'];

  test('prints what it did to standard output, and nothing else anywhere', async () => {
    const { source, database } = place();
    writeJsonLines(source, [row('a'), row('b'), { id: 'c' }, row('a')]);

    const out = await outOf(['load', source, '--database', database, '--no-semantic']);
    expect(linesOf(out)).toEqual([
      expect.stringMatching(/^added +2$/),
      expect.stringMatching(/^updated +0$/),
      expect.stringMatching(/^unchanged +0$/),
      expect.stringMatching(/^removed +0$/),
      expect.stringMatching(/^warnings +1$/),
      expect.stringContaining(`${source}:4: `),
      expect.stringMatching(/^rejected +1$/),
      expect.stringContaining(`${source}:3: name`),
    ]);
  });

  test('prints the report as JSON with --json', async () => {
    const { source, database } = place();
    writeJsonLines(source, [row('a'), { id: 'c' }, row('a')]);

    const out = await outOf(['load', source, '--json', '--database', database, '--no-semantic']);
    const report = JSON.parse(out) as LoadReport;
    expect(report).toEqual({
      added: 1,
      updated: 0,
      unchanged: 0,
      removed: 0,
      embedded: 0,
      classified: 0,
      warnings: [{ origin: source, line: 3, message: expect.any(String) }],
      warningCount: 1,
      rejectedCount: 1,
      rejected: [{ origin: source, line: 2, reason: expect.any(String) }],
      failed: [],
      seconds: Object.fromEntries(PHASES.map((phase) => [phase, expect.any(Number)])),
    });
  });

  test('takes what folders do not tell from options', async () => {
    const { folder, database } = place();
    writeFileSync(join(folder, 'SKILL.md'), '---\nname: notes\ndescription: Writes notes\n---\n');
    const words = '--author me --codehost-base https://code.example/r --skill-url-base https://s.example --no-semantic';

    const { status } = await runCaptured(['load', folder, ...words.split(' '), '--database', database]);

    expect(status).toBe(0);
    const [skill] = contentOf(database).values();
    expect(skill?.record).toMatchObject({
      author: 'me',
      codehostUrl: expect.stringMatching(/^https:\/\/code\.example\/r/),
      skillUrl: expect.stringMatching(/^https:\/\/s\.example\//),
    });
  });

  test('of a source that ends too early prints the report, tells why once, and fails', async () => {
    const { folder, database } = place();
    const source = join(folder, 'rows.jsonl.gz');
    writeJsonLines(
      source,
      Array.from({ length: 3000 }, (_, i) => row(`s-${i}`, { description: `text ${Math.sqrt(i)}` })),
    );
    truncateSync(source, Math.floor(readFileSync(source).length / 2));

    const { status, out, error } = await runCaptured(['load', source, '--database', database, '--no-semantic']);

    expect(status).toBe(1);
    expect(out).toMatch(/^added +1,\d\d\d$/m);
    expect(linesOf(error)).toEqual([expect.stringMatching(/gzip data ends too early/)]);
    expect(error.split(source)).toHaveLength(2);
    expect(contentOf(database).size).toBeGreaterThan(1000);
  });

  test('of rows that are all rejected prints the report, and fails', async () => {
    const { source, database } = place();
    writeJsonLines(source, [{ id: 'a' }]);
    const { status, out, error } = await runCaptured(['load', source, '--database', database, '--no-semantic']);
    expect([status, error]).toEqual([1, 'error: nothing was loaded: every row was rejected\n']);
    expect(out).toContain('no skill in this source');
    expect(out).toMatch(/^rejected +1$/m);
  });

  test('with --strict fails where any row was rejected, and loads the others', async () => {
    const { source, database } = place();
    const words = ['load', source, '--database', database, '--no-semantic'];
    writeJsonLines(source, [row('a'), { id: 'b' }]);

    const { status, error } = await runCaptured([...words, '--strict']);
    expect([status, error]).toEqual([1, 'error: some rows were rejected (--strict); the others are loaded\n']);
    expect([...contentOf(database).keys()]).toEqual(['a']);
    expect((await runCaptured(words)).status).toBe(0);

    writeJsonLines(source, [row('a')]);
    expect((await runCaptured([...words, '--strict'])).status).toBe(0);
  });

  test('draws a progress bar on a terminal only', async () => {
    const { source, database } = place();
    writeJsonLines(source, [row('a')]);
    const words = ['load', source, '--database', database, '--no-semantic'];

    expect((await runCaptured(words)).error).toBe('');
    const onTerminal = await runCaptured(words, { columns: 80 });
    expect(onTerminal.error).toContain('1 rows');
    expect(onTerminal.out).not.toContain('\u001b');
  });

  test('prints nothing of a source that a terminal could take for a command', async () => {
    const { folder, database } = place();
    const source = join(folder, 'r\u001b[31mows\u009b\u202e.jsonl');
    writeFileSync(
      source,
      `{"id": "a\u001b[2J", "name": 5}\n{"id": "\u202e\u009b", \u001b]0;x\u0007\n{"name": "n", "description": "d"}\n`,
    );

    const { status, out, error } = await runCaptured(['load', source, '--database', database, '--no-semantic']);
    expect(status).toBe(0);
    expect(out).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u);
    expect(error).toBe('');
  });

  function place(): { folder: string; source: string; database: string } {
    const folder = scratchFolder();
    return { folder, source: join(folder, 'rows.jsonl'), database: join(folder, 'skills.db') };
  }
});

const embedder = new StandInEmbedder();

describe('check', () => {
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
      problem: 'its row does not fit its checksum',
      remedy: 'load its source again',
    };
    expect(JSON.parse(out)).toMatchObject({ skills: 3, vectors: 3, problems: [problem], repaired: [] });
    const repair = await runCaptured(['check', '--repair', '--database', database]);
    expect([repair.status, repair.out]).toEqual([
      1,
      'skill b: its row does not fit its checksum: load its source again\nchecked 3 skills and 3 vectors\n',
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
      bytes.replace(/\x04\x0f\x08[\s\S]b/, (cell) => `${cell.slice(0, -1)}y`),
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
    const out = await outOf(['check', '--database', database]);
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
