import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { connectAccess } from '../../../src/access/index.js';
import { isKnownOutage, SkillSearchError } from '../../../src/core/index.js';
import { type PostgresEvent, readPostgresAddress } from '../../../src/share/index.js';
import { POSTGRES_LIMITS, PostgresPool, type PostgresPoolOptions } from '../../../src/share/postgres/postgres-pool.js';
import { codeOf } from '../../error-code.js';
import { closing, scratchFile } from '../../scratch-folder.js';
import { connected, describeWithPostgres } from './describe-with-postgres.js';
import { PASSWORD, USER } from './postgres-cluster.js';

/** Of a session. */
const TIMES = { statementTime: 5000, pauseTime: 5000 };

afterEach(() => vi.unstubAllEnvs());

async function refusalOf(address: string, options: Partial<PostgresPoolOptions> = {}): Promise<SkillSearchError> {
  try {
    await connected(address, options);
  } catch (error) {
    if (error instanceof SkillSearchError) return error;
    throw error;
  }
  throw new Error('it was opened');
}

/** Something that listens until the test ends. @returns the port */
async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as { readonly port: number }).port;
}

/** A way to a server that may be slow: the bytes of a new connection wait until the given time is over. */
async function wayTo(port: number, ofConnection: () => number): Promise<{ port: number; sent: () => string }> {
  let sent = '';
  const way = createServer((socket) => {
    const upstream = connect(port, '127.0.0.1');
    socket.pause().on('data', (bytes) => {
      sent += bytes.toString('latin1');
    });
    setTimeout(() => socket.pipe(upstream).pipe(socket), ofConnection());
    for (const end of [socket, upstream]) {
      end.on('error', () => {});
      onTestFinished(() => void end.destroy());
    }
  });
  return { port: await listening(way), sent: () => sent };
}

/** All texts of an error: what a log may show of it. */
function textsOf(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error) ?? '';
  return [error.message, error.stack, JSON.stringify(error), textsOf(error.cause)].join('\n');
}

describeWithPostgres('a pool of connections', (server) => {
  const endConnections = (address: string) =>
    server.execute(
      address,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'skill-discovery'",
    );

  describe('is not opened, and says what to do without a password,', () => {
    const cases: Record<string, readonly [change: (address: string) => string, code: string, advice: RegExp]> = {
      'where nothing listens': [(a) => a.replace(/:\d+\//, ':1/'), 'DATABASE_NOT_READABLE', /is PostgreSQL running/],
      'with a wrong password': [
        (a) => a.replace(/:[^:@]+@/, ':Wrong-zebra@'),
        'DATABASE_NOT_READABLE',
        /password is not accepted, or there is none: it comes from PGPASSWORD/,
      ],
      'of a database that does not exist': [
        (a) => a.replace(/[^/]+$/, 'missing'),
        'DATABASE_NOT_READABLE',
        /no such database: make it with createdb/,
      ],
      'with TLS where there is none': [(a) => `${a}?sslmode=verify-full`, 'DATABASE_NOT_READABLE', /has no TLS/],
    };
    test.each(Object.entries(cases))('%s', async (_, [change, code, advice]) => {
      const error = await refusalOf(change(await server.database('postgres')));
      expect(error.code).toBe(code);
      expect(error.message).toMatch(advice);
      expect(error.message).toMatch(/^cannot open postgres:\/\//);
      for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), 'zebra'])
        expect(textsOf(error)).not.toContain(secret);
    });

    test('where nothing answers', async () => {
      const port = await listening(createServer(() => {}));
      const error = await refusalOf(`postgres://u:zebra@127.0.0.1:${port}/d`);
      expect([error.code, error.message]).toEqual([
        'DATABASE_NOT_READABLE',
        `cannot open postgres://u@127.0.0.1:${port}/d: nothing answers there in time: are host and port right, and is it PostgreSQL?`,
      ]);
    });

    test.each([
      ['ends the connection', ''],
      ['answers something else', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
    ])('where something listens that %s', async (_, answer) => {
      const ending = createServer((socket) => void socket.once('data', () => socket.end(answer)));
      const error = await refusalOf(`postgres://u:zebra@127.0.0.1:${await listening(ending)}/d`);
      expect([error.code, error.message]).toEqual([
        'DATABASE_NOT_READABLE',
        expect.stringContaining('closed the connection without an answer: is it PostgreSQL, is the port right'),
      ]);
    });
  });

  describe('takes the password', () => {
    const without = async (): Promise<string> => (await server.database('postgres')).replace(/:[^:@]+@/, '@');

    test('from the first line of a file, for each new connection', async () => {
      const passwordFile = scratchFile('password');
      writeFileSync(passwordFile, `${PASSWORD}\nmore\n`);
      const pool = await connected(await without(), { passwordFile });
      writeFileSync(passwordFile, 'changed');
      await endConnections(await server.database('postgres'));
      expect(await codeOf(() => pool.run({ text: 'SELECT 1' }))).toBe('SERVICE_UNAVAILABLE');
      writeFileSync(passwordFile, PASSWORD);
      await expect.poll(() => codeOf(() => pool.run({ text: 'SELECT 1' }))).toBe('no error');
    });

    test('from the password file of its own programs, without a warning', async () => {
      const file = scratchFile('pgpass');
      writeFileSync(file, `127.0.0.1:${server.port}:postgres:${USER}:${PASSWORD.replace(/[\\:]/g, '\\$&')}\n`, {
        mode: 0o600,
      });
      vi.stubEnv('PGPASSWORD', undefined);
      vi.stubEnv('PGPASSFILE', file);
      const warnings: string[] = [];
      const onWarning = ({ message }: Error): void => void warnings.push(message);
      process.on('warning', onWarning);
      onTestFinished(() => void process.off('warning', onWarning));
      expect(await (await connected(await without())).run({ text: 'SELECT 1 AS one' })).toEqual([{ one: 1 }]);
      expect(warnings).toEqual([]);
    });
  });

  test('lets 2,000 statements wait for a connection, and refuses those beyond', async () => {
    const pool = await connected(await server.database(), { connections: 1 });
    await pool.run({ text: 'SELECT 1' });
    const first = pool.run({ text: 'SELECT pg_sleep(0.2)' });
    const codes = await Promise.all(
      Array.from({ length: POSTGRES_LIMITS.waiting + 3 }, () => codeOf(() => pool.run({ text: 'SELECT 1' }))),
    );
    await first;
    expect(codes.slice(-2)).toEqual(['SERVICE_UNAVAILABLE', 'SERVICE_UNAVAILABLE']);
    expect(pool.awayError).toBeUndefined();
    expect(await pool.run({ text: 'SELECT 1 AS one' })).toEqual([{ one: 1 }]);
  });

  test('ends a statement that takes too long, and goes on', async () => {
    const pool = await connected(await server.database());
    await expect(pool.run({ text: 'SELECT pg_sleep(30)' })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      retryAfter: 1,
      message: expect.stringContaining('is busy'),
    });
    expect(pool.awayError).toBeUndefined();
    expect(await pool.run({ text: 'SELECT 1 AS one' })).toEqual([{ one: 1 }]);
  });

  test('says that a statement waited too long for a connection, and that the database is there', async () => {
    const pool = await connected(await server.database(), { connections: 1 });
    const holding = pool.session(TIMES, ({ run }) => run({ text: 'SELECT pg_sleep(2.5)' }));
    const tooMany = { code: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('too many statements wait') };
    const refused = [1, 2].map(() => pool.run({ text: 'SELECT 1' }).catch((error: unknown) => error));
    const errors = await Promise.all(refused);
    expect(errors).toMatchObject([tooMany, tooMany]);
    // Of all that fail meanwhile, the first is logged.
    expect(errors.map(isKnownOutage)).toEqual([false, true]);
    await holding;
    expect(pool.awayError).toBeUndefined();
  });

  test('finds a database to which connecting takes longer than a request waits', async () => {
    let time = 0;
    const events: string[] = [];
    const { port } = await wayTo(server.port, () => time);
    const pool = await connected((await server.database()).replace(/:\d+\//, `:${port}/`), {
      onChange: ({ kind }) => void events.push(kind),
    });
    time = 2500;
    await endConnections(await server.database('postgres'));
    await expect(pool.run({ text: 'SELECT 1' })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('does not answer'),
    });
    await expect.poll(() => codeOf(() => pool.run({ text: 'SELECT 1' })), { timeout: 20_000 }).toBe('no error');
    expect(events).toEqual(['away', 'back']);
  });

  test('says where it asks for a pooler in session mode', async () => {
    const pool = await connected(await server.database(), { connections: 1 });
    const advice = { code: 'DATABASE_NOT_READABLE', message: expect.stringContaining('pool_mode = session') };
    await pool.run({ text: 'PREPARE "of others" AS SELECT 1' });
    await expect(pool.run({ name: 'of others', text: 'SELECT 2' })).rejects.toMatchObject(advice);
    const mine = { name: 'mine', text: 'SELECT 1 AS one' };
    expect(await pool.run(mine)).toEqual([{ one: 1 }]);
    await pool.run({ text: 'DEALLOCATE ALL' });
    await expect(pool.run(mine)).rejects.toMatchObject(advice);
  });

  test('finds a database that was restarted by itself, and tells both', async () => {
    const events: PostgresEvent[] = [];
    const pool = await connected(await server.database(), { onChange: (event) => void events.push(event) });
    await pool.run({ text: 'SELECT 1' });
    await server.stop();
    for (let i = 0; i < 20; i++) {
      await expect(pool.run({ text: 'SELECT 1' })).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        retryAfter: 1,
      });
    }
    expect(pool.awayError?.message).toContain('does not answer');
    await server.start();
    await expect.poll(() => codeOf(() => pool.run({ text: 'SELECT 1' }))).toBe('no error');
    expect(events.map(({ kind }) => kind)).toEqual(['away', 'back']);
    expect(textsOf((events[0] as { readonly error: Error }).error)).not.toContain('zebra');
  });

  test.skipIf(process.platform !== 'linux')('does not wait for a database that stands still', async () => {
    const pool = await connected(await server.database());
    await pool.run({ text: 'SELECT 1' });
    server.signalAll('SIGSTOP');
    try {
      await expect(pool.run({ text: 'SELECT 1' })).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        message: expect.stringContaining('no answer came in time'),
      });
      expect(pool.awayError).toBeDefined();
    } finally {
      server.signalAll('SIGCONT');
    }
    await expect.poll(() => codeOf(() => pool.run({ text: 'SELECT 1' }))).toBe('no error');
  });
});

const SESSION_TIMES = { statementTime: 5000, pauseTime: 5000 };

describeWithPostgres('a session', (server) => {
  async function connected(options: Partial<PostgresPoolOptions> = {}): Promise<PostgresPool> {
    const address = readPostgresAddress('state', await server.database());
    const pool = closing(await PostgresPool.connect(address, { connections: 2, ...options }));
    await pool.run({ text: 'CREATE TABLE given (n int)' });
    return pool;
  }
  const given = async (pool: PostgresPool): Promise<number[]> =>
    (await pool.run<{ n: number }>({ text: 'SELECT n FROM given ORDER BY n' })).map(({ n }) => n);
  const insert = (n: number) => ({ text: 'INSERT INTO given VALUES ($1)', values: [n] });

  test('reads rows as bytes, those of statements that are asked for at once one after the other', async () => {
    const pool = await connected();
    const rows = await pool.session(SESSION_TIMES, ({ copy, run }) =>
      Promise.all([
        copy(`SELECT decode('00ff', 'hex'), NULL::bytea, 'ä' UNION ALL SELECT ''::bytea, ''::bytea, ''`),
        run({ text: 'SELECT 1 AS one' }),
        copy("SELECT convert_to(repeat('x', 3000000), 'UTF8')"),
      ]),
    );
    expect(rows[0]).toEqual([
      [Buffer.from([0, 255]), null, Buffer.from('ä')],
      [Buffer.alloc(0), Buffer.alloc(0), Buffer.alloc(0)],
    ]);
    expect(rows[1]).toEqual([{ one: 1 }]);
    expect(rows[2]![0]![0]!.equals(Buffer.alloc(3_000_000, 'x'))).toBe(true);
    await expect(pool.copy('SELECT nothing', 1000)).rejects.toMatchObject({ code: 'DATABASE_NOT_READABLE' });
    expect(await pool.copy('SELECT 7', 1000)).toEqual([[Buffer.from([0, 0, 0, 7])]]);
  });

  describe('is rolled back', () => {
    test('when its work throws, whatever that is, and the database is not thought to be away', async () => {
      const events: PostgresEvent[] = [];
      const pool = await connected({ onChange: (event) => void events.push(event) });
      const fault = new TypeError('of the work');
      const thrown = pool.session(SESSION_TIMES, async ({ run }) => {
        await run(insert(1));
        throw fault;
      });
      await expect(thrown).rejects.toBe(fault);
      expect(await given(pool)).toEqual([]);
      expect(events).toEqual([]);
    });

    test('when a statement is refused or takes too long', async () => {
      const pool = await connected();
      const refused = pool.session(SESSION_TIMES, async ({ run }) => {
        await run(insert(1));
        await run({ text: 'SELECT nothing' });
      });
      await expect(refused).rejects.toMatchObject({ code: 'DATABASE_NOT_READABLE' });
      const slow = pool.session({ ...SESSION_TIMES, statementTime: 100 }, async ({ run }) => {
        await run(insert(1));
        await run({ text: 'SELECT pg_sleep(5)' });
      });
      await expect(slow).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        message: expect.stringContaining('busy'),
      });
      expect(await given(pool)).toEqual([]);
    });

    test('when the work pauses for too long, so that what it has locked is free', async () => {
      const pool = await connected();
      await pool.run(insert(1));
      const pausing = pool.session({ ...SESSION_TIMES, pauseTime: 100 }, async ({ run }) => {
        await run({ text: 'UPDATE given SET n = 2' });
        await expect.poll(() => pool.run({ text: 'UPDATE given SET n = 3' }).catch(() => undefined)).toEqual([]);
        await run({ text: 'SELECT 1' });
      });
      await expect(pausing).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      await expect.poll(() => given(pool).catch(() => undefined)).toEqual([3]);
    });

    test('when it is aborted, with the reason, also in the midst of a statement', async () => {
      const events: PostgresEvent[] = [];
      const pool = await connected({ onChange: (event) => void events.push(event) });
      const stop = new AbortController();
      const reason = new Error('enough');
      const aborted = pool.session(
        { ...SESSION_TIMES, statementTime: 100_000, signal: stop.signal },
        async ({ run }) => {
          await run(insert(1));
          setTimeout(() => stop.abort(reason), 50);
          await run({ text: 'SELECT pg_sleep(90)' });
        },
      );
      await expect(aborted).rejects.toBe(reason);
      await expect(pool.session({ ...SESSION_TIMES, signal: stop.signal }, async () => 1)).rejects.toBe(reason);
      expect(await given(pool)).toEqual([]);
      expect(events).toEqual([]);
    });

    test('when its connection is lost, and the next one finds the database again', async () => {
      const pool = await connected();
      const lost = pool.session(SESSION_TIMES, async ({ run }) => {
        await run(insert(1));
        const [own] = await run<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' });
        await pool.run({ text: 'SELECT pg_terminate_backend($1)', values: [own!.pid] });
        await run(insert(2));
      });
      await expect(lost).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfter: 1 });
      await expect.poll(() => given(pool).catch(() => undefined)).toEqual([]);
    });
  });
});

describeWithPostgres('tables in a database', (server) => {
  const columnsOf = async (address: string, table: string) =>
    (
      await server.execute(
        address,
        `SELECT column_name FROM information_schema.columns WHERE table_schema = 'skill_discovery'
         AND table_name = '${table}' ORDER BY ordinal_position`,
      )
    ).map((row) => row['column_name']);

  test('are made once by servers that start at one moment', async () => {
    const address = await server.database();
    const opened = await Promise.all(
      Array.from({ length: 8 }, () => connectAccess({ state: address, connections: 1 })),
    );
    await Promise.all(opened.map((access) => access.createKey()));
    expect((await opened[0]!.listKeys()).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    for (const access of opened) await access.close();
    expect(await server.execute(address, 'SELECT * FROM skill_discovery.format')).toEqual([
      { part: 'access', version: 1 },
    ]);
  });

  test('of another format are refused, and stay as they are', async () => {
    const address = await server.database();
    await (await connectAccess({ state: address })).close();
    await server.execute(address, 'UPDATE skill_discovery.format SET version = 2');
    await expect(connectAccess({ state: address })).rejects.toMatchObject({
      code: 'UNSUPPORTED_FORMAT',
      message: expect.stringMatching(
        /has state format 2, this version reads format 1: use the version that made it, or load again into another database$/,
      ),
    });
    expect(await server.execute(address, 'SELECT version FROM skill_discovery.format')).toEqual([{ version: 2 }]);
  });

  test.each([
    ['in our schema', 'CREATE SCHEMA skill_discovery; CREATE TABLE skill_discovery.invoice (n int)'],
    ['with the name of ours', 'CREATE SCHEMA skill_discovery; CREATE TABLE skill_discovery.format (extension text)'],
    [
      'beside ours',
      `CREATE SCHEMA skill_discovery; CREATE TABLE skill_discovery.format (part text PRIMARY KEY, version integer);
       CREATE TABLE skill_discovery.api_key (n int)`,
    ],
  ])('of something else %s are refused, and nothing is written', async (_, sql) => {
    const address = await server.database();
    await server.execute(address, sql);
    await expect(connectAccess({ state: address })).rejects.toMatchObject({
      code: 'NOT_A_STATE_FILE',
      message: expect.stringMatching(
        /^the schema skill_discovery of postgres:.* give the address of another database$/,
      ),
    });
    expect(await columnsOf(address, 'usage')).toEqual([]);
  });
});

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));

/** As where the package is not installed. */
const WITHOUT = `
import { register } from 'node:module';
const hook = \`export const resolve = async (name, context, next) => {
  if (name !== 'pg') return next(name, context);
  throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
};\`;
register('data:text/javascript,' + encodeURIComponent(hook));
const { connectAccess } = await import('./src/access/index.ts');
await connectAccess({ state: 'postgres://127.0.0.1:1/d' }).catch(({ code, message }) => console.log(code, message));
`;

function linesOf(program: string): string[] {
  const words = ['--import', 'tsx', '--input-type=module', '--eval', program];
  const { stdout, stderr } = spawnSync(process.execPath, words, { cwd: PROJECT, encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return stdout.trimEnd().split('\n');
}

test('where it is not installed, an address is refused with what to install', () => {
  expect(linesOf(WITHOUT)).toEqual([expect.stringMatching(/^POSTGRES_CLIENT_MISSING .*npm install pg$/)]);
});
