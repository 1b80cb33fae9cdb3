import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import BetterSqlite3 from 'better-sqlite3';
import { type ErrorCode, SkillSearchError } from '../core/index.js';

/**
 * A connection to SQLite: what this library uses of one. Only this file knows which package it comes from. That holds
 * for the types as well: a program that uses this library need not have the types of that package.
 */
export interface Connection {
  readonly open: boolean;
  /** Whether the database is in memory, without a file. */
  readonly memory: boolean;
  readonly inTransaction: boolean;
  prepare<Parameters extends unknown[], Row = unknown>(sql: string): Statement<Parameters, Row>;
  exec(sql: string): unknown;
  /** @param options with `simple`, the first column of the first row; otherwise an array of rows */
  pragma(sql: string, options?: { readonly simple?: boolean }): unknown;
  /** A function that does the work in a transaction of the given kind, and rolls it back when the work throws. */
  transaction<Given extends unknown[], Result>(work: (...given: Given) => Result): Transaction<Given, Result>;
  close(): unknown;
}

interface Transaction<Given extends unknown[], Result> {
  (...given: Given): Result;
  deferred(...given: Given): Result;
  immediate(...given: Given): Result;
  exclusive(...given: Given): Result;
}

/** A prepared statement. */
export interface Statement<Parameters extends unknown[], Row> {
  run(...parameters: Parameters): { readonly changes: number; readonly lastInsertRowid: number | bigint };
  get(...parameters: Parameters): Row | undefined;
  all(...parameters: Parameters): Row[];
  iterate(...parameters: Parameters): IterableIterator<Row>;
  /** Rows are the value of their first column from now on. */
  pluck(toggle?: boolean): this;
  /** Rows are arrays from now on. */
  raw(toggle?: boolean): this;
}

interface DatabaseOptions {
  readonly readonly?: boolean;
  readonly fileMustExist?: boolean;
  /** Milliseconds to wait for a lock. @default 5000 */
  readonly timeout?: number;
}

/** The type of what {@link Database} makes. */
export type Database = Connection;

/**
 * A new connection. Every connection is made here. A file may come from anybody: what its schema says may call no
 * function with effects, and, as the package has it, no statement may write to what SQLite keeps for itself.
 *
 * @throws {SkillSearchError} `MISSING_BINDING` if the compiled part of the package is missing or does not fit
 */
export const Database: new (path: string, options?: DatabaseOptions) => Connection = class extends BetterSqlite3 {
  constructor(path: string, options?: DatabaseOptions) {
    try {
      super(path, options);
    } catch (error) {
      throw isBindingError(error) ? missingBinding(error) : error;
    }
    nativeHandles.keep(this);
    this.pragma('trusted_schema = OFF');
  }
};

const WRITE_FAILURES = [
  'SQLITE_FULL',
  'SQLITE_READONLY',
  'SQLITE_IOERR_WRITE',
  'SQLITE_IOERR_FSYNC',
  'SQLITE_IOERR_DIR_FSYNC',
  'SQLITE_IOERR_TRUNCATE',
  'SQLITE_IOERR_DELETE',
  'SQLITE_IOERR_CLOSE',
  // The shared memory of a write-ahead log is a file, too.
  'SQLITE_IOERR_SHM',
  'SQLITE_IOERR_GETTEMPPATH',
  'SQLITE_CANTOPEN',
];

/**
 * Turns an error of SQLite into one of ours, and returns any other error as it is. Writing can fail in reading, too.
 *
 * @param notADatabase the code for a file that is no database at all
 */
export function databaseError(error: unknown, path: string, doing: 'read' | 'write', notADatabase: ErrorCode): unknown {
  if (!isSqliteError(error)) return error;
  if (error.code === 'SQLITE_NOTADB') {
    return new SkillSearchError(notADatabase, `${path} is no database`, { path, cause: error });
  }
  const [code, verb] =
    doing === 'write' && WRITE_FAILURES.some((prefix) => error.code.startsWith(prefix))
      ? (['DATABASE_NOT_WRITABLE', 'write'] as const)
      : (['DATABASE_NOT_READABLE', 'read'] as const);
  return new SkillSearchError(code, `cannot ${verb} ${path}: ${error.message}`, { path, cause: error });
}

/** Whether an error says that another connection has locked the file. */
export function isBusy(error: unknown): boolean {
  return error instanceof BetterSqlite3.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

/** Whether an error comes from SQLite. */
export function isSqliteError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof BetterSqlite3.SqliteError;
}

/**
 * Whether the package could not load its compiled part: it is not there (`bindings` lists where it looked), or it was
 * made for another version of Node, another system or another C library.
 */
function isBindingError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ERR_DLOPEN_FAILED' || error.message.startsWith('Could not locate the bindings file');
}

const REMEDY =
  'With npm: `npm rebuild better-sqlite3`, from npm 12 on after `npm install-scripts approve better-sqlite3`. With pnpm: list it under `onlyBuiltDependencies` in pnpm-workspace.yaml ' +
  '(`pnpm approve-builds` does that), then `pnpm rebuild better-sqlite3`.';

function missingBinding(cause: Error): SkillSearchError {
  const isThere = (cause as NodeJS.ErrnoException).code === 'ERR_DLOPEN_FAILED';
  const what = isThere
    ? `does not fit this Node or this system (${cause.message.split('\n', 1)[0]})`
    : 'is missing: its install script did not run';
  const message = `the compiled part of better-sqlite3 ${what}. ${REMEDY}`;
  return new SkillSearchError('MISSING_BINDING', message, { cause });
}

/**
 * Node 24 only: keeps the garbage collector from freeing native objects of SQLite between two turns of the event loop.
 *
 * better-sqlite3 12 derives its objects from `node::ObjectWrap`. If it is built with the headers of Node 24.19 or
 * later, the destructor of such an object aborts the process unless JavaScript is running
 * (https://github.com/nodejs/node/issues/65446). better-sqlite3 13 is not affected, but needs Node 22: without Node 20
 * this file can go.
 */
const IS_AFFECTED = process.versions.node.startsWith('24.');

/**
 * Handles that are kept before the first sweep: some 20 catalogues, opened and closed. They take less than a megabyte.
 */
const FIRST_SWEEP = 1000;

type NativeMethod = (...args: unknown[]) => object;

/**
 * Holds references to native objects, so that no collection between two turns can find them unused.
 *
 * So that they do not grow for ever, a sweep drops all references and collects garbage at once, while JavaScript runs:
 * now it is safe to free what nobody uses any more. Then it takes the references to the rest back. The turn does not
 * end in between.
 */
export class NativeHandles {
  #kept: object[] = [];
  /** To every kept object. Made when the object was, because a new weak reference protects it until the turn ends. */
  #weak: WeakRef<object>[] = [];
  #nextSweep: number;
  readonly #isNeeded: boolean;
  readonly #firstSweep: number;

  constructor(isNeeded: boolean = IS_AFFECTED, firstSweep: number = FIRST_SWEEP) {
    this.#isNeeded = isNeeded;
    this.#firstSweep = firstSweep;
    this.#nextSweep = firstSweep;
  }

  /** Number of objects that are kept. */
  get size(): number {
    return this.#kept.length;
  }

  /** Keeps the native object of a connection, and every statement and iterator made with it. */
  keep(connection: object): void {
    if (!this.#isNeeded) return;
    // better-sqlite3 has the native object of a connection under a symbol.
    const [symbol] = Object.getOwnPropertySymbols(connection);
    const native = symbol === undefined ? undefined : (Reflect.get(connection, symbol) as object | undefined);
    if (native === undefined) return;
    this.#add(native);
    this.#keepResults(native, 'prepare', (statement) => this.#keepResults(statement, 'iterate'));
  }

  /** Keeps whatever a method returns from now on. */
  #keepResults(owner: object, name: string, also?: (result: object) => void): void {
    const method = Reflect.get(owner, name) as NativeMethod;
    const add = (result: object): void => this.#add(result);
    const keeping: NativeMethod = function (this: unknown, ...args) {
      const result = Reflect.apply(method, this, args);
      add(result);
      also?.(result);
      return result;
    };
    Object.defineProperty(owner, name, { value: keeping, configurable: true });
  }

  #add(handle: object): void {
    this.#kept.push(handle);
    this.#weak.push(new WeakRef(handle));
    if (this.#kept.length < this.#nextSweep) return;
    // Doubled until the sweep has run: one is planned, not one for each further handle.
    this.#nextSweep *= 2;
    setImmediate(() => this.#sweep()).unref();
  }

  #sweep(): void {
    // Without it the handles are kept, and a later sweep tries again.
    collect ??= globalThis.gc ?? exposedCollector();
    if (collect === undefined) return;
    this.#kept = [];
    collect();
    this.#weak = this.#weak.filter((reference) => {
      const handle = reference.deref();
      if (handle !== undefined) this.#kept.push(handle);
      return handle !== undefined;
    });
    this.#nextSweep = Math.max(this.#firstSweep, 2 * this.#kept.length);
  }
}

/** The handles of this process, or of this thread. */
const nativeHandles: NativeHandles = new NativeHandles();

let collect: (() => void) | undefined;

/**
 * Starts a full collection at once, while JavaScript runs. V8 offers no other way to ask for one at a given moment. The
 * flag stays set: it belongs to all threads of the process, and another one may be between its two calls.
 *
 * @returns undefined if V8 does not give it away
 */
function exposedCollector(): (() => void) | undefined {
  setFlagsFromString('--expose-gc');
  return runInNewContext("typeof gc === 'function' ? gc : undefined") as (() => void) | undefined;
}
