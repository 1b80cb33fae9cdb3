import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { buildCatalogue } from '../../src/index.js';
import { contentOf } from '../catalogue-file.js';
import { callTool, ERAS, newClient } from '../mcp/connect.js';
import { row, writeJsonLines } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { describeWithPostgres, describeWithStandbys } from '../share/postgres/describe-with-postgres.js';
import { PASSWORD, type PostgresStandby } from '../share/postgres/postgres-cluster.js';
import { type Captured, linesOf, runCaptured } from './run-captured.js';
import { SEARCH, startServing } from './serving.js';

describe('shared catalogue.system', () => {
  const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

  afterEach(() => vi.unstubAllEnvs());

  describeWithPostgres('a catalogue in PostgreSQL', (server) => {
    /** The address of a database with two skills, without the password. */
    async function catalogue(): Promise<string> {
      const database = await server.database();
      const sources = [{ name: 'rows', rows: [row('alpha', { stars: 2 }), row('beta')] }];
      await buildCatalogue({ database, cache: scratchFolder(), semantic: false, sources });
      return database.replace(/:[^:@]+@/, '@');
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
          const { status, out, error } = await runCaptured([...words, ...where]);
          expect([status, error]).toEqual([0, '']);
          return JSON.parse(out) as { readonly hits?: readonly unknown[]; readonly skill?: { readonly id: string } };
        }),
      );
      expect(outputs.map(({ hits, skill }) => hits?.length ?? skill?.id)).toEqual([1, 2, 'alpha']);
      await server.stop();
      const { status, out, error } = await runCaptured(['list', ...where]);
      await server.start();
      expect([status, linesOf(error)]).toEqual([
        0,
        [expect.stringMatching(/^answers are from the copy that is here: /)],
      ]);
      expect(out).toContain('alpha');
    });

    test('takes the password from a file, and never from the address', async () => {
      const address = await catalogue();
      const file = scratchFile('password');
      writeFileSync(file, PASSWORD);
      const cache = ['--cache', scratchFolder()];
      const found = await runCaptured(['list', '--database', address, '--database-password-file', file, ...cache]);
      expect([found.status, found.error]).toEqual([0, '']);
      const telling = address.replace('@', ':s3cret-zebra@');
      const commands = [['list'], ['search', 'x'], ['show', 'x'], ['serve'], ['mcp'], ['install', 'x']];
      const calls = commands.map((command) => [...command, '--database', telling]);
      for (const command of [...calls, ['list', '--database', telling.replace(/@([^/]+)/, '@$1,$1')]]) {
        const { status, error } = await runCaptured([...command, ...cache]);
        expect([status, linesOf(error)], command[0]).toEqual([
          2,
          [expect.stringMatching(/address of --database has a password.*--database-password-file/)],
        ]);
        expect(error).not.toContain('zebra');
      }
    });

    test('is told to be empty, with what fills it', async () => {
      vi.stubEnv('PGPASSWORD', PASSWORD);
      const database = (await server.database()).replace(/:[^:@]+@/, '@');
      for (const words of [['list'], ['serve', '--port', '0']]) {
        const { status, error } = await runCaptured([...words, '--database', database, '--cache', scratchFolder()]);
        expect([status, linesOf(error)]).toEqual([
          1,
          [expect.stringMatching(/^error: postgres:.* holds no catalogue yet: load sources/)],
        ]);
      }
    });

    test('is served, with keys and quotas in the same database, and followed', async () => {
      const address = await catalogue();
      const file = scratchFile('password');
      writeFileSync(file, PASSWORD);
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

    test('is offered to agents over MCP', async () => {
      const database = await catalogue();
      const args = [
        '--import',
        'tsx',
        MAIN,
        'mcp',
        '--no-semantic',
        '--database',
        database,
        '--cache',
        scratchFolder(),
      ];
      const client = newClient(ERAS[0]!);
      const env = { ...(process.env as Record<string, string>), PGPASSWORD: PASSWORD };
      await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
      onTestFinished(() => client.close());
      const { structured } = await callTool(client, 'search_skills', { query: 'alpha' });
      expect(structured).toMatchObject({ skills: [{ id: 'alpha' }] });
    });

    test('cannot be what --watch loads into', async () => {
      const words = ['--database', 'postgres://u@127.0.0.1:1/d', '--watch', scratchFolder()];
      for (const command of ['serve', 'mcp']) {
        const { status, error } = await runCaptured([command, ...words]);
        expect([status, error]).toEqual([2, expect.stringContaining('load into a file')]);
      }
    });
  });

  describe('options for a catalogue that is no file', () => {
    test.each([
      ['--cache', 'folder', 'list'],
      ['--database-password-file', 'file', 'list'],
      ['--look-every', '5', 'serve'],
    ])('%s is refused for a file', async (option, value, command) => {
      const { status, error } = await runCaptured([command, '--database', scratchFile('skills.db'), option, value]);
      expect([status, error]).toEqual([2, expect.stringContaining(`${option} is for a catalogue`)]);
    });
  });
});

describe('shared commands.system', () => {
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
      expect([without.status, without.error]).toEqual([
        0,
        expect.stringContaining('1 of 2 right answers are not among'),
      ]);
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
});

describe('load shared.system', () => {
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
});

describe('standby.system', () => {
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
});

describe('shared state.system', () => {
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
        expect([await remaining(one.url), await remaining(other.url), await remaining(one.url)]).toEqual([
          '2',
          '1',
          '0',
        ]);
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
    ['--allow-anonymous-if-quota-db-unavailable', undefined],
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
      [
        'a state of an unknown kind',
        ['--state', 'mysql://u:zebra@h/d'],
        /--state must be the path.* begins with mysql:/,
      ],
      ['a state on a web server', ['--state', 'https://u:zebra@h/d'], /--state must be .* begins with https:/],
      [
        'a catalogue of an unknown kind',
        ['--database', 'mysql://u:zebra@h/d'],
        /database must be .* begins with mysql:/,
      ],
    ])('%s', async (_, words, message) => {
      const { status, out, error } = await keys('list', ...words);
      expect([status, out, error]).toEqual([2, '', expect.stringMatching(message)]);
      expect(error).not.toContain('zebra');
    });
  });
});
