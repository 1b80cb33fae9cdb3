import { dirname, join } from 'node:path';
import { Option } from 'commander';

export interface StateFlags {
  readonly database: string;
  readonly state?: string;
}

export function stateOption(): Option {
  return new Option('--state <file>', 'keys and quotas (default: access.db beside the catalogue)');
}

export function stateFileOf({ state, database }: StateFlags): string {
  return state ?? join(dirname(database), 'access.db');
}
