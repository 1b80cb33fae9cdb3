import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  type AccessOptions,
  connectAccess,
  isPostgresAddress,
  type KeysAndQuotas,
  openAccess,
  type SharedAccessOptions,
} from '../access/index.js';
import {
  checkDatabase,
  isCatalogueAddress,
  isSnapshotAddress,
  refuseAddress,
  refuseOption,
  SkillSearchError,
} from '../core/index.js';
import { pick, refusePassword } from './options.js';

/** Where keys and quotas are kept. */
export interface StateFlags {
  readonly database: string;
  readonly state?: string;
  readonly statePasswordFile?: string;
  /** Of `--database`, if that is an address of PostgreSQL. */
  readonly databasePasswordFile?: string;
}

/** What `openState` takes beside the place. */
type StateOptions = Pick<AccessOptions, 'anonymous' | 'key'> &
  Pick<SharedAccessOptions, 'connections' | 'allowAnonymousIfQuotaDbUnavailable' | 'onChange'>;

export function addStateOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--state <place>',
        'keys and quotas: a file, or postgres://user@host/database (default: access.db beside the catalogue, for a snapshot in the working folder; the database of a catalogue in PostgreSQL)',
      ).argParser((value) => {
        // SQLite would open a temporary or in-memory database.
        if (value === '' || value.startsWith(':')) throw new InvalidArgumentError('It must be the path of a file.');
        return value;
      }),
    )
    .option(
      '--state-password-file <file>',
      'a file with the password for PostgreSQL (default: PGPASSWORD or ~/.pgpass)',
    );
}

/**
 * Refuses flags that clash.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`
 */
export function checkStateFlags(
  flags: StateFlags,
  { connections, allowAnonymousIfQuotaDbUnavailable }: StateOptions = {},
): void {
  const { database, state = '' } = flags;
  if (!isCatalogueAddress(database)) checkDatabase(database);
  if (isPostgresAddress(stateOf(flags))) {
    refusePassword('--state', state, '--state-password-file');
    return;
  }
  refuseAddress('--state', state, 'postgres://');
  const reason = 'is for a --state in PostgreSQL: postgres://user@host/database';
  refuseOption('--state-password-file', flags.statePasswordFile, reason);
  refuseOption('--state-connections', connections, reason);
  refuseOption('--allow-anonymous-if-quota-db-unavailable', allowAnonymousIfQuotaDbUnavailable, reason);
}

/** Opens the state; whoever opens it closes it. */
export async function openState(flags: StateFlags, options: StateOptions = {}): Promise<KeysAndQuotas> {
  checkStateFlags(flags, options);
  const state = stateOf(flags);
  if (!isPostgresAddress(state)) return openAccess({ state, ...pick(options, 'anonymous', 'key') });
  const passwordFile = flags.statePasswordFile ?? (flags.state === undefined ? flags.databasePasswordFile : undefined);
  try {
    return await connectAccess({ state, passwordFile, ...options });
  } catch (error) {
    // A catalogue that may only be read is served, but nothing can be counted there.
    const isReadOnly = error instanceof SkillSearchError && error.code === 'DATABASE_NOT_WRITABLE';
    if (!isReadOnly || flags.state !== undefined) throw error;
    throw new SkillSearchError(error.code, `${error.message}. ${NEEDS_STATE}`, { cause: error });
  }
}

const NEEDS_STATE =
  'Keys and quotas are kept there, too, unless --state names another place: the address of the primary, or a file';

/** Where the state is, if it is there; a database is looked for when it is opened. */
export function findState(flags: StateFlags): { readonly place: string; readonly exists: boolean } {
  checkStateFlags(flags);
  const place = stateOf(flags);
  return { place, exists: isPostgresAddress(place) || existsSync(place) };
}

function stateOf({ state, database }: StateFlags): string {
  // One database has the catalogue, and who may ask for it.
  if (isPostgresAddress(database)) return state ?? database;
  // Beside the local copy of a snapshot, keys would be lost with that cache.
  if (isSnapshotAddress(database)) return state ?? 'access.db';
  return state ?? join(dirname(database), 'access.db');
}
