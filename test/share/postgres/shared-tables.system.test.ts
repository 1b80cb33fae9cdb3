import { describe, expect, onTestFinished, test } from 'vitest';
import { connectAccess } from '../../../src/access/index.js';
import { readPostgresAddress } from '../../../src/share/postgres/postgres-address.js';
import { PostgresPool } from '../../../src/share/postgres/postgres-pool.js';
import { prepareTables } from '../../../src/share/postgres/shared-tables.js';
import { codeOf } from '../../error-code.js';
import { describeWithPostgres } from './describe-with-postgres.js';

const KITES = { part: 'kites', noun: 'kites', foreignCode: 'NOT_A_STATE_FILE' } as const;

describeWithPostgres('tables in a database', (server) => {
  async function pool(address: string): Promise<PostgresPool> {
    const made = await PostgresPool.connect(readPostgresAddress('state', address), { connections: 1 });
    onTestFinished(() => made.close());
    return made;
  }

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

  test('are not there where making them fails, and are made beside other parts', async () => {
    const address = await server.database();
    const statements = 'CREATE TABLE skill_discovery.kite (a int)';
    const wrong = `${statements}; SELECT 1/0`;
    await expect(prepareTables(await pool(address), { ...KITES, statements: wrong })).rejects.toThrow('division');
    expect(await columnsOf(address, 'kite')).toEqual([]);
    await prepareTables(await pool(address), { ...KITES, statements });
    await (await connectAccess({ state: address })).close();
    expect(await columnsOf(address, 'kite')).toEqual(['a']);
    expect(await server.execute(address, 'SELECT * FROM skill_discovery.format ORDER BY part')).toEqual([
      { part: 'access', version: 1 },
      { part: 'kites', version: 1 },
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

  describe('of something else', () => {
    test.each([
      ['in our schema', 'CREATE SCHEMA skill_discovery; CREATE TABLE skill_discovery.invoice (n int)'],
      ['with the name of ours', 'CREATE SCHEMA skill_discovery; CREATE TABLE skill_discovery.format (extension text)'],
      [
        'beside ours',
        `CREATE SCHEMA skill_discovery; CREATE TABLE skill_discovery.format (part text PRIMARY KEY, version integer);
         CREATE TABLE skill_discovery.api_key (n int)`,
      ],
    ])('%s are refused, and nothing is written', async (_, sql) => {
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

  test('are not made by a user who may not, who is told what an administrator has to do', async () => {
    const address = await server.database();
    await server.execute(address, "CREATE ROLE small LOGIN PASSWORD 'pw'");
    const asSmall = address.replace(/\/\/[^@]+@/, '//small:pw@');
    const refused = connectAccess({ state: asSmall });
    await expect(refused).rejects.toMatchObject({
      code: 'DATABASE_NOT_WRITABLE',
      message: expect.stringContaining('CREATE SCHEMA skill_discovery AUTHORIZATION small'),
    });
    await server.execute(address, 'CREATE SCHEMA skill_discovery AUTHORIZATION small');
    const access = await connectAccess({ state: asSmall });
    expect(await codeOf(() => access.createKey())).toBe('no error');
    await access.close();
  });
});
