import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { contentOf } from '../catalogue-file.js';
import { row, writeJsonLines } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { describeWithPostgres } from '../share/postgres/describe-with-postgres.js';
import { PASSWORD } from '../share/postgres/postgres-cluster.js';
import { linesOf, runCaptured } from './run-captured.js';

afterEach(() => vi.unstubAllEnvs());

describeWithPostgres('load --database postgres://…', (server) => {
  /** The address of an empty database, without the password, and rows to load. */
  const place = async () => {
    const source = scratchFile('rows.jsonl');
    writeJsonLines(source, [row('a'), row('b')]);
    const address = (await server.database()).replace(/:[^:@]+@/, '@');
    const cache = scratchFolder();
    return {
      source,
      address,
      cache,
      words: ['load', source, '--no-semantic', '--cache', cache, '--database', address],
    };
  };

  test('loads, and prints the report of a load', async () => {
    vi.stubEnv('PGPASSWORD', PASSWORD);
    const { words, cache } = await place();
    const first = await runCaptured(words);
    expect([first.status, first.error]).toEqual([0, '']);
    expect(linesOf(first.out)[0]).toMatch(/^added +2$/);
    const again = await runCaptured([...words, '--json']);
    expect(JSON.parse(again.out)).toMatchObject({ added: 0, unchanged: 2 });
    expect([...contentOf(join(cache, 'skills.db')).keys()]).toEqual(['a', 'b']);
  });

  test('takes the password from a file, and keys are in the same database', async () => {
    const { words, address } = await place();
    const file = scratchFile('password');
    writeFileSync(file, `${PASSWORD}\n`);
    const { status, error } = await runCaptured([...words, '--database-password-file', file]);
    expect([status, error]).toEqual([0, '']);
    const where = ['--database', address, '--database-password-file', file];
    const made = await runCaptured(['keys', 'create', '--name', 'ci', ...where]);
    expect([made.status, made.out]).toEqual([0, expect.stringMatching(/^sk_live_/)]);
    const listed = await runCaptured(['keys', 'list', '--state', address, '--state-password-file', file]);
    expect(linesOf(listed.out)[1]).toMatch(/^1 +ci /);
  });

  test('tells a wrong password in one sentence', async () => {
    vi.stubEnv('PGPASSWORD', 'wrong-zebra');
    const { words } = await place();
    const { status, error } = await runCaptured(words);
    expect([status, linesOf(error)]).toEqual([
      1,
      [expect.stringMatching(/^error: cannot open postgres:.*password is not/)],
    ]);
    expect(error).not.toContain('zebra');
  });

  test('is refused with --installed, watched or not', async () => {
    vi.stubEnv('PGPASSWORD', PASSWORD);
    const { address } = await place();
    for (const command of [['load'], ['load', '--watch'], ['watch']]) {
      const words = [...command, '--installed', '--no-semantic', '--database', address];
      const { status, error } = await runCaptured(words);
      expect([status, error]).toEqual([2, expect.stringContaining('belong to one machine')]);
    }
  });
});

test.each([['load', 'x.jsonl'], ['search', 'words'], ['list'], ['keys', 'list'], ['serve']])(
  '%s is not taken with a password in the address of --database, which is not repeated',
  async (...words) => {
    const { status, out, error } = await runCaptured([...words, '--database', 'postgres://u:zebra@127.0.0.1:1/d']);
    expect([status, out]).toEqual([2, '']);
    expect(error).toContain('PGPASSWORD');
    expect(error).not.toContain('zebra');
  },
);

test.each([
  ['--cache', 'folder'],
  ['--database-password-file', 'file'],
])('%s is not for a file', async (option, value) => {
  const { status, error } = await runCaptured(['load', 'x.jsonl', option, value, '--database', scratchFile('s.db')]);
  expect([status, error]).toEqual([2, expect.stringContaining(`${option} is for a catalogue`)]);
});
