import { dirname, join } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { isSnapshotAddress } from '../snapshot-address.js';

export interface StateFlags {
  readonly database: string;
  readonly state?: string;
}

export function stateOption(): Option {
  return new Option(
    '--state <file>',
    'keys and quotas (default: access.db beside the catalogue, for a snapshot in the working folder)',
  ).argParser((value) => {
    // SQLite would open a temporary or in-memory database.
    if (value === '' || value.startsWith(':')) throw new InvalidArgumentError('It must be the path of a file.');
    return value;
  });
}

export function stateFileOf({ state, database }: StateFlags): string {
  // Beside the local copy of a snapshot, keys would be lost with that cache.
  if (isSnapshotAddress(database)) return state ?? 'access.db';
  return state ?? join(dirname(database), 'access.db');
}
