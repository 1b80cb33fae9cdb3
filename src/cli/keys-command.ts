import { type ApiKey, isPostgresAddress, KEY_PREFIXES, type KeysAndQuotas } from '../access/index.js';
import { refuseOption } from '../core/index.js';
import { COMPATIBILITIES, type Compatibility } from '../http/index.js';
import {
  choiceOption,
  databaseOption,
  databasePasswordOption,
  jsonOption,
  type PlaceFlags,
  parseInteger,
  pick,
} from './options.js';
import { oneLine, printJson, printLines } from './output.js';
import type { SetUp } from './run.js';
import { addStateOptions, findState, openState, type StateFlags } from './state-option.js';
import { alignColumns } from './text-columns.js';

interface KeysFlags extends StateFlags, PlaceFlags {
  readonly json?: true;
}

interface CreateFlags extends KeysFlags {
  readonly name: string;
  readonly daily?: number;
  readonly perMinute?: number;
  readonly compat?: Compatibility;
}

export const setUp: SetUp = (keys, output) => {
  keys
    .command('create')
    .description('make a key; it is printed here and never again')
    .option('--name <text>', 'what the key is for', '')
    .option('--daily <n>', 'requests a day, 0 for no limit (default: what the server gives a key)', parseInteger)
    .option('--per-minute <n>', 'requests a minute, 0 for no limit (default: as above)', parseInteger)
    .addOption(choiceOption('--compat <service>', `begin the key with ${KEY_PREFIXES.skillsmp}`, COMPATIBILITIES))
    .action(async (flags: CreateFlags) => {
      const form = flags.compat ?? 'plain';
      const options = { ...pick(flags, 'name', 'daily', 'perMinute'), form } as const;
      const made = await withAccess(flags, (access) => access.createKey(options));
      if (flags.json === true) return printJson(output, made);
      printLines(output, [made.key]);
      output.error.write(`This is key ${made.id}. Save it now: it is not stored and cannot be shown again.\n`);
    });
  keys
    .command('list')
    .description('list the keys: everything but the keys themselves, which are not kept')
    .action(async (flags: KeysFlags) => {
      const all = await withExisting(flags, (access) => access.listKeys());
      if (flags.json === true) printJson(output, all);
      else printLines(output, all.length === 0 ? ['There is no key.'] : tableOf(all));
    });
  keys
    .command('revoke')
    .description('make a key worthless, at once')
    .argument('<key>', 'its id, as list prints it, or the key itself')
    .action(async (key: string, flags: KeysFlags) => {
      const which = /^\d{1,15}$/.test(key) ? Number(key) : key;
      const revoked = await withExisting(flags, (access) => access.revokeKey(which));
      if (flags.json === true) return printJson(output, revoked);
      const name = revoked.name === '' ? '' : ` (${oneLine(revoked.name)})`;
      printLines(output, [`Key ${revoked.id}${name} is revoked.`]);
    });
  for (const command of keys.commands) {
    addStateOptions(command.addOption(databaseOption())).addOption(databasePasswordOption()).addOption(jsonOption());
  }
};

async function withExisting<T>(flags: KeysFlags, work: (access: KeysAndQuotas) => T): Promise<Awaited<T>> {
  checkPasswordFile(flags);
  const { place, exists } = findState(flags);
  if (!exists) throw new Error(`there is no file of keys at ${place}: make a key with \`skill-discovery keys create\``);
  return withAccess(flags, work);
}

async function withAccess<T>(flags: KeysFlags, work: (access: KeysAndQuotas) => T): Promise<Awaited<T>> {
  checkPasswordFile(flags);
  const access = await openState(flags);
  try {
    return await work(access);
  } finally {
    await access.close();
  }
}

/** The catalogue is not opened here: its password is for a state that is in its database. */
function checkPasswordFile({ state, database, databasePasswordFile }: KeysFlags): void {
  if (state === undefined && isPostgresAddress(database)) return;
  const why =
    state === undefined
      ? 'is for keys in PostgreSQL: --database postgres://…'
      : 'has no effect beside --state: give --state-password-file';
  refuseOption('--database-password-file', databasePasswordFile, why);
}

function tableOf(keys: readonly ApiKey[]): string[] {
  const rows = keys.map(({ id, name, daily, perMinute, createdAt, revokedAt }) => [
    ...[String(id), oneLine(name), limitOf(daily), limitOf(perMinute)],
    ...[dateOf(createdAt), revokedAt === undefined ? '' : dateOf(revokedAt)],
  ]);
  return alignColumns([['id', 'name', 'a day', 'a minute', 'made', 'revoked'], ...rows]);
}

function limitOf(limit: number | undefined): string {
  if (limit === undefined) return 'default';
  return limit === 0 ? 'no limit' : limit.toLocaleString('en');
}

function dateOf(unixSeconds: number): string {
  return new Date(unixSeconds * 1000).toISOString().slice(0, 16).replace('T', ' ');
}
