import { dirname, join } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';

export interface StateFlags {
  readonly database: string;
  readonly state?: string;
}

export function stateOption(): Option {
  return new Option('--state <file>', 'keys and quotas (default: access.db beside the catalogue)').argParser(
    (value) => {
      // SQLite would open a temporary or in-memory database.
      if (value === '' || value.startsWith(':')) throw new InvalidArgumentError('It must be the path of a file.');
      return value;
    },
  );
}

export function stateFileOf({ state, database }: StateFlags): string {
  return state ?? join(dirname(database), 'access.db');
}
