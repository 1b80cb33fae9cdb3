import { createHash } from 'node:crypto';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { type Surroundings, surroundings, userFolders } from '../../core/index.js';
import type { PostgresAddress } from '../postgres/postgres-address.js';
import type { CopyOrigin } from '../snapshot/local-copy.js';

/**
 * What names the catalogue of an address among others: whoever asks for it, and with what password, does not matter.
 */
export function sharedOrigin(address: PostgresAddress, of: Surroundings = surroundings()): CopyOrigin {
  const { env } = of;
  const host = address.hosts.map((one) => one.host ?? env['PGHOST'] ?? 'localhost').join();
  const port = address.hosts.map((one) => one.port ?? env['PGPORT'] ?? 5432).join();
  const database = address.database ?? env['PGDATABASE'] ?? address.user ?? env['PGUSER'] ?? userInfo().username;
  const key = createHash('sha256')
    .update(JSON.stringify([host, port, database]))
    .digest('hex')
    .slice(0, 20);
  return { key, shown: address.shown };
}

/** The folder of the local copy of a catalogue. */
export function sharedCopyFolder(address: PostgresAddress, cache: string | undefined): string {
  const of = surroundings();
  return cache ?? join(userFolders(of).cache, 'shared', sharedOrigin(address, of).key);
}
