import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { isKnownOutage, SkillSearchError } from '../../../src/core/index.js';
import { readPostgresAddress } from '../../../src/share/postgres/postgres-address.js';
import {
  POSTGRES_LIMITS,
  type PostgresEvent,
  PostgresPool,
  type PostgresPoolOptions,
} from '../../../src/share/postgres/postgres-pool.js';
import { codeOf } from '../../error-code.js';
import { scratchFile } from '../../scratch-folder.js';
import { describeWithPostgres } from './describe-with-postgres.js';
import { PASSWORD, USER } from './postgres-cluster.js';

/** Of a session. */
const TIMES = { statementTime: 5000, pauseTime: 5000 };

afterEach(() => vi.unstubAllEnvs());

async function connected(address: string, options: Partial<PostgresPoolOptions> = {}): Promise<PostgresPool> {
  const pool = await PostgresPool.connect(readPostgresAddress('state', address), { connections: 2, ...options });
  onTestFinished(() => pool.close());
  return pool;
}

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
        /it is not accepted: it comes from PGPASSWORD/,
      ],
      'with a user that is not known': [
        (a) => a.replace(USER, 'nobody_here'),
        'DATABASE_NOT_READABLE',
        /it is not accepted/,
      ],
      'of a database that does not exist': [
        (a) => a.replace(/[^/]+$/, 'missing'),
        'DATABASE_NOT_READABLE',
        /no such database: make it with createdb/,
      ],
      'with TLS where there is none': [(a) => `${a}?sslmode=verify-full`, 'DATABASE_NOT_READABLE', /has no TLS/],
      'by the folder of a socket that is not there': [
        (a) => `${a}?host=/nowhere/at-all`,
        'DATABASE_NOT_READABLE',
        /there is no socket/,
      ],
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

    test('where it asks for a password and there is none, and keeps no connection open', async () => {
      vi.stubEnv('PGPASSWORD', undefined);
      vi.stubEnv('PGPASSFILE', scratchFile('none'));
      let closed = 0;
      const between = createServer((socket) => {
        const upstream = connect(server.port, '127.0.0.1');
        socket.pipe(upstream).pipe(socket);
        socket.once('end', () => {
          closed += 1;
        });
        for (const end of [socket, upstream]) end.on('error', () => {});
      });
      const port = await listening(between);
      const error = await refusalOf(`postgres://${USER}@127.0.0.1:${port}/postgres`);
      expect([error.code, error.message]).toEqual([
        'DATABASE_NOT_READABLE',
        expect.stringContaining('there is no password, or it is not accepted: it comes from PGPASSWORD'),
      ]);
      await expect.poll(() => closed).toBe(1);
    });

    test('where it may only be read', async () => {
      const address = await server.database();
      const name = address.slice(address.lastIndexOf('/') + 1);
      await server.execute(address, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
      const error = await refusalOf(address);
      expect([error.code, error.message]).toEqual(['DATABASE_NOT_WRITABLE', expect.stringContaining('the primary')]);
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

  describe('over a slow way', () => {
    const over = async (ofConnection: () => number, connections = 2): Promise<PostgresPool> => {
      const { port } = await wayTo(server.port, ofConnection);
      return connected((await server.database()).replace(/:\d+\//, `:${port}/`), { connections });
    };

    test('waits for a connection nearly as long as a request may take', async () => {
      const pool = await over(() => 1200);
      expect(await pool.run({ text: 'SELECT 1 AS one' })).toEqual([{ one: 1 }]);
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
  });

  test('says what to do where its tables are gone', async () => {
    const pool = await connected(await server.database());
    await expect(pool.run({ text: 'SELECT 1 FROM skill_discovery.skill' })).rejects.toMatchObject({
      code: 'DATABASE_NOT_READABLE',
      message: expect.stringMatching(/does not exist\. .* restore the schema skill_discovery .* an empty database$/),
    });
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

  test('asks for nothing that a pooler would have to be told to let through', async () => {
    const way = await wayTo(server.port, () => 0);
    const pool = await connected((await server.database()).replace(/:\d+\//, `:${way.port}/`));
    expect(await pool.run({ text: "SELECT current_setting('statement_timeout') AS time" })).toEqual([
      { time: `${POSTGRES_LIMITS.statementTime}ms` },
    ]);
    expect(way.sent()).toContain('application_name');
    const [first = ''] = way.sent().split('SCRAM-SHA-256');
    expect(first).not.toContain('statement_timeout');
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

  test('goes on after an administrator has ended its connections', async () => {
    const address = await server.database();
    const pool = await connected(address);
    await pool.run({ text: 'SELECT 1' });
    await endConnections(address);
    await expect.poll(() => codeOf(() => pool.run({ text: 'SELECT 1' }))).toBe('no error');
  });
});
