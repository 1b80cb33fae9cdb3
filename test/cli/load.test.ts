import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LoadReport } from '../../src/index.js';
import { contentOf, traceOf } from '../catalogue-file.js';
import { row, writeJsonLines } from '../rows.js';
import { scratchFolder } from '../scratch-folder.js';
import { linesOf, runCaptured } from './run-captured.js';

const PHASES = ['reading', 'storing', 'embedding', 'publishing', 'indexing'];

describe('load', () => {
  test('prints what it did to standard output, and nothing else anywhere', async () => {
    const { source, database } = place();
    writeJsonLines(source, [row('a'), row('b'), { id: 'c' }, row('a')]);

    const { status, out, error } = await runCaptured(['load', source, '--database', database, '--no-semantic']);

    expect([status, error]).toEqual([0, '']);
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

  test('aligns the counts', async () => {
    const { source, database } = place();
    writeJsonLines(
      source,
      Array.from({ length: 1500 }, (_, i) => row(`s-${i}`)),
    );
    const { out } = await runCaptured(['load', source, '--database', database, '--no-semantic']);
    expect(out).toContain('1,500');
    expect(new Set(linesOf(out).map((line) => line.length)).size).toBe(1);
  });

  test('prints the report as JSON with --json', async () => {
    const { source, database } = place();
    writeJsonLines(source, [row('a'), { id: 'c' }, row('a')]);

    const { status, out, error } = await runCaptured([
      'load',
      source,
      '--json',
      '--database',
      database,
      '--no-semantic',
    ]);

    expect([status, error]).toEqual([0, '']);
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

  test('prints some twenty rejected rows, and says where the others are', async () => {
    const { source, database } = place();
    writeJsonLines(
      source,
      Array.from({ length: 1030 }, (_, i) => (i < 1025 ? { id: `bad-${i}` } : row(`good-${i}`))),
    );

    const { status, out } = await runCaptured(['load', source, '--database', database, '--no-semantic']);
    expect(status).toBe(0);
    expect(linesOf(out).length).toBeLessThan(30);
    expect(out).toMatch(/1,005 more.*--json/);
    const json = await runCaptured(['load', source, '--json', '--database', database, '--no-semantic']);
    expect((JSON.parse(json.out) as LoadReport).rejected).toHaveLength(1025);
  });

  test('takes several sources, and prunes when asked to', async () => {
    const { folder, database } = place();
    const [one, two] = [join(folder, 'one.jsonl'), join(folder, 'two.jsonl.gz')];
    writeJsonLines(one, [row('a'), row('b')]);
    writeJsonLines(two, [row('c')]);
    await runCaptured(['load', one, two, '--database', database, '--no-semantic']);
    writeJsonLines(one, [row('a')]);

    const kept = await runCaptured(['load', one, two, '--database', database, '--no-semantic']);
    expect(kept.out).toMatch(/^removed +0$/m);
    const pruned = await runCaptured(['load', one, two, '--prune', '--database', database, '--no-semantic']);
    expect(pruned.out).toMatch(/^removed +1$/m);
    expect([...contentOf(database).keys()]).toEqual(['a', 'c']);
  });

  test('takes what folders do not tell from options', async () => {
    const { folder, database } = place();
    writeFileSync(join(folder, 'SKILL.md'), '---\nname: notes\ndescription: Writes notes\n---\n');
    const words = [
      '--author',
      'me',
      '--codehost-base',
      'https://code.example/r',
      '--skill-url-base',
      'https://s.example',
    ];

    const { status } = await runCaptured(['load', folder, ...words, '--database', database, '--no-semantic']);

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

  test('of a source without rows is no failure, but warns', async () => {
    const { source, database } = place();
    writeJsonLines(source, []);
    const { status, out } = await runCaptured(['load', source, '--database', database, '--no-semantic', '--strict']);
    expect(status).toBe(0);
    expect(out).toContain('no skill in this source');
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

  test('of what is loaded already writes nothing', async () => {
    const { source, database } = place();
    writeJsonLines(source, [row('a')]);
    await runCaptured(['load', source, '--database', database, '--no-semantic']);
    const before = traceOf(database);

    const { out } = await runCaptured(['load', source, '--database', database, '--no-semantic']);
    expect(out).toMatch(/^unchanged +1$/m);
    expect(traceOf(database)).toEqual(before);
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
});

function place(): { folder: string; source: string; database: string } {
  const folder = scratchFolder();
  return { folder, source: join(folder, 'rows.jsonl'), database: join(folder, 'skills.db') };
}
