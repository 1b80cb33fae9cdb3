import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { SkillSearchError } from '../../../src/core/index.js';
import { readPostgresAddress } from '../../../src/share/postgres/postgres-address.js';
import { PostgresPool, type PostgresPoolOptions } from '../../../src/share/postgres/postgres-pool.js';
import { scratchFile } from '../../scratch-folder.js';
import { describeWithStandbys } from './describe-with-postgres.js';
import { PostgresCluster, type PostgresStandby, programs } from './postgres-cluster.js';

describeWithStandbys('an address of several hosts', (server) => {
  let standby: PostgresStandby;
  beforeAll(async () => {
    standby = await server.standby();
  }, 60_000);

  /** Of the primary and its standby, in the order of these ports, and of whatever else they name. */
  async function addressOf(ports: readonly number[], target?: string): Promise<string> {
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join();
    const address = (await server.database('postgres')).replace(/127\.0\.0\.1:\d+/, hosts);
    return target === undefined ? address : `${address}?target_session_attrs=${target}`;
  }

  async function connected(address: string, options: Partial<PostgresPoolOptions> = {}): Promise<PostgresPool> {
    const pool = await PostgresPool.connect(readPostgresAddress('state', address), { connections: 2, ...options });
    onTestFinished(() => pool.close());
    return pool;
  }

  async function portOf(pool: PostgresPool): Promise<number> {
    const [row] = await pool.run<{ port: number }>({ text: 'SELECT inet_server_port() AS port' });
    return row!.port;
  }

  const NOWHERE = 1;

  describe('leads who only reads', () => {
    test.each([
      [undefined, 'the first', 'standby'],
      ['any', 'the first', 'standby'],
      ['read-write', 'one that may be written', 'primary'],
      ['primary', 'the primary', 'primary'],
      ['read-only', 'one that may only be read', 'standby'],
      ['standby', 'a standby', 'standby'],
      ['prefer-standby', 'a standby', 'standby'],
    ] as const)('with target_session_attrs=%s to %s', async (target, _, expected) => {
      const pool = await connected(await addressOf([NOWHERE, standby.port, server.port], target), { isReader: true });
      expect(await portOf(pool)).toBe(expected === 'primary' ? server.port : standby.port);
    });

    test('to the primary where it prefers a standby and there is none', async () => {
      const pool = await connected(await addressOf([server.port, NOWHERE], 'prefer-standby'), { isReader: true });
      expect(await portOf(pool)).toBe(server.port);
    });
  });

  test('leads who writes to the one that may be written, wherever it stands', async () => {
    for (const target of [undefined, 'any', 'prefer-standby', 'primary']) {
      expect(await portOf(await connected(await addressOf([standby.port, server.port], target)))).toBe(server.port);
    }
  });

  test('of which none will do is told with the reason of each, and without the password', async () => {
    const error = await connected(await addressOf([NOWHERE, standby.port])).catch((refused: unknown) => refused);
    expect(error).toMatchObject({
      code: 'DATABASE_NOT_WRITABLE',
      message: expect.stringMatching(
        new RegExp(`127\\.0\\.0\\.1:1/.*nothing listens there.*; .*:${standby.port}/\\S* may only be read: .*primary$`),
      ),
    });
    expect((error as Error).message).not.toContain('zebra');
    const one = connected(await addressOf([server.port, NOWHERE], 'standby'), { isReader: true });
    await expect(one).rejects.toMatchObject({
      code: 'DATABASE_NOT_READABLE',
      message: expect.stringMatching(/ is a primary, and its address wants target_session_attrs=standby; cannot open /),
    });
  });

  test('leads who writes to another that has become the primary, and who reads to one that is there', async () => {
    const next = await server.standby();
    const ports = [server.port, next.port];
    const events: string[] = [];
    const writer = await connected(await addressOf(ports), { onChange: ({ kind }) => void events.push(kind) });
    const reader = await connected(await addressOf(ports), { isReader: true });
    expect([await portOf(writer), await portOf(reader)]).toEqual([server.port, server.port]);
    await next.caughtUp();
    await server.stop();
    onTestFinished(() => server.start());
    const portAtLast = (pool: PostgresPool) =>
      expect.poll(() => portOf(pool).catch(() => undefined), { timeout: 20_000 });
    await portAtLast(reader).toBe(next.port);
    await expect(portOf(writer)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await next.promote();
    await portAtLast(writer).toBe(next.port);
    expect(events).toEqual(['away', 'back']);
    await writer.run({ text: 'CREATE TABLE written (a int)' });
  });
});

// Made with openssl for these tests, and used nowhere else. They are valid until 2126.
const SIGNER = `-----BEGIN CERTIFICATE-----
MIIBhjCCASugAwIBAgIUUuWmYWWz68023sjxz/UYNrVYjHEwCgYIKoZIzj0EAwIw
FzEVMBMGA1UEAwwMS2l0ZSBzaWduZXJzMCAXDTI2MTEyMzE5NDM1N1oYDzIxMjYx
MDMwMTk0MzU3WjAXMRUwEwYDVQQDDAxLaXRlIHNpZ25lcnMwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAARIV3RRJK44W+M/sU6G14yBvoK38blKpnNrMo6a3iHqw4V8
KUv/cvkptGYfKeiERbsSyjTbMVZhYRqMeJchro/xo1MwUTAdBgNVHQ4EFgQUVrf5
2wN3OZ5nxkprGSktqsinbYMwHwYDVR0jBBgwFoAUVrf52wN3OZ5nxkprGSktqsin
bYMwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEA23Du2Ht/CWOC
KyLlq00Gw+T9YpmWfBaPSjjGPOGUGi8CIQCjW7pQcfPiCJ2pb/xi6NtxdQyNrkjS
QPxPTGMEVE/T+Q==
-----END CERTIFICATE-----`;
const OTHER_SIGNER = `-----BEGIN CERTIFICATE-----
MIIBeTCCAR+gAwIBAgIUH/UfNnnwDTCLv/CSYxD4wvICRHEwCgYIKoZIzj0EAwIw
ETEPMA0GA1UEAwwGT3RoZXJzMCAXDTI2MTEyMzE5NDUwOFoYDzIxMjYxMDMwMTk0
NTA4WjARMQ8wDQYDVQQDDAZPdGhlcnMwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AARDxNMCNN4V+nJ9Ho8q65LJzf+0Yilns5GhdEn5zJ/EAqphxBlFh8Jd5ZxGEH1e
ErRTSCqafVNItTyMB8G7sfUpo1MwUTAdBgNVHQ4EFgQUJuxkgwEpaahLG4K8SGEm
cBRVvSowHwYDVR0jBBgwFoAUJuxkgwEpaahLG4K8SGEmcBRVvSowDwYDVR0TAQH/
BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiAqC0DXYPnB1uN/7IjhYb0W8ewFpdA1
tO7kcEdFND0u3wIhAIfTD0CHegnnbZ+K6d625WKVFT4UfhZaco3utc4/MekN
-----END CERTIFICATE-----`;
/** Of localhost, signed by SIGNER. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBhzCCAS2gAwIBAgIUThnoOshxwB6mQ4Wf/dkp/4HXqkwwCgYIKoZIzj0EAwIw
FzEVMBMGA1UEAwwMS2l0ZSBzaWduZXJzMCAXDTI2MTEyMzE5NDM1N1oYDzIxMjYw
NzIyMTk0MzU3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggq
hkjOPQMBBwNCAAR69e1zTT3FKXskkRdwZViIjT7ZsR0JdPp1CtMVLNKz1G1l8r/X
rV4cOL753AmBx/eT9nw3snpZNOpG1ViMbN3ho1gwVjAUBgNVHREEDTALgglsb2Nh
bGhvc3QwHQYDVR0OBBYEFNILsAphqwzQhGh2ShLO2GiOP1YpMB8GA1UdIwQYMBaA
FFa3+dsDdzmeZ8ZKaxkpLarIp22DMAoGCCqGSM49BAMCA0gAMEUCIA4GHV6wGoZ0
9pse+XDEQagQO7+f9IfptA7heLEe6W0OAiEAq9IMlFzq0Z6rFPRY1FRBx1reQBCs
L6SHkWY0pPSLlK4=
-----END CERTIFICATE-----`;
const KEY = `-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIOoajboWk1f/AKFWEw892RuluhJa1a5DFKNSwk0Gd4X3oAoGCCqGSM49
AwEHoUQDQgAEevXtc009xSl7JJEXcGVYiI0+2bEdCXT6dQrTFSzSs9RtZfK/161e
HDi++dwJgcf3k/Z8N7J6WTTqRtVYjGzd4Q==
-----END EC PRIVATE KEY-----`;

const SETTINGS = ['fsync=off', 'ssl=on', 'ssl_cert_file=../server.crt', 'ssl_key_file=../server.key'];

describe.skipIf(programs === undefined)('a database with TLS', () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await PostgresCluster.make({
      settings: SETTINGS,
      files: { 'server.crt': CERTIFICATE, 'server.key': KEY },
    });
    await cluster.start();
  }, 120_000);
  afterAll(() => cluster?.remove());

  function fileWith(text: string): string {
    const path = scratchFile('signers.pem');
    writeFileSync(path, text);
    return path;
  }

  /** `TLS` or `plain`, or why it is not opened. */
  async function connecting(host: string, parameters: Readonly<Record<string, string>>, env = {}): Promise<string> {
    const address = (await cluster.database('postgres')).replace('127.0.0.1', host);
    const url = `${address}?${new URLSearchParams(parameters)}`;
    try {
      const read = readPostgresAddress('state', url, {
        platform: process.platform,
        home: '/nowhere',
        cwd: '/nowhere',
        env,
      });
      const pool = await PostgresPool.connect(read, { connections: 1 });
      onTestFinished(() => pool.close());
      const text = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
      const [row] = await pool.run<{ ssl: boolean }>({ text });
      return row?.ssl === true ? 'TLS' : 'plain';
    } catch (error) {
      if (error instanceof SkillSearchError) return error.message;
      throw error;
    }
  }

  const unknown = expect.stringMatching(
    /its certificate is not trusted .*name the file of who signed it as sslrootcert/,
  );
  const otherName = expect.stringContaining('its certificate is for another name');
  const SIGNERS = { 'no sslrootcert': undefined, 'its signer': SIGNER, 'another signer': OTHER_SIGNER } as const;
  const cases = [
    ['localhost', 'disable', 'no sslrootcert', 'plain'],
    ['localhost', 'require', 'no sslrootcert', 'TLS'],
    ['127.0.0.1', 'require', 'its signer', 'TLS'],
    ['localhost', 'require', 'another signer', unknown],
    ['localhost', 'verify-ca', 'no sslrootcert', unknown],
    ['127.0.0.1', 'verify-ca', 'its signer', 'TLS'],
    ['localhost', 'verify-full', 'no sslrootcert', unknown],
    ['localhost', 'verify-full', 'its signer', 'TLS'],
    ['127.0.0.1', 'verify-full', 'its signer', otherName],
  ] as const;
  test.each(cases)('at %s with sslmode=%s and %s', async (host, sslmode, signer, expected) => {
    const pem = SIGNERS[signer];
    const root: { sslrootcert?: string } = pem === undefined ? {} : { sslrootcert: fileWith(pem) };
    expect(await connecting(host, { sslmode, ...root })).toEqual(expected);
  });
});
