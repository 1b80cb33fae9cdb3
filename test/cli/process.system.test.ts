import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildCatalogue, type KeywordResult, type LoadReport } from '../../src/index.js';
import { contentOf, filesBeside } from '../catalogue-file.js';
import { row, toJsonLines, writeJsonLines } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { linesOf } from './run-captured.js';
import { catchOutput, runProcess, startProcess } from './run-process.js';

describe('the command as a process', () => {
  test('loads from standard input, then searches', async () => {
    const database = scratchFile('skills.db');
    const rows = toJsonLines([row('a', { description: 'alpha' }), row('b', { description: 'beta' })]);

    const loaded = await runProcess(['load', '-', '--json', '--database', database, '--no-semantic'], rows);
    expect([loaded.status, loaded.error]).toEqual([0, '']);
    expect(JSON.parse(loaded.out) as LoadReport).toMatchObject({ added: 2 });

    const found = await runProcess(['search', 'beta', '--json', '--database', database]);
    expect([found.status, found.error]).toEqual([0, '']);
    expect((JSON.parse(found.out) as KeywordResult).hits.map(({ skill }) => skill.id)).toEqual(['b']);
  });

  test('ends with 2 where it was used wrongly', async () => {
    const { status, out, error } = await runProcess(['search', 'pdf', '--sort', 'newest']);
    expect([status, out, linesOf(error).length]).toEqual([2, '', 1]);
  });

  test('ends with 1 where it failed', async () => {
    const { status, out, error } = await runProcess(['show', 'a', '--database', scratchFile('none.db')]);
    expect([status, out, linesOf(error).length]).toEqual([1, '', 1]);
  });

  test('ends quietly when whoever reads its output has seen enough', async () => {
    const database = scratchFile('skills.db');
    const rows = Array.from({ length: 50 }, (_, i) => row(`s-${i}`, { description: 'alpha '.repeat(500) + i }));
    await buildCatalogue({ semantic: false, database, sources: [rows] });

    const child = startProcess(['search', 'alpha', '--json', '--limit', '50', '--database', database]);
    const output = catchOutput(child);
    child.stdout.destroy();
    await once(child, 'close');
    expect(output().error).toBe('');
  });

  const isFullThere = existsSync('/dev/full');
  test.skipIf(!isFullThere).each(['search', 'show', 'load', '--help'])(
    'ends with 1 and one line where the output of %s finds the disk full',
    async (command) => {
      const [database, source] = [scratchFile('skills.db'), scratchFile('rows.jsonl')];
      writeJsonLines(source, [row('a', { description: 'alpha' })]);
      await buildCatalogue({ semantic: false, database, sources: [source] });
      const words: Record<string, string[]> = {
        search: ['search', 'alpha', '--database', database],
        show: ['show', 'a', '--database', database],
        load: ['load', source, '--no-semantic', '--database', database],
        '--help': ['--help'],
      };

      const child = startProcess(words[command] ?? [], { stdout: openSync('/dev/full', 'w') });
      const output = catchOutput(child);
      await once(child, 'close');
      expect([child.exitCode, output().error]).toEqual([
        1,
        expect.stringMatching(/^error: the output cannot be written: ENOSPC.*\n$/),
      ]);
    },
  );

  test('stops a load at Ctrl+C with one line, and goes on with it later', async () => {
    const folder = scratchFolder();
    const database = join(folder, 'skills.db');
    const source = join(folder, 'rows.jsonl');
    writeJsonLines(
      source,
      Array.from({ length: 60_000 }, (_, i) => row(`s-${i}`)),
    );
    const child = startProcess(['load', source, '--database', database, '--no-semantic']);
    const output = catchOutput(child);
    while (!filesBeside(database).includes('skills.db.loading')) await new Promise((done) => setTimeout(done, 10));
    child.kill('SIGINT');
    await once(child, 'close');

    expect([child.exitCode, output().out]).toEqual([1, '']);
    expect(linesOf(output().error)).toEqual([expect.stringContaining('interrupted')]);
    expect(filesBeside(database)).toContain('skills.db.loading');

    writeJsonLines(source, [row('a')]);
    const { status, out } = await runProcess(['load', source, '--database', database, '--no-semantic']);
    expect([status, out]).toEqual([0, expect.stringMatching(/^added +1$/m)]);
    expect([...contentOf(database).keys()]).toEqual(['a']);
  });
});
