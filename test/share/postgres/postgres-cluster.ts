import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';

const run = promisify(execFile);

/** Where the programs of a server of PostgreSQL are; undefined where none is installed. */
export const programs: string | undefined = findPrograms();

/** What the only user of a {@link PostgresServer} is called, and the password: no other text has it. */
export const USER = 'tester';
export const PASSWORD = 'Gq7/zebra?40%ü';

/** A server of PostgreSQL of one test file, with its data in a temporary folder. */
export interface PostgresServer {
  readonly port: number;
  /** The address of a database: an empty one of its own, unless one is named. */
  database(name?: string): Promise<string>;
  /** Runs statements as an administrator, in a database by its address. */
  execute(address: string, sql: string): Promise<readonly Record<string, unknown>[]>;
  /** Ends the server with a signal, and waits until it has ended: `SIGINT` closes all connections. */
  stop(signal?: 'SIGINT' | 'SIGQUIT'): Promise<void>;
  /** Starts it again, with the same data at the same port. */
  start(): Promise<void>;
  /** Sends a signal to the main process and to all others of the server. */
  signalAll(signal: NodeJS.Signals): void;
  /** A server that replicates this one, and can be read. It is removed with this one. */
  standby(settings?: readonly string[]): Promise<PostgresStandby>;
}

/** A hot standby of a {@link PostgresServer}. */
export interface PostgresStandby extends Pick<PostgresServer, 'port' | 'execute' | 'stop' | 'start'> {
  /** The address of a database of the primary, here. */
  addressOf(address: string): string;
  /** Waits until all is there that the primary has now. */
  caughtUp(): Promise<void>;
  /** Receives what the primary sends from now on, but shows none of it. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Makes it a primary. */
  promote(): Promise<void>;
}

/** Nothing of a test must survive the machine. */
const WITHOUT_SYNC = ['fsync=off', 'full_page_writes=off', 'shared_buffers=16MB'];

/** The address of a database, as a program would write it. */
function addressOf(port: number, database: string): string {
  return `postgres://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/${database}`;
}

/** A server that is started and removed by whoever makes it. */
export class PostgresCluster implements PostgresServer {
  readonly port: number;
  readonly #folder: string;
  readonly #data: string;
  readonly #standbys: PostgresCluster[] = [];
  readonly #settings: readonly string[];
  readonly #user: { readonly uid?: number; readonly gid?: number };
  #process: ChildProcess | undefined;
  #databases = 0;

  private constructor(folder: string, data: string, port: number, settings: readonly string[]) {
    this.#settings = settings;
    this.#folder = folder;
    this.#data = join(folder, data);
    this.port = port;
    this.#user = otherUser();
  }

  /** @param files what else is in the folder above its data, for its user alone: names and texts */
  static async make({
    settings = WITHOUT_SYNC,
    files = {},
  }: {
    readonly settings?: readonly string[];
    readonly files?: Readonly<Record<string, string>>;
  } = {}): Promise<PostgresCluster> {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'skill-discovery-postgres-')));
    const cluster = new PostgresCluster(folder, 'data', await freePort(), settings);
    const password = join(folder, 'password');
    writeFileSync(password, PASSWORD);
    const others = Object.keys(files).map((name) => join(folder, name));
    for (const path of others) writeFileSync(path, files[basename(path)]!, { mode: 0o600 });
    const { uid, gid } = cluster.#user;
    if (uid !== undefined && gid !== undefined) {
      for (const path of [folder, password, ...others]) chownSync(path, uid, gid);
    }
    const words = ['-D', cluster.#data, '-U', USER, '--pwfile', password, '-A', 'scram-sha-256'];
    await run(join(programs!, 'initdb'), [...words, '-E', 'UTF8', '--locale=C', '--no-sync'], {
      ...cluster.#user,
      cwd: folder,
    });
    return cluster;
  }

  async start(): Promise<void> {
    const words = [...this.#settings, 'unix_socket_directories='].flatMap((setting) => ['-c', setting]);
    this.#process = spawn(
      join(programs!, 'postgres'),
      ['-D', this.#data, '-p', String(this.port), '-h', '127.0.0.1', ...words],
      { ...this.#user, cwd: this.#folder, stdio: 'ignore' },
    );
    process.once('exit', () => this.#process?.kill('SIGQUIT'));
    for (let attempt = 0; ; attempt++) {
      try {
        await this.execute(addressOf(this.port, 'postgres'), 'SELECT 1');
        return;
      } catch (error) {
        if (attempt === 600 || this.#process.exitCode !== null) throw error;
        await wait(50);
      }
    }
  }

  async stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    const ending = this.#process;
    this.#process = undefined;
    if (ending === undefined || ending.exitCode !== null) return;
    const ended = once(ending, 'exit');
    ending.kill(signal);
    await ended;
  }

  signalAll(signal: NodeJS.Signals): void {
    const main = this.#process!.pid!;
    const children = readFileSync(`/proc/${main}/task/${main}/children`, 'utf8').trim().split(/\s+/).filter(Boolean);
    for (const pid of [main, ...children.map(Number)]) {
      try {
        process.kill(pid, signal);
      } catch (error) {
        // A process of a connection that was just closed.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  }

  async database(name?: string): Promise<string> {
    const wanted = name ?? `database_${++this.#databases}`;
    if (name === undefined) await this.execute(addressOf(this.port, 'postgres'), `CREATE DATABASE ${wanted}`);
    return addressOf(this.port, wanted);
  }

  async execute(address: string, sql: string): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: address, connectionTimeoutMillis: 10_000 });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows ?? [];
    } finally {
      await client.end();
    }
  }

  async standby(settings: readonly string[] = []): Promise<PostgresStandby> {
    const name = `standby-${this.#standbys.length + 1}`;
    const standby = new PostgresCluster(this.#folder, name, await freePort(), [...this.#settings, ...settings]);
    this.#standbys.push(standby);
    const words = ['-h', '127.0.0.1', '-p', String(this.port), '-U', USER, '-D', standby.#data];
    await run(join(programs!, 'pg_basebackup'), [...words, '-R', '-X', 'stream', '-c', 'fast', '--no-sync'], {
      ...this.#user,
      cwd: this.#folder,
      env: { ...process.env, PGPASSWORD: PASSWORD },
    });
    await standby.start();
    const ask = (sql: string) => standby.execute(addressOf(standby.port, 'postgres'), sql);
    return {
      port: standby.port,
      execute: (address, sql) => standby.execute(address, sql),
      stop: (signal) => standby.stop(signal),
      start: () => standby.start(),
      addressOf: (address) => address.replaceAll(`:${this.port}/`, `:${standby.port}/`),
      caughtUp: async () => {
        const written = await this.execute(addressOf(this.port, 'postgres'), 'SELECT pg_current_wal_lsn() AS at');
        for (;;) {
          const [shown] = await ask(`SELECT pg_last_wal_replay_lsn() >= '${written[0]!['at']}' AS "isThere"`);
          if (shown!['isThere'] === true) return;
          await wait(10);
        }
      },
      pause: async () => {
        await ask('SELECT pg_wal_replay_pause()');
        for (;;) {
          const [state] = await ask('SELECT pg_get_wal_replay_pause_state() AS state');
          if (state!['state'] === 'paused') return;
          await wait(10);
        }
      },
      resume: async () => void (await ask('SELECT pg_wal_replay_resume()')),
      promote: async () => void (await ask('SELECT pg_promote()')),
    };
  }

  async remove(): Promise<void> {
    for (const standby of this.#standbys) await standby.stop('SIGQUIT');
    await this.stop('SIGQUIT');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** PostgreSQL refuses to run as root. */
function otherUser(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  const line = users.find((user) => user.startsWith('postgres:')) ?? users.find((user) => user.startsWith('nobody:'));
  const [, , uid, gid] = (line ?? '').split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

/** The folder that `POSTGRES_PATH` names, or Debian's newest, or one of `PATH`. */
function findPrograms(): string | undefined {
  const file = process.platform === 'win32' ? 'initdb.exe' : 'initdb';
  const has = (folder: string): boolean => folder !== '' && existsSync(join(folder, file));
  const named = process.env['POSTGRES_PATH'];
  if (named !== undefined && !has(named)) throw new Error(`POSTGRES_PATH must name a folder with ${file}: ${named}`);
  if (named !== undefined) return named;
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ];
  return folders.find(has);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  server.close();
  await once(server, 'close');
  return port;
}
