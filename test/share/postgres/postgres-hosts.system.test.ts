import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { SkillSearchError, surroundings } from '../../../src/core/index.js';
import { readPostgresAddress } from '../../../src/share/postgres/postgres-address.js';
import { PostgresPool } from '../../../src/share/postgres/postgres-pool.js';
import { closing, scratchFile } from '../../scratch-folder.js';
import { connected, describeWithStandbys } from './describe-with-postgres.js';
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

  async function portOf(pool: PostgresPool): Promise<number> {
    const [row] = await pool.run<{ port: number }>({ text: 'SELECT inet_server_port() AS port' });
    return row!.port;
  }

  const NOWHERE = 1;

  test.each([
    [undefined, 'the first', 'standby'],
    ['any', 'the first', 'standby'],
    ['read-write', 'one that may be written', 'primary'],
    ['primary', 'the primary', 'primary'],
    ['read-only', 'one that may only be read', 'standby'],
    ['standby', 'a standby', 'standby'],
    ['prefer-standby', 'a standby', 'standby'],
  ] as const)('leads who only reads with target_session_attrs=%s to %s', async (target, _, expected) => {
    const pool = await connected(await addressOf([NOWHERE, standby.port, server.port], target), { isReader: true });
    expect(await portOf(pool)).toBe(expected === 'primary' ? server.port : standby.port);
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

// Of localhost, which signs itself. Made with openssl for these tests, and used nowhere else. Valid until 2126.
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBlTCCATugAwIBAgIUVakyzuznSNI+D+eT8NbB4GEIUe4wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNzExMDI1MloYDzIxMjYxMTAz
MTEwMjUyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASxyFmKh4nc59Vb0JLXyZ8ISdxTLHglx51O7Akz64VcN3R5sT5g4htt
gebBga9fdrmLfagiKuv4ZtczKzrixwzqo2kwZzAdBgNVHQ4EFgQU98NL8w9oWSP3
jITXD9DnoPh34oUwHwYDVR0jBBgwFoAU98NL8w9oWSP3jITXD9DnoPh34oUwDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SAAwRQIgEJfkpaoJgG+48Uww2MIU8QuKwHGpAsxWQwDB5/SjA7QCIQCgKh3pAT3D
8+K3GUGwlGW/jqi21u99w0Bdd8mntUp2ew==
-----END CERTIFICATE-----`;
const KEY = `-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIIg0daMJbzyQOVKV6m5a2dRIt6ojDgtJmkYRIBnZbBJToAoGCCqGSM49
AwEHoUQDQgAEschZioeJ3OfVW9CS18mfCEncUyx4JcedTuwJM+uFXDd0ebE+YOIb
bYHmwYGvX3a5i32oIirr+GbXMys64scM6g==
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

  /** `TLS` or `plain`, or why it is not opened. */
  async function connecting(host: string, parameters: Readonly<Record<string, string>>): Promise<string> {
    const address = (await cluster.database('postgres')).replace('127.0.0.1', host);
    const url = `${address}?${new URLSearchParams(parameters)}`;
    try {
      const read = readPostgresAddress('state', url, surroundings({ env: {} }));
      const pool = closing(await PostgresPool.connect(read, { connections: 1 }));
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
  const cases = [
    ['localhost', 'disable', 'no sslrootcert', 'plain'],
    ['localhost', 'require', 'no sslrootcert', 'TLS'],
    ['127.0.0.1', 'require', 'its signer', 'TLS'],
    ['localhost', 'verify-ca', 'no sslrootcert', unknown],
    ['127.0.0.1', 'verify-ca', 'its signer', 'TLS'],
    ['localhost', 'verify-full', 'no sslrootcert', unknown],
    ['localhost', 'verify-full', 'its signer', 'TLS'],
    ['127.0.0.1', 'verify-full', 'its signer', otherName],
  ] as const;
  test.each(cases)('at %s with sslmode=%s and %s', async (host, sslmode, signer, expected) => {
    const sslrootcert = scratchFile('signers.pem');
    writeFileSync(sslrootcert, CERTIFICATE);
    const parameters = { sslmode, ...(signer === 'its signer' ? { sslrootcert } : {}) };
    expect(await connecting(host, parameters)).toEqual(expected);
  });
});
