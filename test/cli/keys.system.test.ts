import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { openAccess } from '../../src/access/index.js';
import { buildCatalogue } from '../../src/index.js';
import { contentOf } from '../catalogue-file.js';
import { row, writeJsonLines } from '../rows.js';
import { scratchFile, scratchFileWith, scratchFolder } from '../scratch-folder.js';
import { describeWithPostgres, describeWithStandbys } from '../share/postgres/describe-with-postgres.js';
import { PASSWORD, type PostgresStandby } from '../share/postgres/postgres-cluster.js';
import { ATTACK, type Captured, linesOf, outOf, runCaptured, UNSAFE } from './run-captured.js';
import { SEARCH, startServing } from './run-process.js';

afterEach(() => vi.unstubAllEnvs());

describe('keys create', () => {
  test('prints the key alone on standard output and the remark on standard error', async () => {
    const state = scratchFile('access.db');
    const { status, out, error } = await keys('create', '--state', state);

    expect(status).toBe(0);
    expect(out).toMatch(/^sk_live_[A-Za-z0-9_-]{43}\n$/);
    expect(linesOf(error)).toEqual([expect.stringMatching(/key 1\b.*Save it now/)]);
    expect(error).not.toContain(out.trim().slice(-43));
    expect(isAccepted(state, out.trim())).toBe(true);
  });

  test('prints all that is known of it with --json, and nothing else', async () => {
    const state = scratchFile('access.db');
    const before = Math.floor(Date.now() / 1000);
    const words = ['--name', 'build server', '--daily', '1000', '--per-minute', '0'];
    const { status, out, error } = await keys('create', ...words, '--json', '--state', state);

    expect([status, error]).toEqual([0, '']);
    const made = JSON.parse(out);
    expect(made).toEqual({
      id: 1,
      key: expect.stringMatching(/^sk_live_[A-Za-z0-9_-]{43}$/),
      name: 'build server',
      daily: 1000,
      perMinute: 0,
      createdAt: expect.any(Number),
    });
    expect(made.createdAt).toBeGreaterThanOrEqual(before);
    expect(made.createdAt).toBeLessThanOrEqual(Date.now() / 1000);
  });
});

test('keys list prints a table of all keys without the keys', async () => {
  const state = scratchFile('access.db');
  const made = [
    await keys('create', '--name', 'build server', '--state', state),
    await keys('create', '--name', 'よみとり', '--daily', '12345', '--per-minute', '0', '--state', state),
  ];
  await keys('revoke', '1', '--state', state);
  const { status, out, error } = await keys('list', '--state', state);

  expect([status, error]).toEqual([0, '']);
  const [head = '', first = '', second = '', ...rest] = linesOf(out);
  expect(rest).toEqual([]);
  expect(head).toMatch(/^id +name +a day +a minute +made +revoked$/);
  const minute = /\d{4}-\d\d-\d\d \d\d:\d\d/.source;
  expect(first).toMatch(new RegExp(`^1 +build server +default +default +${minute} +${minute}$`));
  expect(second).toMatch(new RegExp(`^2 +よみとり +12,345 +no limit +${minute}$`));
  expect(first.indexOf('default')).toBe(head.indexOf('a day'));
  // Each of these characters takes two columns.
  expect(second.indexOf('12,345') + 4).toBe(head.indexOf('a day'));
  for (const one of made) expect(out).not.toContain(one.out.trim().slice(-43));
});

describe('keys revoke', () => {
  test('makes a key worthless, by its id or by the key itself', async () => {
    const state = scratchFile('access.db');
    const first = (await keys('create', '--name', 'build server', '--state', state)).out.trim();
    const second = (await keys('create', '--state', state)).out.trim();

    expect(await keys('revoke', '1', '--state', state)).toEqual({
      status: 0,
      out: 'Key 1 (build server) is revoked.\n',
      error: '',
    });
    expect([isAccepted(state, first), isAccepted(state, second)]).toEqual([false, true]);

    const { status, out, error } = await keys('revoke', second, '--state', state);
    expect([status, out, error]).toEqual([0, 'Key 2 is revoked.\n', '']);
    expect(isAccepted(state, second)).toBe(false);
  });

  test.each(['2', '0', '99999999999999999999', 'build server', '1.0', '', '\u001b[31m'])(
    'of %j, which is no key, fails with one line',
    async (what) => {
      const state = scratchFile('access.db');
      const key = (await keys('create', '--name', 'build server', '--state', state)).out.trim();
      const { status, out, error } = await keys('revoke', '--state', state, '--', what);
      expect([status, out]).toEqual([1, '']);
      expect(linesOf(error)).toEqual([expect.stringMatching(/^error: no key has /)]);
      expect(error).not.toContain('\u001b');
      expect(isAccepted(state, key)).toBe(true);
    },
  );
});

test.each([[['list']], [['list', '--json']], [['revoke', '1']]])(
  'where there is no state file %j fails with what to do, and makes none',
  async (words) => {
    const folder = scratchFolder();
    const { status, out, error } = await keys(...words, '--database', join(folder, 'skills.db'));
    expect([status, out]).toEqual([1, '']);
    expect(linesOf(error)).toEqual([expect.stringMatching(/^error: .*access\.db.*keys create/)]);
    expect(readdirSync(folder)).toEqual([]);
  },
);

test('what a terminal would act on, in the name of a key, is not printed', async () => {
  const state = scratchFile('access.db');
  for (const words of [['create', '--name', ATTACK.slice(0, 100)], ['list'], ['list', '--json'], ['revoke', '1']]) {
    const { status, out, error } = await keys(...words, '--state', state);
    expect(status).toBe(0);
    expect(out + error).not.toMatch(UNSAFE);
    expect(linesOf(out).filter((line) => line.startsWith('forged'))).toEqual([]);
  }
});

function keys(...words: readonly string[]): Promise<Captured> {
  return runCaptured(['keys', ...words]);
}

function isAccepted(state: string, key: string): boolean {
  const access = openAccess({ state });
  try {
    return access.identify(`Bearer ${key}`, undefined).kind === 'key';
  } catch {
    return false;
  } finally {
    access.close();
  }
}

/** An address as it may be said on the command line. */
function withoutPassword(address: string): string {
  return address.replace(/:[^:@]+@/, '@');
}

describeWithPostgres('a catalogue in PostgreSQL', (server) => {
  /** The address of a database with two skills, without the password. */
  async function catalogue(): Promise<string> {
    const database = await server.database();
    const sources = [{ name: 'rows', rows: [row('alpha', { stars: 2 }), row('beta')] }];
    await buildCatalogue({ database, cache: scratchFolder(), semantic: false, sources });
    return withoutPassword(database);
  }

  test('is searched, listed and shown, from a copy that is kept', async () => {
    vi.stubEnv('PGPASSWORD', PASSWORD);
    const where = ['--database', await catalogue(), '--cache', scratchFolder()];
    const outputs = await Promise.all(
      [
        ['search', 'alpha', '--json'],
        ['list', '--json'],
        ['show', 'alpha', '--json'],
      ].map(async (words) => {
        return JSON.parse(await outOf([...words, ...where])) as {
          readonly hits?: readonly unknown[];
          readonly skill?: { readonly id: string };
        };
      }),
    );
    expect(outputs.map(({ hits, skill }) => hits?.length ?? skill?.id)).toEqual([1, 2, 'alpha']);
    await server.stop();
    const { status, out, error } = await runCaptured(['list', ...where]);
    await server.start();
    expect([status, linesOf(error)]).toEqual([0, [expect.stringMatching(/^answers are from the copy that is here: /)]]);
    expect(out).toContain('alpha');
  });

  test('is served, with keys and quotas in the same database, and followed', async () => {
    const address = await catalogue();
    const file = scratchFileWith('password', `${PASSWORD}\n`);
    const where = ['--database', address, '--database-password-file', file];
    const made = await runCaptured(['keys', 'create', ...where]);
    expect(made.status).toBe(0);
    const serving = (cache: string) =>
      startServing([...where, '--cache', cache, '--key-daily', '3', '--look-every', '1']);
    const caches = [scratchFolder(), scratchFolder()];
    const [one, other] = [await serving(caches[0]!), await serving(caches[1]!)];
    const ask = async (url: string): Promise<[number, string | null, string]> => {
      const answer = await fetch(url + SEARCH, { headers: { Authorization: `Bearer ${made.out.trim()}` } });
      return [answer.status, answer.headers.get('X-RateLimit-Daily-Remaining'), await answer.text()];
    };
    expect(await ask(one.url)).toEqual([200, '2', expect.stringContaining('alpha')]);
    expect(await ask(other.url)).toEqual([200, '1', expect.stringContaining('alpha')]);
    const withPassword = address.replace('@', `:${encodeURIComponent(PASSWORD)}@`);
    const sources = [{ name: 'rows', rows: [row('alpha'), row('alpha-two')] }];
    await buildCatalogue({ database: withPassword, cache: scratchFolder(), semantic: false, sources });
    for (const { heard } of [one, other]) {
      expect(await heard('catalogue reloaded')).toMatchObject({ skills: 3, version: 2 });
    }
    await server.stop();
    await one.heard('a newer state of the catalogue cannot be had: the present one stays in use');
    await server.start();
    await one.heard('newer states of the catalogue can be had again');
    for (const { output } of [one, other]) expect(output().error + output().out).not.toContain('zebra');
    one.child.kill('SIGTERM');
    expect(await one.ended()).toBe(0);
  }, 60_000);
});

describeWithPostgres('load --database postgres://…', (server) => {
  /** The address of an empty database, without the password, and rows to load. */
  const place = async () => {
    const source = scratchFile('rows.jsonl');
    writeJsonLines(source, [row('a'), row('b')]);
    const address = withoutPassword(await server.database());
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
    const file = scratchFileWith('password', `${PASSWORD}\n`);
    const { status, error } = await runCaptured([...words, '--database-password-file', file]);
    expect([status, error]).toEqual([0, '']);
    const where = ['--database', address, '--database-password-file', file];
    const made = await runCaptured(['keys', 'create', '--name', 'ci', ...where]);
    expect([made.status, made.out]).toEqual([0, expect.stringMatching(/^sk_live_/)]);
    const listed = await runCaptured(['keys', 'list', '--state', address, '--state-password-file', file]);
    expect(linesOf(listed.out)[1]).toMatch(/^1 +ci /);
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
    const primary = withoutPassword(database);
    const file = scratchFileWith('password', `${PASSWORD}\n`);
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
});

describeWithPostgres('a state in PostgreSQL', (server) => {
  test('is not taken with a password in its address, which is not repeated', async () => {
    const { status, out, error } = await keys('list', '--state', await server.database());
    expect([status, out]).toEqual([2, '']);
    expect(error).toContain('PGPASSWORD');
    expect(error).not.toContain('zebra');
  });

  test('serve shares quotas with another server, and says in its log when the database goes and comes', async () => {
    vi.stubEnv('PGPASSWORD', PASSWORD);
    const database = scratchFile('skills.db');
    await buildCatalogue({ database, sources: [[row('alpha')]], semantic: false });
    const state = withoutPassword(await server.database());
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
});
