import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { readPostgresAddress } from '../../../src/share/postgres/postgres-address.js';
import { PostgresPool, type PostgresPoolOptions } from '../../../src/share/postgres/postgres-pool.js';
import { closing } from '../../scratch-folder.js';
import { PostgresCluster, type PostgresServer, programs } from './postgres-cluster.js';

/**
 * Tests with a server of PostgreSQL, one for all tests of the file. Where none is installed they are skipped, and the
 * reason is printed.
 */
export function describeWithPostgres(name: string, body: (server: PostgresServer) => void): void {
  describeWith(['initdb'], name, body);
}

/** The same for tests with standbys, whose program some packages of PostgreSQL lack. */
export function describeWithStandbys(name: string, body: (server: PostgresServer) => void): void {
  describeWith(['initdb', 'pg_basebackup'], name, body);
}

function describeWith(needs: readonly string[], name: string, body: (server: PostgresServer) => void): void {
  let cluster: PostgresCluster | undefined;
  const started = (): PostgresCluster => cluster!;
  const server: PostgresServer = {
    get port() {
      return started().port;
    },
    database: (database) => started().database(database),
    execute: (address, sql) => started().execute(address, sql),
    stop: (signal) => started().stop(signal),
    start: () => started().start(),
    signalAll: (signal) => started().signalAll(signal),
    standby: (settings) => started().standby(settings),
  };
  const missing = missingProgram(needs);
  if (missing !== undefined) {
    const places = 'neither in POSTGRES_PATH nor in /usr/lib/postgresql nor in PATH';
    console.warn(`Skipped: ${name}. ${missing} is ${places}.`);
    describe.skip(`${name} (skipped: no ${missing} of PostgreSQL)`, () => body(server));
    return;
  }
  describe(name, () => {
    beforeAll(async () => {
      cluster = await PostgresCluster.make();
      await cluster.start();
    }, 120_000);
    afterAll(async () => cluster?.remove());
    body(server);
  });
}

function missingProgram(needs: readonly string[]): string | undefined {
  const folder = programs;
  return folder === undefined ? needs[0] : needs.find((program) => !existsSync(join(folder, program)));
}

/** A pool with two connections at an address, closed when the test ends. */
export async function connected(address: string, options: Partial<PostgresPoolOptions> = {}): Promise<PostgresPool> {
  return closing(await PostgresPool.connect(readPostgresAddress('state', address), { connections: 2, ...options }));
}
