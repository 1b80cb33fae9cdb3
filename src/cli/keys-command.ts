import { Option } from 'commander';
import { type ApiKey, isPostgresAddress, KEY_PREFIXES, type KeyForm, type KeysAndQuotas } from '../access/index.js';
import { refuseOption } from '../core/index.js';
import { COMPATIBILITIES, type Compatibility } from '../http/index.js';
import { databaseOption, databasePasswordOption, jsonOption, parseInteger } from './options.js';
import type { SetUp } from './output.js';
import { type Output, oneLine, printJson, printLines } from './output.js';
import { addStateOptions, findState, openState, type StateFlags } from './state-option.js';
import { alignColumns } from './text-columns.js';

interface CommonFlags extends StateFlags {
  readonly json?: true;
}

interface CreateFlags extends CommonFlags {
  readonly name: string;
  readonly daily?: number;
  readonly perMinute?: number;
  readonly compat?: Compatibility;
}

export const setUpKeys: SetUp = (keys, output) => {
  keys
    .command('create')
    .description('make a key; it is printed here and never again')
    .option('--name <text>', 'what the key is for', '')
    .option('--daily <n>', 'requests a day, 0 for no limit (default: what the server gives a key)', parseInteger)
    .option('--per-minute <n>', 'requests a minute, 0 for no limit (default: as above)', parseInteger)
    .addOption(new Option('--compat <service>', `begin the key with ${KEY_PREFIXES.skillsmp}`).choices(COMPATIBILITIES))
    .action((flags: CreateFlags) => create(flags, output));
  keys
    .command('list')
    .description('list the keys: everything but the keys themselves, which are not kept')
    .action((flags: CommonFlags) => list(flags, output));
  keys
    .command('revoke')
    .description('make a key worthless, at once')
    .argument('<key>', 'its id, as list prints it, or the key itself')
    .action((key: string, flags: CommonFlags) => revoke(key, flags, output));
  for (const command of keys.commands) {
    addStateOptions(command.addOption(databaseOption())).addOption(databasePasswordOption()).addOption(jsonOption());
  }
};

async function create(flags: CreateFlags, output: Output): Promise<void> {
  const { name, daily, perMinute, compat, json } = flags;
  const form: KeyForm = compat ?? 'plain';
  const made = await withAccess(flags, (access) => access.createKey({ name, daily, perMinute, form }));
  if (json === true) {
    printJson(output, made);
    return;
  }
  printLines(output, [made.key]);
  output.error.write(`This is key ${made.id}. Save it now: it is not stored and cannot be shown again.\n`);
}

async function list(flags: CommonFlags, output: Output): Promise<void> {
  const keys = await withExisting(flags, (access) => access.listKeys());
  if (flags.json === true) printJson(output, keys);
  else printLines(output, keys.length === 0 ? ['There is no key.'] : tableOf(keys));
}

async function revoke(key: string, flags: CommonFlags, output: Output): Promise<void> {
  const revoked = await withExisting(flags, (access) => access.revokeKey(/^\d{1,15}$/.test(key) ? Number(key) : key));
  if (flags.json === true) printJson(output, revoked);
  else printLines(output, [`Key ${revoked.id}${revoked.name === '' ? '' : ` (${oneLine(revoked.name)})`} is revoked.`]);
}

async function withExisting<T>(flags: CommonFlags, work: (access: KeysAndQuotas) => T): Promise<Awaited<T>> {
  checkPasswordFile(flags);
  const { place, exists } = findState(flags);
  if (!exists) throw new Error(`there is no file of keys at ${place}: make a key with \`skill-discovery keys create\``);
  return withAccess(flags, work);
}

async function withAccess<T>(flags: CommonFlags, work: (access: KeysAndQuotas) => T): Promise<Awaited<T>> {
  checkPasswordFile(flags);
  const access = await openState(flags);
  try {
    return await work(access);
  } finally {
    await access.close();
  }
}

/** The catalogue is not opened here: its password is for a state that is in its database. */
function checkPasswordFile({ state, database, databasePasswordFile }: CommonFlags): void {
  if (state !== undefined) {
    refuseOption(
      '--database-password-file',
      databasePasswordFile,
      'has no effect beside --state: give --state-password-file',
    );
  } else if (!isPostgresAddress(database)) {
    refuseOption(
      '--database-password-file',
      databasePasswordFile,
      'is for keys in PostgreSQL: --database postgres://…',
    );
  }
}

function tableOf(keys: readonly ApiKey[]): string[] {
  const rows = [
    ['id', 'name', 'a day', 'a minute', 'made', 'revoked'],
    ...keys.map(({ id, name, daily, perMinute, createdAt, revokedAt }) => [
      String(id),
      oneLine(name),
      limitOf(daily),
      limitOf(perMinute),
      dateOf(createdAt),
      revokedAt === undefined ? '' : dateOf(revokedAt),
    ]),
  ];
  return alignColumns(rows);
}

function limitOf(limit: number | undefined): string {
  if (limit === undefined) return 'default';
  return limit === 0 ? 'no limit' : limit.toLocaleString('en');
}

function dateOf(unixSeconds: number): string {
  return new Date(unixSeconds * 1000).toISOString().slice(0, 16).replace('T', ' ');
}
