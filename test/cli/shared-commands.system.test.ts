import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { buildCatalogue } from '../../src/index.js';
import { row, writeJsonLines } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { describeWithPostgres } from '../share/postgres/describe-with-postgres.js';
import { PASSWORD } from '../share/postgres/postgres-cluster.js';
import { linesOf, runCaptured } from './run-captured.js';

afterEach(() => vi.unstubAllEnvs());

describeWithPostgres('commands that read a catalogue in PostgreSQL', (server) => {
  /** Words that name a database with two skills, without its password, and a cache. */
  async function catalogue(): Promise<readonly string[]> {
    vi.stubEnv('PGPASSWORD', PASSWORD);
    const database = await server.database();
    const rows = [
      row('alpha', { description: 'Use this skill when you want to fill in PDF forms.' }),
      row('beta', { description: 'Turns the git history into a changelog.' }),
    ];
    await buildCatalogue({ database, cache: scratchFolder(), semantic: false, sources: [{ name: 'rows', rows }] });
    return ['--database', database.replace(/:[^:@]+@/, '@'), '--cache', scratchFolder()];
  }

  test('snapshot writes the newest version, and says which it is', async () => {
    const where = await catalogue();
    const to = scratchFolder();
    const { status, out, error } = await runCaptured(['snapshot', ...where, '--to', to]);
    expect([status, error]).toEqual([0, '']);
    expect(linesOf(out)).toEqual([
      expect.stringMatching(/manifest\.json: \d\.\d MB in \d chunks/),
      'It is version 1 of the catalogue.',
    ]);
    expect(existsSync(join(to, 'manifest.json'))).toBe(true);
  });

  test('evaluate asks its questions over a copy that is brought up to date once', async () => {
    const where = await catalogue();
    const questions = scratchFile('questions.jsonl');
    writeJsonLines(questions, [
      { query: 'PDF forms', relevant: ['alpha'] },
      { query: 'changelog of the git history', relevant: ['beta'] },
    ]);
    const words = ['evaluate', questions, '--mode', 'keyword', '--json', ...where];
    const { status, out, error } = await runCaptured(words);
    expect([status, error]).toEqual([0, '']);
    expect(JSON.parse(out)).toMatchObject({ modes: { keyword: { 'recall@10': 1 } } });
    const omitted = scratchFile('omitted.txt');
    writeFileSync(omitted, 'alpha\n');
    const without = await runCaptured([...words, '--without', omitted]);
    expect([without.status, without.error]).toEqual([0, expect.stringContaining('1 of 2 right answers are not among')]);
    await server.stop();
    const away = await runCaptured(words);
    await server.start();
    expect([away.status, linesOf(away.error)]).toEqual([
      0,
      [expect.stringMatching(/^note: answers are from the copy/)],
    ]);
  });

  test('a password is taken from a file, and never from the address', async () => {
    const where = await catalogue();
    vi.unstubAllEnvs();
    const file = scratchFile('password');
    writeFileSync(file, `${PASSWORD}\n`);
    const questions = scratchFile('questions.jsonl');
    writeJsonLines(questions, [{ query: 'PDF forms', relevant: ['alpha'] }]);
    const telling = ['--database', where[1]!.replace('@', ':s3cret-zebra@'), ...where.slice(2)];
    for (const command of [
      ['snapshot', '--to', scratchFolder()],
      ['evaluate', questions, '--mode', 'bm25'],
    ]) {
      const { status, error } = await runCaptured([...command, ...where, '--database-password-file', file]);
      expect([status, error], command[0]).toEqual([0, '']);
      const refused = await runCaptured([...command, ...telling]);
      expect([refused.status, refused.error], command[0]).toEqual([2, expect.stringContaining('PGPASSWORD')]);
      expect(refused.error).not.toContain('zebra');
    }
  });
});
