import { writeFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { buildCatalogue } from '../../src/index.js';
import { row } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { describeWithStandbys } from '../share/postgres/describe-with-postgres.js';
import { PASSWORD, type PostgresStandby } from '../share/postgres/postgres-cluster.js';
import { linesOf, runCaptured } from './run-captured.js';
import { SEARCH, startServing } from './serving.js';

describeWithStandbys('a standby as --database', (server) => {
  let standby: PostgresStandby;
  beforeAll(async () => {
    standby = await server.standby();
  }, 60_000);

  /** A catalogue at the primary, and what leads to it, without the password. */
  async function catalogue(): Promise<{
    readonly primary: string;
    readonly place: readonly string[];
    readonly file: string;
  }> {
    const database = await server.database();
    const sources = [{ name: 'rows', rows: [row('alpha'), row('beta')] }];
    await buildCatalogue({ database, cache: scratchFolder(), semantic: false, sources });
    await standby.caughtUp();
    const primary = database.replace(/:[^:@]+@/, '@');
    const file = scratchFile('password');
    writeFileSync(file, PASSWORD);
    return { primary, file, place: ['--database', standby.addressOf(primary), '--database-password-file', file] };
  }

  test('is listed, and served with keys and quotas at the primary, or not without saying where they are', async () => {
    const { primary, file, place } = await catalogue();
    const cache = ['--cache', scratchFolder()];
    const listed = await runCaptured(['list', ...place, ...cache]);
    expect([listed.status, listed.error, listed.out]).toEqual([0, '', expect.stringContaining('alpha')]);
    for (const words of [
      ['serve', '--port', '0', ...place, ...cache],
      ['keys', 'create', ...place],
    ]) {
      const { status, error } = await runCaptured(words);
      expect([status, linesOf(error).at(-1)], words[0]).toEqual([
        1,
        expect.stringMatching(
          /^error: .*may only be read.*--state names another place: the address of the primary, or/,
        ),
      ]);
    }
    const serving = await startServing([...place, ...cache, '--state', primary, '--state-password-file', file]);
    const answer = await fetch(`${serving.url}${SEARCH}`);
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('alpha')]);
  });

  test('is checked, and written as a snapshot, but not repaired', async () => {
    const { place } = await catalogue();
    const words = [...place, '--cache', scratchFolder()];
    const checked = await runCaptured(['check', ...words]);
    expect([checked.status, checked.out]).toEqual([0, expect.stringMatching(/^checked 2 skills .*: all is well$/m)]);
    const written = await runCaptured(['snapshot', '--to', scratchFolder(), ...words]);
    expect([written.status, written.out]).toEqual([0, expect.stringContaining('version 1 of the catalogue')]);
    const repaired = await runCaptured(['check', '--repair', ...words]);
    expect([repaired.status, repaired.error]).toEqual([1, expect.stringContaining('may only be read')]);
  });

  test('is served beside its primary in one address, with keys and quotas where they may be written', async () => {
    const { primary, file } = await catalogue();
    const both = primary.replace(/@[^/]+/, `@127.0.0.1:${standby.port},127.0.0.1:${server.port}`);
    const words = ['--database', both, '--database-password-file', file];
    const made = await runCaptured(['keys', 'create', ...words]);
    expect(made.status).toBe(0);
    const serving = await startServing([...words, '--cache', scratchFolder()]);
    expect((await fetch(`${serving.url}${SEARCH}`)).status).toBe(200);
  });
});
