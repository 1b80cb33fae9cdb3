import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

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
    const collectGarbage = collector();
    if (collectGarbage === undefined) return;
    this.#kept = [];
    collectGarbage();
    this.#weak = this.#weak.filter((reference) => {
      const handle = reference.deref();
      if (handle !== undefined) this.#kept.push(handle);
      return handle !== undefined;
    });
    this.#nextSweep = Math.max(this.#firstSweep, 2 * this.#kept.length);
  }
}

/** The handles of this process, or of this thread. */
export const nativeHandles: NativeHandles = new NativeHandles();

let collect: (() => void) | undefined;

/**
 * Starts a full collection at once, while JavaScript runs. V8 offers no other way to ask for one at a given moment.
 *
 * @returns undefined if V8 does not give it away; then the handles are kept, and a later sweep tries again
 */
function collector(): (() => void) | undefined {
  collect ??= globalThis.gc ?? exposedCollector();
  return collect;
}

/** The flag stays set: it belongs to all threads of the process, and another one may be between its two calls. */
function exposedCollector(): (() => void) | undefined {
  setFlagsFromString('--expose-gc');
  return runInNewContext("typeof gc === 'function' ? gc : undefined") as (() => void) | undefined;
}
