import { writeFileSync } from 'node:fs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { buildCatalogue } from '../../src/index.js';
import { row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { describeWithPostgres } from '../share/postgres/describe-with-postgres.js';
import { PASSWORD } from '../share/postgres/postgres-cluster.js';
import { type Captured, linesOf, runCaptured } from './run-captured.js';
import { SEARCH, startServing } from './serving.js';

const keys = (...words: readonly string[]): Promise<Captured> => runCaptured(['keys', ...words]);

afterEach(() => vi.unstubAllEnvs());

describeWithPostgres('a state in PostgreSQL', (server) => {
  /** The address of an empty database, without the password. */
  const place = async (): Promise<string> => (await server.database()).replace(/:[^:@]+@/, '@');

  test('keeps keys that are made, listed and revoked by the command line', async () => {
    vi.stubEnv('PGPASSWORD', PASSWORD);
    const state = await place();
    const none = await keys('list', '--state', state);
    expect([none.status, none.out]).toEqual([0, 'There is no key.\n']);
    const made = await keys('create', '--name', 'ci', '--daily', '5', '--state', state);
    expect([made.status, made.out]).toEqual([0, expect.stringMatching(/^sk_live_[A-Za-z0-9]{43}\n$/)]);
    const listed = await keys('list', '--state', state);
    expect(linesOf(listed.out)[1]).toMatch(/^1 +ci +5 +default /);
    const revoked = await keys('revoke', made.out.trim(), '--state', state);
    expect(revoked.out).toBe('Key 1 (ci) is revoked.\n');
    expect((await keys('revoke', '7', '--state', state)).error).toContain('no key has the id 7');
  });

  test('takes the password from a file', async () => {
    const file = scratchFile('password');
    writeFileSync(file, `${PASSWORD}\n`);
    const { status, error } = await keys('list', '--state', await place(), '--state-password-file', file);
    expect([status, error]).toEqual([0, '']);
  });

  test('is not taken with a password in its address, which is not repeated', async () => {
    const { status, out, error } = await keys('list', '--state', await server.database());
    expect([status, out]).toEqual([2, '']);
    expect(error).toContain('PGPASSWORD');
    expect(error).not.toContain('zebra');
  });

  test('whose password is wrong is told in one sentence', async () => {
    vi.stubEnv('PGPASSWORD', 'wrong-zebra');
    const { status, error } = await keys('list', '--state', await place());
    expect([status, linesOf(error)]).toEqual([
      1,
      [expect.stringMatching(/^error: cannot open postgres:.*password is not/)],
    ]);
    expect(error).not.toContain('zebra');
  });

  describe('serve', () => {
    test('shares quotas with another server, and says in its log when the database goes and comes', async () => {
      vi.stubEnv('PGPASSWORD', PASSWORD);
      const database = scratchFile('skills.db');
      await buildCatalogue({ database, sources: [[row('alpha')]], semantic: false });
      const state = await place();
      const words = ['--database', database, '--state', state, '--anonymous-daily', '3', '--state-connections', '2'];
      const [one, other] = [await startServing(words), await startServing(words)];
      const remaining = async (url: string): Promise<string | null> =>
        (await fetch(url + SEARCH)).headers.get('X-RateLimit-Daily-Remaining');
      expect([await remaining(one.url), await remaining(other.url), await remaining(one.url)]).toEqual(['2', '1', '0']);
      expect((await fetch(other.url + SEARCH)).status).toBe(429);
      await server.stop();
      const refused = await fetch(one.url + SEARCH);
      expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '1']);
      expect((await one.heard('keys and quotas cannot be asked'))['reason']).toContain('does not answer');
      await Promise.all(Array.from({ length: 20 }, async () => (await fetch(one.url + SEARCH)).text()));
      await server.start();
      await one.heard('keys and quotas can be asked again');
      const logged = linesOf(one.output().error).map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(logged.filter(({ level }) => level === 'error')).toHaveLength(1);
      expect(logged.filter(({ status }) => status === 503)).toHaveLength(21);
      expect((await fetch(one.url + SEARCH)).status).toBe(429);
      expect(one.output().error + one.output().out).not.toContain('zebra');
      one.child.kill('SIGTERM');
      expect(await one.ended()).toBe(0);
    });

    test('does not start where the database cannot be reached', async () => {
      const database = scratchFile('skills.db');
      await buildCatalogue({ database, sources: [[row('alpha')]], semantic: false });
      const { status, error } = await runCaptured([
        'serve',
        '--database',
        database,
        '--state',
        'postgres://u@127.0.0.1:1/d',
      ]);
      expect([status, error]).toEqual([1, expect.stringContaining('is PostgreSQL running')]);
    });
  });
});

test.each([
  ['--state-password-file', 'x'],
  ['--state-connections', '2'],
  ['--anonymous-when-state-is-away', undefined],
])('%s is for a state in PostgreSQL', async (option, value) => {
  const database = scratchFile('skills.db');
  await buildCatalogue({ database, sources: [[row('alpha')]], semantic: false });
  const words = value === undefined ? [option] : [option, value];
  const { status, error } = await runCaptured(['serve', '--database', database, '--port', '0', ...words]);
  expect([status, error]).toEqual([2, expect.stringContaining(`${option} is for a --state in PostgreSQL`)]);
});

describe('wrong words about keys', () => {
  const PLACE = 'postgres://u@127.0.0.1:1/d';
  test.each([
    [
      'a file of a password that nothing reads',
      ['--state', PLACE, '--database-password-file', 'f'],
      /give --state-pass/,
    ],
    ['such a file for keys in a file', ['--database-password-file', 'f'], /--database-password-file is for keys in/],
    ['a password file for keys in a file', ['--state', 'a.db', '--state-password-file', 'f'], /is for a --state in/],
    ['a state of an unknown kind', ['--state', 'mysql://u:zebra@h/d'], /--state must be the path.* begins with mysql:/],
    ['a state on a web server', ['--state', 'https://u:zebra@h/d'], /--state must be .* begins with https:/],
    ['a catalogue of an unknown kind', ['--database', 'mysql://u:zebra@h/d'], /database must be .* begins with mysql:/],
  ])('%s', async (_, words, message) => {
    const { status, out, error } = await keys('list', ...words);
    expect([status, out, error]).toEqual([2, '', expect.stringMatching(message)]);
    expect(error).not.toContain('zebra');
  });
});
