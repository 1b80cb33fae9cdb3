import { describe, expect, onTestFinished, test } from 'vitest';
import { readPostgresAddress } from '../../../src/share/postgres/postgres-address.js';
import {
  type PostgresEvent,
  PostgresPool,
  type PostgresPoolOptions,
} from '../../../src/share/postgres/postgres-pool.js';
import { describeWithPostgres } from './describe-with-postgres.js';

const TIMES = { statementTime: 5000, pauseTime: 5000 };

describeWithPostgres('a session', (server) => {
  async function connected(options: Partial<PostgresPoolOptions> = {}): Promise<PostgresPool> {
    const address = readPostgresAddress('state', await server.database());
    const pool = await PostgresPool.connect(address, { connections: 2, ...options });
    onTestFinished(() => pool.close());
    await pool.run({ text: 'CREATE TABLE given (n int)' });
    return pool;
  }
  const given = async (pool: PostgresPool): Promise<number[]> =>
    (await pool.run<{ n: number }>({ text: 'SELECT n FROM given ORDER BY n' })).map(({ n }) => n);
  const insert = (n: number) => ({ text: 'INSERT INTO given VALUES ($1)', values: [n] });

  test('may take longer than a statement', async () => {
    const pool = await connected();
    await pool.session(TIMES, async ({ run }) => {
      for (let n = 1; n <= 3; n++) {
        await run(insert(n));
        await run({ text: 'SELECT pg_sleep(0.5)' });
      }
      expect(await given(pool)).toEqual([]);
    });
    expect(await given(pool)).toEqual([1, 2, 3]);
  });

  test('sees one state of the database, if it is a snapshot, and writes nothing', async () => {
    const pool = await connected();
    await pool.session({ ...TIMES, isSnapshot: true }, async ({ run }) => {
      const count = { text: 'SELECT count(*)::int AS n FROM given' };
      expect(await run(count)).toEqual([{ n: 0 }]);
      await pool.run(insert(1));
      expect(await run(count)).toEqual([{ n: 0 }]);
    });
    const writing = pool.session({ ...TIMES, isSnapshot: true }, ({ run }) => run(insert(2)));
    await expect(writing).rejects.toThrow();
    await expect.poll(() => given(pool).catch(() => undefined)).toEqual([1]);
  });

  test('reads rows as bytes, those of statements that are asked for at once one after the other', async () => {
    const pool = await connected();
    const rows = await pool.session(TIMES, ({ copy, run }) =>
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
      const thrown = pool.session(TIMES, async ({ run }) => {
        await run(insert(1));
        throw fault;
      });
      await expect(thrown).rejects.toBe(fault);
      expect(await given(pool)).toEqual([]);
      expect(events).toEqual([]);
    });

    test('when a statement is refused or takes too long', async () => {
      const pool = await connected();
      const refused = pool.session(TIMES, async ({ run }) => {
        await run(insert(1));
        await run({ text: 'SELECT nothing' });
      });
      await expect(refused).rejects.toMatchObject({ code: 'DATABASE_NOT_READABLE' });
      const slow = pool.session({ ...TIMES, statementTime: 100 }, async ({ run }) => {
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
      const pausing = pool.session({ ...TIMES, pauseTime: 100 }, async ({ run }) => {
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
      const aborted = pool.session({ ...TIMES, statementTime: 100_000, signal: stop.signal }, async ({ run }) => {
        await run(insert(1));
        setTimeout(() => stop.abort(reason), 50);
        await run({ text: 'SELECT pg_sleep(90)' });
      });
      await expect(aborted).rejects.toBe(reason);
      await expect(pool.session({ ...TIMES, signal: stop.signal }, async () => 1)).rejects.toBe(reason);
      expect(await given(pool)).toEqual([]);
      expect(events).toEqual([]);
    });

    test('when its connection is lost, and the next one finds the database again', async () => {
      const pool = await connected();
      const lost = pool.session(TIMES, async ({ run }) => {
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
